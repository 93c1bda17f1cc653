#!/usr/bin/env python3
"""Estimators of the softmax at equal seconds: validation and test of every method and seed.

Most methods train with unit vectors; those of the last rows have their own recipe (dot product, BPR, L2). An
epoch of each is timed first, in turns, and the fastest of three turns counts; the number of epochs is what
fits into the seconds, so rates decay over just that time, and figures do not depend on how busy the machine
is afterwards. Of several temperatures (commas between) each method takes its own: the one of the best
validation MRR with the first seed. Prints means over seeds, and the difference of each method to `mcns` of
the same pool (of 256 where it has no pool) and the same correction by log q, paired by seed, with its
standard error.

  bench/estimators.py BINARY SECONDS TEMPERATURES SEEDS FLAGS_OF_THE_DATA...

as in   bench/estimators.py build/release/mcns 20 0.1,0.14,0.2 3 --data debian

`WITHOUT="full softmax"` leaves methods out (names, semicolons between). `COSTS=FILE` keeps the seconds of
an epoch: those that the file has are not measured again, so that runs may be made later, beside other work.
With `ONLY_COSTS=1` nothing else is done.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

EVALUATIONS = 4  # of a run, beside the last one
COSINE = ["--similarity", "cosine", "--loss", "softmax"]
DOT = ["--similarity", "dot", "--loss", "bpr"]


def shared(sampler, size, log_q="off"):
    return COSINE + ["--sampler", sampler, "--negatives", f"shared:{size}", "--log-q", log_q]


METHODS = {
    "sampled softmax, N = 64": shared("rns", 64),
    "mcns, N = 64": shared("mcns", 64),
    "mcns, N = 64, 4 chains": shared("mcns:chains=4", 64),
    "sampled softmax, N = 64, log-q": shared("rns", 64, "on"),
    "mcns, N = 64, log-q": shared("mcns", 64, "on"),
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
    """`mcns` with the same pool and the same correction."""
    size, *rest = [part for part in name.split(", ") if part.startswith("N = ") or part == "log-q"] or ["N = 256"]
    return ", ".join(["mcns", size, *rest])


def run(binary, data, flags):
    command = [binary, "run", "--task", "recommend", *data, "--json", "--quiet", "--patience", "0"]
    out = subprocess.run(command + flags, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(" ".join(command + flags) + ": " + out.stderr.strip().splitlines()[-1])
    return json.loads(out.stdout)


def epoch_seconds(binary, data, methods, budget):
    """Of each method; one that needs the whole budget for an epoch is timed once."""
    kept = pathlib.Path(os.environ.get("COSTS") or os.devnull)
    known = json.loads(kept.read_text() or "{}") if kept.exists() else {}
    missing = {name: flags for name, flags in methods.items() if name not in known}
    cost = known | measured_seconds(binary, data, missing, budget)
    kept.write_text(json.dumps(cost, indent=1) + "\n")
    return cost


def measured_seconds(binary, data, methods, budget):
    cost = {}
    for _ in range(3):
        for name, flags in methods.items():
            if cost.get(name, 0) > budget:
                continue
            spent = run(binary, data, flags + ["--epochs", "1"])["train_seconds"]
            cost[name] = min(cost.get(name, spent), spent)
    return cost


class Comparison:
    """Runs of each method, kept by temperature and seed."""

    def __init__(self, binary, seconds, data, cost):
        self.binary, self.seconds, self.data, self.cost = binary, seconds, data, cost
        self.kept = {}

    def epochs(self, name):
        return max(1, round(self.seconds / self.cost[name]))

    def run(self, name, temperature, seed):
        if (name, temperature, seed) not in self.kept:
            epochs = self.epochs(name)
            flags = METHODS[name] + ["--epochs", str(epochs), "--eval-every", str(max(1, epochs // EVALUATIONS))]
            if "cosine" in flags:
                flags += ["--temperature", temperature]
            self.kept[name, temperature, seed] = run(self.binary, self.data, flags + ["--seed", str(seed)])
        return self.kept[name, temperature, seed]

    def best_temperature(self, name, temperatures):
        if "cosine" not in METHODS[name]:
            return "-"
        return max(temperatures, key=lambda t: self.run(name, t, 1)["valid"]["mrr"])


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    binary, seconds, temperatures, count, *data = sys.argv[1:]
    left_out = os.environ.get("WITHOUT", "").split(";")
    methods = {name: flags for name, flags in METHODS.items() if name not in left_out}
    cost = epoch_seconds(binary, data, methods, float(seconds))
    if os.environ.get("ONLY_COSTS"):
        return
    comparison = Comparison(binary, float(seconds), data, cost)
    found = {}
    print("| method | temperature | epochs | valid MRR | valid Recall@20 | test MRR | test Recall@20 |")
    print("|---|---|---|---|---|---|---|")
    for name in methods:
        best = comparison.best_temperature(name, temperatures.split(","))
        found[name] = [comparison.run(name, best, seed) for seed in range(1, int(count) + 1)]
        values = [
            statistics.mean(r[part][metric] for r in found[name])
            for part in ("valid", "test")
            for metric in ("mrr", "recall@20")
        ]
        print(f"| {name} | {best} | {comparison.epochs(name)} | " + " | ".join(f"{v:.4f}" for v in values) + " |", flush=True)
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
