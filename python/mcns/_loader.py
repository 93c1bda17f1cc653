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
        as_torch: bool | None,
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
        self.as_torch = as_torch
        self.epoch = 0
        self._pairs = dataset.pairs()

    def __len__(self) -> int:
        return -(-len(self._pairs) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        order = np.arange(len(self._pairs))
        if self.shuffle:
            rng = np.random.Generator(np.random.Philox(key=[self.seed, self.epoch]))
            order = rng.permutation(len(self._pairs))
        self.epoch += 1
        for start in range(0, len(order), self.batch_size):
            pairs = self._pairs[order[start : start + self.batch_size]]
            tables = None if self.tables is None else self.tables()
            users, items = (self._column(pairs[:, side], tables) for side in (0, 1))
            yield (
                users,
                items,
                self.sampler.sample(users, items, self.k, tables=tables, scores=self.scores),
            )

    def _column(self, rows: npt.NDArray[np.int64], tables: Any) -> Any:
        """Rows as a tensor of torch where that is asked for, or the tables are."""
        column = np.ascontiguousarray(rows)
        wanted = self.as_torch
        if wanted is None:
            first = tables[0] if isinstance(tables, (tuple, list)) else tables
            wanted = hasattr(first, "detach")
        if not wanted:
            return column
        import torch

        return torch.from_numpy(column)


def loader(
    dataset: Dataset,
    batch_size: int,
    sampler: str | samplers.Sampler | type[samplers.Sampler] | Callable[[Any], Any] = "rns",
    k: int = 1,
    *,
    tables: Callable[[], Any] | None = None,
    scores: Callable[[Any, Any], Any] | None = None,
    shuffle: bool = True,
    seed: int = 1,
    as_torch: bool | None = None,
) -> Loader:
    """Batches (users, items, negatives) of rows, negatives being [n, k].

    `sampler` is whatever :func:`mcns.samplers.make` takes. `tables` is a function that gives the
    current tables (U, V), for samplers that look at scores. Batches are numpy, or tensors of torch
    where the tables are tensors; `as_torch` says it otherwise.

    >>> import mcns
    >>> data = mcns.Dataset.from_arrays(user=[0, 0, 1, 2], item=[0, 1, 1, 2])
    >>> [(u.shape, n.shape) for u, i, n in mcns.loader(data, 3, sampler="rns", k=2)]
    [((3,), (3, 2)), ((1,), (1, 2))]
    """
    drawn_by = samplers.make(sampler, dataset, seed=seed)
    return Loader(dataset, batch_size, drawn_by, k, tables, scores, shuffle, seed, as_torch)
