"""Skip-gram with 5 negatives, d = 128, window 10, on walks over BlogCatalog: gensim's Word2Vec against
`mcns train`, in turns, best of ROUNDS (3), on 1 and 2 threads.

A pair is a centre and one context, with its 5 negatives. Windows do not shrink on either side, so
that the number of pairs is known exactly. gensim is given its walks ready-made, outside the clock;
mcns draws its walks within it.
"""

import os
import sys
import time

import numpy as np
from gensim.models import Word2Vec

import mcns

WALKS, LENGTH, WINDOW, NEGATIVES, DIM = int(os.environ.get("WALKS", 10)), 40, 10, 5, 128
ROUNDS = int(os.environ.get("ROUNDS", 3))
THREADS = (1, 2)


def random_walks(edges, rng):
    """WALKS walks of LENGTH nodes from every node, one a row."""
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    nodes = both.max() + 1
    offsets = np.searchsorted(both[:, 0], np.arange(nodes + 1))
    degrees = np.diff(offsets)
    at = np.tile(np.flatnonzero(degrees), WALKS)
    rng.shuffle(at)
    out = np.empty((len(at), LENGTH), dtype=np.int64)
    for step in range(LENGTH):
        out[:, step] = at
        at = both[offsets[at] + (rng.random(len(at)) * degrees[at]).astype(np.int64), 1]
    return out


def pairs_of(walks):
    at = np.arange(LENGTH)
    return len(walks) * int((np.minimum(at, WINDOW) + np.minimum(LENGTH - 1 - at, WINDOW)).sum())


def gensim_rate(sentences, pairs, threads):
    model = Word2Vec(sg=1, hs=0, negative=NEGATIVES, vector_size=DIM, window=WINDOW, sample=0,
                     min_count=1, shrink_windows=False, workers=threads, seed=1)
    model.build_vocab(sentences)
    start = time.perf_counter()
    model.train(sentences, total_examples=len(sentences), epochs=1)
    return pairs / (time.perf_counter() - start)


def mcns_rate(graph, update, threads):
    metrics, _ = mcns.run(
        "train", graph, "--positives", f"walks:walks={WALKS},length={LENGTH},window={WINDOW},shrink=false",
        "--sampler", "degree", "--filter", "none", "--loss", "logistic", "--optimizer", "sgd",
        "--lr", 0.025, "--l2", 0, "--tables", 2, "--dim", DIM, "--negatives", NEGATIVES, "--epochs", 1,
        "--update", update, "--threads", threads)
    return metrics["positives_per_second"]


def main():
    graph = os.path.join(sys.argv[1], "blogcatalog", "edges.tsv")
    walks = random_walks(np.loadtxt(graph, dtype=np.int64), np.random.default_rng(1))
    sentences = [[str(node) for node in walk] for walk in walks]
    pairs = pairs_of(walks)
    print(f"skip-gram on BlogCatalog: {len(walks)} walks of {LENGTH}, {pairs / 1e6:.1f} M pairs, "
          f"best of {ROUNDS} in turns")
    runs = {}
    for threads in THREADS:
        runs["gensim", threads] = lambda t=threads: gensim_rate(sentences, pairs, t)
        for update in ("async", "batch"):
            runs[f"mcns {update}", threads] = lambda u=update, t=threads: mcns_rate(graph, u, t)
    best = dict.fromkeys(runs, 0.0)
    for _ in range(ROUNDS):
        for key, rate in runs.items():
            best[key] = max(best[key], rate())
    print(f"{'':12} {'threads':>7} {'M pairs/s':>10} {'x gensim':>9}")
    for (name, threads), rate in best.items():
        print(f"{name:12} {threads:7} {rate / 1e6:10.2f} {rate / best['gensim', threads]:9.2f}")


main()
