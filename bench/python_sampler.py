"""python_sampler.py [SAMPLER ...]: negatives per second of samplers called from Python, against the same
sampler inside the C++ trainer, at batch 4096, k = 5, d = 64 on one thread.

The data are those of $MCNS_DATA/ml-100k, else random pairs of that size. The trainer's figure is that of
its fastest epoch (`sample_seconds`), Python's that of the fastest pass over the same pairs, with the
trained tables; both are measured in turns. The bar is half of the trainer's.
"""

import os
import pathlib
import sys
import time

import numpy as np

import mcns

BATCH, K, DIM, TURNS = 4096, 5, 64, 5


def pairs():
    folder = os.environ.get("MCNS_DATA")
    if folder:
        path = pathlib.Path(folder) / "ml-100k/mcns_train.tsv"
        return mcns.Dataset.from_csv(path, bipartite="separate")
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 1683) ** 0.8
    items = rng.choice(1682, 80_000, p=weights / weights.sum())
    return mcns.Dataset.from_arrays(rng.integers(0, 943, 80_000), items)


def python_seconds(data, sampler, tables):
    """Seconds of one pass over all pairs."""
    rows = np.random.default_rng(1).permutation(data.pairs())
    users, items = (np.ascontiguousarray(rows[:, side]) for side in (0, 1))
    start = time.perf_counter()
    for first in range(0, len(rows), BATCH):
        batch = slice(first, first + BATCH)
        sampler.sample(users[batch], items[batch], k=K, tables=tables)
    return time.perf_counter() - start


def main(names):
    data = pairs()
    print(f"{data}: negatives per second, batch {BATCH}, k = {K}, d = {DIM}, one thread")
    print(f"{'sampler':<20}{'trainer':>14}{'Python':>14}{'ratio':>8}")
    for name in names:
        settings = dict(dim=DIM, batch=BATCH, negatives=K, epochs=2, threads=1)
        model = mcns.Recommender(sampler=name, **settings).fit(data)
        tables = tuple(
            np.ascontiguousarray(model.transform(ids, kind=kind))
            for ids, kind in ((data.users, "user"), (data.items, "item"))
        )
        sampler = mcns.samplers.make(name, data, threads=1)
        best = [float("inf")] * 2
        for _ in range(TURNS):
            model.fit(data)
            epochs = [record["sample_seconds"] for record in model.history_]
            best[0] = min(best[0], *epochs)
            best[1] = min(best[1], python_seconds(data, sampler, tables))
        trainer, python = (len(data) * K / seconds for seconds in best)
        print(f"{name:<20}{trainer:>14,.0f}{python:>14,.0f}{python / trainer:>8.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["mcns", "mcns:hardness=25", "dns", "rns", "degree"])
