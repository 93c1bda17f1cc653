"""Data: pairs of ids from tables, graphs and files."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._ids import RowIndex, original
from ._sources import Sources

SplitKind = Literal["random", "time", "leave-one-out", "paper", "connected", "hidden"]


class Dataset(Sources):
    """Pairs with their ids: of users and items, or the edges of a graph.

    Made by one of the ``from_...`` functions. Rows are numbers of users and items, each from 0, in
    the order of :attr:`users` and :attr:`items`; in a graph without users and items both are
    :attr:`nodes`. Ids stay as they were given: whole numbers or text.

    >>> import mcns
    >>> data = mcns.Dataset.from_arrays(user=["ann", "ann", "bob"], item=["tea", "milk", "tea"])
    >>> data
    Dataset(2 users, 2 items, 3 pairs)
    >>> data.users.tolist(), data.items.tolist()
    (['ann', 'bob'], ['tea', 'milk'])
    >>> data.pairs().tolist()
    [[0, 0], [0, 1], [1, 0]]
    """

    def __init__(self, edges: _core.EdgeData, numbers: tuple[bool, bool]) -> None:
        self._edges = edges
        self._numbers = numbers
        self._facts: dict[str, Any] | None = None
        self._index: dict[str, RowIndex] = {}
        self._cache: dict[str, npt.NDArray[Any]] = {}

    # ---- what it is

    @property
    def _known(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = self._edges.facts()
        return self._facts

    @property
    def is_bipartite(self) -> bool:
        """Whether there are users and items."""
        return bool(self._edges.bipartite)

    @property
    def is_directed(self) -> bool:
        return bool(self._edges.directed)

    @property
    def is_weighted(self) -> bool:
        return bool(self._known["weighted"])

    def __len__(self) -> int:
        """Number of distinct pairs."""
        return int(self._known["edges"])

    def __repr__(self) -> str:
        known = self._known
        if self.is_bipartite:
            return f"Dataset({known['users']} users, {known['items']} items, {len(self)} pairs)"
        kind = "directed edges" if self.is_directed else "edges"
        return f"Dataset({known['nodes']} nodes, {len(self)} {kind})"

    def _ids(self, side: int) -> npt.NDArray[Any]:
        name = ("users", "items")[side]
        if name not in self._cache:
            ids = self._edges.item_ids() if side else self._edges.ids()
            self._cache[name] = original(ids, self._numbers[side])
        return self._cache[name]

    @property
    def users(self) -> npt.NDArray[Any]:
        """Ids of the users in row order; of all nodes where there are no users and items."""
        return self._ids(0)

    @property
    def items(self) -> npt.NDArray[Any]:
        """Ids of the items in row order; of all nodes where there are no users and items."""
        return self._ids(1)

    @property
    def nodes(self) -> npt.NDArray[Any]:
        """Ids of all nodes in the row order of a model: users before items."""
        if not self.is_bipartite:
            return self.users
        if self._numbers[0] == self._numbers[1]:
            return np.concatenate([self.users, self.items])
        return np.concatenate([self.users.astype(object), self.items.astype(object)])

    def pairs(self) -> npt.NDArray[np.int64]:
        """Distinct pairs as rows [n, 2], user and item counted apart."""
        return np.asarray(self._edges.pairs())

    def weights(self) -> npt.NDArray[np.float32]:
        """Weights of :meth:`pairs`; ones where the data have none."""
        return np.asarray(self._edges.weights())

    def times(self) -> npt.NDArray[np.float64]:
        """Times of :meth:`pairs`, the latest of repeated ones; empty where the data have none."""
        return np.asarray(self._edges.times())

    def user_rows(self, ids: Any, unknown: str = "error") -> npt.NDArray[np.int64]:
        """Rows of users (or nodes) by id. Unknown ids are an error, or -1 with unknown="keep"."""
        if "users" not in self._index:
            self._index["users"] = RowIndex(self.users, "user" if self.is_bipartite else "node")
        return self._index["users"].find(ids, unknown)

    def item_rows(self, ids: Any, unknown: str = "error") -> npt.NDArray[np.int64]:
        """Rows of items (or nodes) by id. Unknown ids are an error, or -1 with unknown="keep"."""
        if "items" not in self._index:
            self._index["items"] = RowIndex(self.items, "item" if self.is_bipartite else "node")
        return self._index["items"].find(ids, unknown)

    def _labelled(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any] | None]:
        """The pairs as they were given, with their labels."""
        source, target, labels = self._edges.raw_pairs()
        ids = original(source, self._numbers[0]), original(target, self._numbers[1])
        return ids[0], ids[1], None if labels is None else np.asarray(labels)

    def to_arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The pairs as two arrays of ids."""
        rows = self.pairs()
        return self.users[rows[:, 0]], self.items[rows[:, 1]]

    # ---- parts

    def split(
        self,
        kind: SplitKind = "random",
        *,
        valid: float = 0.1,
        test: float = 0.2,
        seed: int = 1,
        parts: int = 11,
        fold: int = 1,
        time_cut: Literal["global", "user"] = "global",
        reciprocal: Literal["apart", "together"] = "apart",
    ) -> tuple["Dataset", "Dataset", "Dataset"]:
        """Train, valid and test, by the rules of the command line's --split.

        `valid` and `test` are shares of all pairs. Held-out pairs of a graph have as many non-edges
        with label 0.

        >>> import mcns
        >>> data = mcns.Dataset.from_arrays(user=[0, 0, 0, 1, 1, 1], item=[0, 1, 2, 0, 1, 2])
        >>> [len(part) for part in data.split("leave-one-out")]
        [2, 2, 2]
        """
        made = _core.split(
            self._edges, kind, float(valid), float(test), seed, parts, fold, time_cut, reciprocal
        )
        train, held_valid, held_test = (Dataset(edges, self._numbers) for edges in made)
        return train, held_valid, held_test


def as_dataset(data: Any) -> Dataset:
    """A Dataset of anything that a ``from_...`` takes without more to say."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, os.PathLike)):
        return Dataset.from_csv(data)
    module = type(data).__module__.split(".")[0]
    if module == "networkx" or hasattr(data, "is_multigraph"):
        return Dataset.from_networkx(data)
    if module == "pandas" or module == "polars":
        return Dataset.from_pandas(data)
    if hasattr(data, "tocoo"):
        return Dataset.from_scipy(data)
    if hasattr(data, "edge_index"):
        return Dataset.from_pyg(data)
    if module == "dgl":
        return Dataset.from_dgl(data)
    if hasattr(data, "shape") and len(data.shape) == 2 and data.shape[0] == 2:
        return Dataset.from_edge_index(data)
    raise TypeError(f"cannot make a Dataset of a {type(data).__name__}; see Dataset.from_...")


def check_leaks(
    train: Dataset, valid: Dataset | None = None, test: Dataset | None = None
) -> list[dict[str, Any]]:
    """What makes a split give better figures than it should: one dict per finding, leaks first.

    >>> import mcns
    >>> data = mcns.Dataset.from_arrays(user=[0, 0, 1], item=[0, 1, 1])
    >>> [(f["kind"], f["leak"], f["count"]) for f in mcns.check_leaks(data, test=data)]
    [('shared-pair', True, 3)]
    """
    return _core.check_leaks(
        train._edges,
        None if valid is None else valid._edges,
        None if test is None else test._edges,
    )
