"""Matrix factorisation with BPR in numpy, negatives from a sampler of mcns.

python numpy_bpr.py [SAMPLER]
"""

import sys

import numpy as np
import numpy.typing as npt

import mcns

Table = npt.NDArray[np.float32]


def train(data: mcns.Dataset, sampler: str, epochs: int = 5, dim: int = 16) -> tuple[Table, Table]:
    """Tables of users and items after some epochs of Adagrad."""
    rng = np.random.default_rng(0)
    tables = [rng.normal(0, 0.1, (n, dim)).astype("f4") for n in (len(data.users), len(data.items))]
    squares = [np.full_like(table, 1e-6) for table in tables]

    def step(which: int, rows: npt.NDArray[np.int64], gradient: Table) -> None:
        total = np.zeros_like(tables[which])
        np.add.at(total, rows, gradient)
        squares[which] += total**2
        tables[which] -= 0.1 * total / np.sqrt(squares[which])

    batches = mcns.loader(data, 512, sampler=sampler, k=1, tables=lambda: (tables[0], tables[1]))
    for _ in range(epochs):
        for users, items, negatives in batches:
            u, i, j = tables[0][users], tables[1][items], tables[1][negatives[:, 0]]
            slope = -1 / (1 + np.exp(((i - j) * u).sum(1, keepdims=True)))
            step(0, users, slope * (i - j) + 0.01 * u)
            step(1, items, slope * u + 0.01 * i)
            step(1, negatives[:, 0], -slope * u + 0.01 * j)
    return tables[0], tables[1]


def main(sampler: str = "mcns:hardness=8") -> dict[str, float]:
    rng = np.random.default_rng(1)
    group = rng.integers(0, 4, 6000)
    users, items = group * 50 + rng.integers(0, 50, 6000), group * 60 + rng.integers(0, 60, 6000)
    data = mcns.Dataset.from_arrays(users, items)
    train_part, _, test = data.split("random", valid=0, test=0.2)
    return mcns.evaluate.recommend(train(train_part, sampler), train_part, test)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
