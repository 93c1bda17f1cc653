"""The evaluators of the three tasks, for the vectors of any tool.

`model` is a fitted estimator, or vectors whose rows are those of `train`: (U, V) of users and
items, or one table of nodes. Figures are fractions, as in metrics.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._data import Dataset, as_dataset
from ._estimators import Estimator


def _tables(model: Any, train: Dataset) -> tuple[Any, Any]:
    """Vectors in the row order of `train`."""
    if isinstance(model, Estimator):
        fitted = model._fitted
        first = np.asarray(fitted.embedding)
        # A pair is scored as in training: the context table is the second, where there is one.
        second = first if fitted.context is None else np.asarray(fitted.context)
        users = model._index_of(False).find(train.users)
        items = model._index_of(True).find(train.items)
        if fitted.bipartite:
            return first[users], second[items + len(model.users_)]
        return first[users], second[items]
    if isinstance(model, (tuple, list)):
        first, second = (np.ascontiguousarray(_plain(m), dtype=np.float32) for m in model)
        return first, second
    table = np.ascontiguousarray(_plain(model), dtype=np.float32)
    if train.is_bipartite:
        return table[: len(train.users)], table[len(train.users) :]
    return table, None


def _plain(values: Any) -> Any:
    return values.detach().cpu().numpy() if hasattr(values, "detach") else values


def _held_out(part: Any, train: Dataset) -> npt.NDArray[np.int64]:
    users, items = as_dataset(part).to_arrays()
    return np.stack([train.user_rows(users), train.item_rows(items)], axis=1)


def recommend(
    model: Any,
    train: Dataset,
    test: Dataset,
    valid: Dataset | None = None,
    *,
    candidates: int = 0,
    metrics: str = "",
    seed: int = 1,
    threads: int = 0,
) -> dict[str, float]:
    """Ranks each test item among the items that its user has in none of the sets.

    Gives mrr, hits@5, hits@10, hits@30, ndcg@10, recall@20, tie_rate and what `metrics` names
    ("ndcg@20,auc"). `candidates` rivals are drawn per pair; 0 takes all.
    """
    users, items = _tables(model, train)
    return _core.evaluate_recommend(
        train._edges,
        _held_out(test, train),
        None if valid is None else _held_out(valid, train),
        np.ascontiguousarray(users),
        np.ascontiguousarray(items),
        candidates,
        metrics,
        seed,
        threads,
    )


def link_prediction(
    model: Any,
    train: Dataset,
    pairs: Any,
    labels: Any = None,
    *,
    threads: int = 0,
) -> dict[str, float]:
    """AUC and average precision of true pairs against false ones.

    `pairs` is a Dataset with labels, as :meth:`mcns.Dataset.split` makes it, or an array [n, 2] of
    ids with `labels` 0 and 1.
    """
    if isinstance(pairs, Dataset):
        rows, labels = _labelled(pairs, train)
    else:
        table = np.asarray(pairs)
        rows = np.stack([train.user_rows(table[:, 0]), train.item_rows(table[:, 1])], axis=1)
    if labels is None:
        raise ValueError("link_prediction needs labels: 1 for a true pair, 0 for a false one")
    first, second = _tables(model, train)
    if not train.is_directed and not train.is_bipartite and isinstance(model, Estimator):
        second = None  # node vectors on both sides, as the command line does
    return _core.evaluate_links(
        train._edges,
        np.ascontiguousarray(rows),
        np.ascontiguousarray(labels, dtype=np.uint8),
        np.ascontiguousarray(first),
        None if second is None else np.ascontiguousarray(second),
        threads,
    )


def _labelled(part: Dataset, train: Dataset) -> tuple[npt.NDArray[np.int64], Any]:
    users, items, labels = part._labelled()
    return np.stack([train.user_rows(users), train.item_rows(items)], axis=1), labels


def classify(
    model: Any,
    labels: Mapping[Any, Any] | Sequence[Any],
    *,
    nodes: Any = None,
    ratios: Sequence[int] = (10, 50, 90),
    repeats: int = 10,
    normalize: bool = False,
    seed: int = 1,
    threads: int = 0,
) -> dict[str, dict[str, float]]:
    """Micro- and Macro-F1 of logistic regression on the vectors, by percentage of known labels.

    `labels` maps a node to its label, or to several; or it is a sequence with one per row.
    `nodes` are the ids of the rows where `model` is an array; row numbers otherwise.
    """
    if isinstance(model, Estimator):
        vectors, ids = model.embedding_, model.nodes_.tolist()
    else:
        vectors = np.ascontiguousarray(_plain(model), dtype=np.float32)
        ids = list(range(len(vectors))) if nodes is None else np.asarray(nodes).tolist()
    if not isinstance(labels, Mapping):
        if len(labels) != len(ids):
            raise ValueError(f"{len(labels)} labels for {len(ids)} nodes")
        labels = dict(zip(ids, labels))
    rows = {node: row for row, node in enumerate(ids)}
    pairs: list[tuple[int, str]] = []
    for node, given in labels.items():
        if node not in rows:
            raise ValueError(f"a label for node {node!r}, which has no vector")
        several = given if isinstance(given, (list, tuple, set, frozenset)) else [given]
        pairs += [(rows[node], str(label)) for label in several]
    plain = all(label.isdigit() for _, label in pairs)
    names = sorted({label for _, label in pairs}, key=(lambda v: int(v)) if plain else None)
    number = {name: i for i, name in enumerate(names)}
    return _core.evaluate_classify(
        np.ascontiguousarray(vectors),
        np.array([row for row, _ in pairs], dtype=np.int64),
        np.array([number[label] for _, label in pairs], dtype=np.int64),
        names,
        list(ratios),
        repeats,
        normalize,
        seed,
        threads,
    )
