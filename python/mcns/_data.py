"""Data: pairs of ids from tables, graphs and files."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._ids import RowIndex, joined, original
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

    def __init__(
        self, edges: _core.EdgeData, numbers: tuple[bool, bool], labelled: bool = False
    ) -> None:
        self._edges = edges
        self._numbers = numbers
        self._has_labels = labelled
        self._facts: dict[str, Any] | None = None
        self._index: dict[str, RowIndex] = {}
        self._cache: dict[str, npt.NDArray[Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self._edges, self._numbers, self._has_labels)

    def __deepcopy__(self, memo: Any) -> "Dataset":
        return Dataset(self._edges, self._numbers, self._has_labels)  # edges never change

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
        return joined(self.users, self.items) if self.is_bipartite else self.users

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

    def _given(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any] | None]:
        """The pairs as they were given, with their labels or weights."""
        source, target, values = self._edges.raw_pairs()
        ids = original(source, self._numbers[0]), original(target, self._numbers[1])
        return ids[0], ids[1], None if values is None else np.asarray(values)

    def labelled(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.uint8]]:
        """The pairs as two arrays of ids, in the order in which they were given, and their labels:
        1 for a true pair, 0 for a false one.

        ValueError where the data have no labels. Held-out parts of a graph (:meth:`split`) do.
        """
        source, target, values = self._given()
        # A file's third column is labels where it has nothing else, and not ones alone.
        known = values is not None and bool(np.isin(values, (0, 1)).all())
        if not known or not (self._has_labels or np.equal(values, 0).any()):
            raise ValueError("the data have no labels: 1 for a true pair, 0 for a false one")
        return source, target, np.asarray(values, dtype=np.uint8)

    def to_arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The pairs as two arrays of ids."""
        rows = self.pairs()
        return self.users[rows[:, 0]], self.items[rows[:, 1]]

    def _of_ids(self, source: Any, target: Any, users: Any, items: Any, **more: Any) -> "Dataset":
        """Other pairs of the same kind, with all these users and items (or nodes, in both)."""
        if not self.is_bipartite:
            more["directed"] = self.is_directed
            return Dataset.from_arrays(source=source, target=target, nodes=users, **more)
        more["bipartite"] = self._edges.bipartite_kind
        return Dataset.from_arrays(source, target, users=users, items=items, **more)

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
        non_edges: Literal["uniform", "degree", "two-hop"] = "uniform",
    ) -> tuple["Dataset", "Dataset", "Dataset"]:
        """Train, valid and test, by the rules of the command line's --split.

        `valid` and `test` are shares of all pairs. Held-out pairs of a graph have as many
        `non_edges` with label 0, see :meth:`labelled`. Every part has all users, items or nodes,
        those without a pair in it as well.

        >>> import mcns
        >>> data = mcns.Dataset.from_arrays(user=[0, 0, 0, 1, 1, 1], item=[0, 1, 2, 0, 1, 2])
        >>> [len(part) for part in data.split("leave-one-out")]
        [2, 2, 2]
        """
        for name, value, words in (
            ("time_cut", time_cut, ("global", "user")),
            ("reciprocal", reciprocal, ("apart", "together")),
            ("non_edges", non_edges, ("uniform", "degree", "two-hop")),
        ):
            if value not in words:
                raise ValueError(f"{name} is one of {', '.join(words)}, got {value!r}")
        made = _core.split(
            self._edges,
            kind,
            float(valid),
            float(test),
            seed,
            parts,
            fold,
            time_cut,
            reciprocal,
            non_edges,
        )
        labels = not self.is_bipartite
        return (
            Dataset(made[0], self._numbers),
            Dataset(made[1], self._numbers, labels),
            Dataset(made[2], self._numbers, labels),
        )


def as_dataset(data: Any) -> Dataset:
    """A Dataset of anything that a ``from_...`` takes without more to say."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, os.PathLike)):
        return Dataset.from_csv(data)
    module = type(data).__module__.split(".")[0]
    if module == "dgl":  # before networkx, whose methods its graphs have as well
        return Dataset.from_dgl(data)
    if module == "networkx" or hasattr(data, "is_multigraph"):
        return Dataset.from_networkx(data)
    if module == "pandas" or module == "polars":
        return Dataset.from_pandas(data)
    if hasattr(data, "tocoo"):
        return Dataset.from_scipy(data)
    if hasattr(data, "edge_index"):
        return Dataset.from_pyg(data)
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
