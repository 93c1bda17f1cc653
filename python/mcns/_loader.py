"""Batches of positives with their negatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import samplers
from ._data import Dataset


class Loader:
    """The pairs of a dataset in random order, once per iteration; see :func:`loader`."""

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        sampler: samplers.Sampler,
        k: int,
        tables: Callable[[], Any] | None,
        scores: Callable[[Any, Any], Any] | None,
        shuffle: bool,
        seed: int,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.k = k
        self.tables = tables
        self.scores = scores
        self.shuffle = shuffle
        self.seed = seed
        self.epoch = 0
        self._pairs = dataset.pairs()

    def __len__(self) -> int:
        return -(-len(self._pairs) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[npt.NDArray[np.int64], ...]]:
        order = np.arange(len(self._pairs))
        if self.shuffle:
            rng = np.random.Generator(np.random.Philox(key=[self.seed, self.epoch]))
            order = rng.permutation(len(self._pairs))
        self.epoch += 1
        for start in range(0, len(order), self.batch_size):
            pairs = self._pairs[order[start : start + self.batch_size]]
            users, items = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
            tables = None if self.tables is None else self.tables()
            yield (
                users,
                items,
                self.sampler.sample(users, items, self.k, tables=tables, scores=self.scores),
            )


def loader(
    dataset: Dataset,
    batch_size: int,
    sampler: str | samplers.Sampler = "rns",
    k: int = 1,
    *,
    tables: Callable[[], Any] | None = None,
    scores: Callable[[Any, Any], Any] | None = None,
    shuffle: bool = True,
    seed: int = 1,
) -> Loader:
    """Batches (users, items, negatives) of rows, negatives being [n, k].

    `tables` is a function that gives the current tables (U, V), for samplers that look at scores.

    >>> import mcns
    >>> data = mcns.Dataset.from_arrays(user=[0, 0, 1, 2], item=[0, 1, 1, 2])
    >>> [(u.shape, n.shape) for u, i, n in mcns.loader(data, 3, sampler="rns", k=2)]
    [((3,), (3, 2)), ((1,), (1, 2))]
    """
    if isinstance(sampler, str):
        sampler = samplers.make(sampler, dataset, seed=seed)
    return Loader(dataset, batch_size, sampler, k, tables, scores, shuffle, seed)
