#!/usr/bin/env python3
"""Estimators of the softmax at equal seconds: validation and test of every method and seed.

Every method trains with unit vectors and the same temperature, but for those of the last rows, which
have their own recipe (dot product, BPR, L2). An epoch of each is timed first, in turns, and the fastest
of three turns counts; the number of epochs is what fits into the seconds, so rates decay over just that
time, and figures do not depend on how busy the machine is afterwards. Prints means over seeds, and the
difference of each method to `mcns` of the same pool (of 256 where it has no pool), paired by seed, with
its standard error.

  bench/estimators.py BINARY SECONDS TEMPERATURE SEEDS FLAGS_OF_THE_DATA...

as in   bench/estimators.py build/release/mcns 20 0.1 3 --data debian

`WITHOUT="full softmax"` leaves methods out (names, semicolons between).
"""
import json
import os
import statistics
import subprocess
import sys

COSINE = ["--similarity", "cosine", "--loss", "softmax"]
DOT = ["--similarity", "dot", "--loss", "bpr"]


def shared(sampler, size):
    return COSINE + ["--sampler", sampler, "--negatives", f"shared:{size}"]


METHODS = {
    "sampled softmax, N = 64": shared("rns", 64),
    "mcns, N = 64": shared("mcns", 64),
    "mcns, N = 64, 4 chains": shared("mcns:chains=4", 64),
    "sampled softmax, N = 256": shared("rns", 256),
    "mcns, N = 256": shared("mcns", 256),
    "full softmax": shared("rns", 1000000),
    "dns, cosine": COSINE + ["--sampler", "dns:candidates=16", "--negatives", "5"],
    "warp, cosine": COSINE + ["--sampler", "warp", "--negatives", "5"],
    "dns, dot, bpr": DOT + ["--sampler", "dns:candidates=16"],
    "warp, dot, bpr": DOT + ["--sampler", "warp"],
    "mcns, dot, bpr": DOT + ["--sampler", "mcns"],
}


def reference_of(name):
    sizes = [part for part in name.split(", ") if part.startswith("N = ")]
    return f"mcns, {sizes[0] if sizes else 'N = 256'}"


def run(binary, data, flags):
    command = [binary, "run", "--task", "recommend", *data, "--json", "--quiet", "--patience", "0"]
    out = subprocess.run(command + flags, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(" ".join(command + flags) + ": " + out.stderr.strip().splitlines()[-1])
    return json.loads(out.stdout)


def epoch_seconds(binary, data, methods, budget):
    """Of each method; one that needs the whole budget for an epoch is timed once."""
    cost = {}
    for _ in range(3):
        for name, flags in methods.items():
            if cost.get(name, 0) > budget:
                continue
            spent = run(binary, data, flags + ["--epochs", "1"])["train_seconds"]
            cost[name] = min(cost.get(name, spent), spent)
    return cost


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    binary, seconds, temperature, count, *data = sys.argv[1:]
    seeds = range(1, int(count) + 1)
    print("| method | epochs | seconds | valid MRR | valid Recall@20 | test MRR | test Recall@20 |")
    print("|---|---|---|---|---|---|---|")
    found = {}
    left_out = os.environ.get("WITHOUT", "").split(";")
    methods = {name: flags for name, flags in METHODS.items() if name not in left_out}
    for name, flags in methods.items():
        if "cosine" in flags:
            methods[name] = flags + ["--temperature", temperature]
    cost = epoch_seconds(binary, data, methods, float(seconds))
    for name, flags in methods.items():
        epochs = max(1, round(float(seconds) / cost[name]))
        every = ["--epochs", str(epochs), "--eval-every", str(max(1, epochs // 10))]
        found[name] = [run(binary, data, flags + every + ["--seed", str(s)]) for s in seeds]
        values = [
            statistics.mean(r[part][metric] for r in found[name])
            for part in ("valid", "test")
            for metric in ("mrr", "recall@20")
        ]
        print(f"| {name} | {epochs} | {epochs * cost[name]:.0f} | " + " | ".join(f"{v:.4f}" for v in values) + " |", flush=True)
    print()
    for name in methods:
        gaps = [
            100 * (a["test"]["recall@20"] / b["test"]["recall@20"] - 1)
            for a, b in zip(found[name], found[reference_of(name)])
        ]
        error = statistics.stdev(gaps) / len(gaps) ** 0.5 if len(gaps) > 1 else float("nan")
        print(f"{name}: test Recall@20 {statistics.mean(gaps):+.1f} % ± {error:.1f} against {reference_of(name)}")


if __name__ == "__main__":
    main()
