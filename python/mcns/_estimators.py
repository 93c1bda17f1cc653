"""Estimators in the manner of scikit-learn: Recommender and Embedder."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._base import Estimator
from ._ids import named
from ._settings import with_arguments


class Embedder(Estimator):
    """Vectors for the nodes of any graph.

    >>> import mcns, networkx as nx
    >>> model = mcns.Embedder(dim=16, epochs=5).fit(nx.karate_club_graph())
    >>> model.embedding_.shape
    (34, 16)
    >>> ids, similarities = model.neighbors([0, 33], k=3)
    >>> ids.shape
    (2, 3)
    """

    def fit_transform(self, data: Any, valid: Any = None, **fit: Any) -> npt.NDArray[np.float32]:
        """Fits, and gives the vectors of all nodes."""
        return self.fit(data, valid, **fit).embedding_


class Recommender(Estimator):
    """Items for users, learned from pairs of users and items.

    >>> import mcns
    >>> data = mcns.Dataset.from_arrays(user=list("aabbccdd"), item=list("wxwyxyzw"))
    >>> model = mcns.Recommender(dim=8, epochs=3, sampler="rns").fit(data)
    >>> ids, scores = model.recommend(["a", "d"], k=2)
    >>> ids.shape, scores.shape
    ((2, 2), (2, 2))
    """

    _needs_items = True

    def recommend(
        self, users: Any, k: int = 10, *, filter_seen: bool = True, unknown: str = "error"
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The best items of users: ids and scores [users, k], the highest score first.

        `filter_seen` leaves out items of training. Unknown users are an error, or get the items
        with the most pairs (unknown="popular"). Where a user has fewer than k, the list ends with
        None (-1 where ids are numbers) and NaN.
        """
        if unknown not in ("error", "popular"):
            raise ValueError(f"unknown is 'error' or 'popular', got {unknown!r}")
        rows = self._index_of(False).find(users, "error" if unknown == "error" else "keep")
        best, scores = self._fitted.recommend(rows, _count(k), filter_seen, self.threads)
        return named(self._items, np.asarray(best)), np.asarray(scores)

    def recommend_all(
        self, k: int = 10, *, filter_seen: bool = True
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The same for all users, in the order of users_."""
        return self.recommend(self.users_, k, filter_seen=filter_seen)

    def similar_items(
        self, items: Any, k: int = 10
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The nearest items of items by cosine: ids and similarities [n, k]."""
        return self.neighbors(items, k, kind="item")

    def fold_in(self, items: Any) -> npt.NDArray[np.float32]:
        """A vector for somebody new, from the items that they have."""
        return np.asarray(self._fitted.fold_in(self._index_of(True).find(items)))

    def recommend_for(
        self, items: Any, k: int = 10
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The best items for somebody new who has these: ids and scores [k]."""
        rows = self._index_of(True).find(items)
        vector = np.asarray(self._fitted.fold_in(rows))[None, :]
        best, scores = self._fitted.recommend_vector(vector, rows, _count(k))
        return named(self._items, np.asarray(best))[0], np.asarray(scores)[0]


def _count(k: int) -> int:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return int(k)


for _cls in (Embedder, Recommender):
    with_arguments(_cls)
