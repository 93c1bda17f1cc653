"""Link prediction by kind of non-edge: the same models against pairs drawn uniformly, by degree, and two hops apart.

    MCNS_DATA=... [THREADS=1] python3 bench/non_edges.py OUT [SEEDS [GRAPH,... [SAMPLER,...]]]

Every model is trained once with the defaults (its epoch chosen against uniform non-edges) and evaluated on the
three test sets that `mcns data split --non-edges` makes of the same split. OUT/results.jsonl has a line per model;
what is there is not run again. Prints a table: AUC, mean over the seeds.
"""

import json
import os
import statistics
import subprocess
import sys

MCNS = os.environ.get("MCNS", "build/release/mcns")
GRAPHS = "cora,ca-grqc,pubmed,wikipedia-pos,blogcatalog,debian"
KINDS = ["uniform", "degree", "two-hop"]


def mcns(*arguments):
    done = subprocess.run([MCNS, *arguments, "--threads", os.environ.get("THREADS", "0"), "--json", "--quiet"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"mcns {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def edges_of(graph):
    if graph == "debian":
        return "data/debian/edges.tsv.gz"
    return os.path.join(os.environ["MCNS_DATA"], graph, "edges.tsv")


def tests_of(graph, seed, out):
    """The test file of each kind; all have the same edges."""
    files = {}
    for kind in KINDS:
        folder = f"{out}/splits/{graph}-{seed}-{kind}"
        files[kind] = f"{folder}/test.tsv"
        if not os.path.exists(files[kind]):
            mcns("data", "split", edges_of(graph), "--task", "linkpred", "--non-edges", kind, "--seed", str(seed),
                 "--out", folder)
    return files


def figures_of(graph, sampler, seed, out):
    model = f"{out}/model"
    run = mcns("run", "--task", "linkpred", "--train", edges_of(graph), "--sampler", sampler, "--seed", str(seed),
               "--force", "--out", model)
    auc = {}
    for kind, test in tests_of(graph, seed, out).items():
        auc[kind] = mcns("evaluate", model, "--task", "linkpred", "--test", test)["test"]["auc"]
    if abs(auc["uniform"] - run["test"]["auc"]) > 1e-12:
        sys.exit(f"{graph}: the split of the run is not that of the files")
    return {"graph": graph, "sampler": sampler, "seed": seed, "auc": auc, "train_seconds": run["train_seconds"]}


def print_table(lines, graphs, samplers):
    print("| graph | non-edges | " + " | ".join(f"`{s}`" for s in samplers) + " |")
    print("|---|---|" + "---|" * len(samplers))
    for graph in graphs:
        for kind in KINDS:
            cells = []
            for sampler in samplers:
                values = [x["auc"][kind] for x in lines if (x["graph"], x["sampler"]) == (graph, sampler)]
                spread = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
                cells.append(f"{statistics.mean(values):.4f}{spread}" if values else "-")
            print(f"| {graph} | {kind} | " + " | ".join(cells) + " |")


def main(out, seeds="3", graphs=GRAPHS, samplers="rns,degree,mcns"):
    os.makedirs(out, exist_ok=True)
    log = f"{out}/results.jsonl"
    lines = [json.loads(line) for line in open(log)] if os.path.exists(log) else []
    for graph in graphs.split(","):
        for seed in range(1, int(seeds) + 1):
            for sampler in samplers.split(","):
                if any((x["graph"], x["sampler"], x["seed"]) == (graph, sampler, seed) for x in lines):
                    continue
                lines.append(figures_of(graph, sampler, seed, out))
                with open(log, "a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    print_table(lines, graphs.split(","), samplers.split(","))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
