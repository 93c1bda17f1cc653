#!/usr/bin/env python3
"""Estimators of the softmax at equal seconds: validation and test of every method and seed.

Every method trains with unit vectors and the same temperature, but for those of the last rows, which
have their own recipe (dot product, BPR, L2). An epoch of each is timed first; the number of epochs is
what fits into the seconds. Prints means over seeds, and the difference of each method to `mcns` of the
same pool, paired by seed, with its standard error.

  bench/estimators.py BINARY DATA SECONDS TEMPERATURE [SEEDS]
"""
import json
import statistics
import subprocess
import sys

COSINE = ["--similarity", "cosine", "--loss", "softmax"]
METHODS = {
    "sampled softmax, N = 64": COSINE + ["--sampler", "rns", "--negatives", "shared:64"],
    "mcns, N = 64, 1 chain": COSINE + ["--sampler", "mcns", "--negatives", "shared:64"],
    "mcns, N = 64, 4 chains": COSINE + ["--sampler", "mcns:chains=4", "--negatives", "shared:64"],
    "sampled softmax, N = 256": COSINE + ["--sampler", "rns", "--negatives", "shared:256"],
    "mcns, N = 256, 1 chain": COSINE + ["--sampler", "mcns", "--negatives", "shared:256"],
    "sampled softmax, N = 1024": COSINE + ["--sampler", "rns", "--negatives", "shared:1024"],
    "full softmax": COSINE + ["--sampler", "rns", "--negatives", "shared:1000000"],
    "dns, dot, bpr": ["--similarity", "dot", "--sampler", "dns:candidates=16"],
    "warp, dot, bpr": ["--similarity", "dot", "--sampler", "warp"],
    "mcns, dot, bpr": ["--similarity", "dot", "--sampler", "mcns"],
}
REFERENCE = "mcns, N = 256, 1 chain"


def run(binary, data, flags):
    command = [binary, "run", "--task", "recommend", "--data", data, "--json", "--patience", "0"]
    out = subprocess.run(command + flags, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(" ".join(command + flags) + ": " + out.stderr.strip().splitlines()[-1])
    return json.loads(out.stdout)


def main():
    binary, data, seconds, temperature = sys.argv[1:5]
    seeds = range(1, int(sys.argv[5]) + 1 if len(sys.argv) > 5 else 4)
    found = {}
    for name, flags in METHODS.items():
        if "cosine" in flags:
            flags = flags + ["--temperature", temperature]
        timed = run(binary, data, flags + ["--epochs", "2", "--eval-every", "2"])
        epochs = max(1, min(400, round(float(seconds) / (timed["train_seconds"] / 2))))
        every = ["--epochs", str(epochs), "--eval-every", str(max(1, epochs // 10))]
        found[name] = [run(binary, data, flags + every + ["--seed", str(s)]) for s in seeds]
        spent = statistics.mean(r["train_seconds"] for r in found[name])
        values = [
            statistics.mean(r[part][metric] for r in found[name])
            for part in ("valid", "test")
            for metric in ("mrr", "recall@20")
        ]
        print(f"| {name} | {epochs} | {spent:.0f} | " + " | ".join(f"{v:.4f}" for v in values) + " |", flush=True)
    print()
    for name in METHODS:
        gaps = [
            100 * (a["test"]["recall@20"] / b["test"]["recall@20"] - 1)
            for a, b in zip(found[name], found[REFERENCE])
        ]
        error = statistics.stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else float("nan")
        print(f"{name}: test Recall@20 {statistics.mean(gaps):+.1f} % ± {error:.1f} against {REFERENCE}")


if __name__ == "__main__":
    main()
