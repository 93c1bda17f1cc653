"""The evaluators of the three tasks, for the vectors of any tool.

`model` is a fitted estimator, or vectors whose rows are those of `train`: (U, V) of users and
items, or one table of nodes. Figures are fractions, as in metrics.json.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._base import Estimator
from ._data import Dataset, as_dataset
from ._ids import array_of


def _known(model: Any, train: Dataset) -> Dataset:
    """The training pairs with all nodes of a model, which may have some of valid alone."""
    if not isinstance(model, Estimator):
        return train
    users, items = model.users_, model.items_
    if len(users) == len(train.users) and len(items) == len(train.items):
        return train
    return train._of_ids(*train.to_arrays(), users, items)


def _tables(
    model: Any, train: Dataset, scores: str | None, usual: str
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None]:
    """Vectors in the row order of `train`; the second None where it is the first."""
    if isinstance(model, Estimator):
        first, second = model._score_tables(scores, usual)
        users = model._index_of(False).find(train.users)
        items = model._index_of(True).find(train.items)
        if train.is_bipartite:
            items = items + len(model.users_)
        elif second is first:
            return np.ascontiguousarray(first[users]), None
        return np.ascontiguousarray(first[users]), np.ascontiguousarray(second[items])
    if scores is not None:
        raise ValueError("scores is for estimators; give the tables that are multiplied")
    if isinstance(model, (tuple, list)):
        return _vectors(model[0]), _vectors(model[1])
    table = _vectors(model)
    if train.is_bipartite:
        return table[: len(train.users)], table[len(train.users) :]
    return table, None


def _vectors(values: Any) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(array_of(values), dtype=np.float32)


def _rows(train: Dataset, users: Any, items: Any) -> npt.NDArray[np.int64]:
    return np.stack([train.user_rows(users), train.item_rows(items)], axis=1)


def _in_train(rows: npt.NDArray[np.int64], train: Dataset) -> npt.NDArray[np.bool_]:
    """Which pairs are training pairs, in either direction where there is none."""
    width = max(1, len(train.items))
    known = train.pairs()
    keys = known[:, 0] * width + known[:, 1]
    found = np.isin(rows[:, 0] * width + rows[:, 1], keys)
    if not train.is_bipartite and not train.is_directed:
        found |= np.isin(rows[:, 1] * width + rows[:, 0], keys)
    return np.asarray(found)


def _check_leaks(rows: npt.NDArray[np.int64], train: Dataset, allowed: bool) -> None:
    """Refuses true test pairs that are in train, as the command line does."""
    leaked = rows[_in_train(rows, train)]
    if allowed or not len(leaked):
        return
    examples = ", ".join(f"({train.users[u]}, {train.items[v]})" for u, v in leaked[:3])
    raise ValueError(
        f"{len(leaked)} of {len(rows)} test pairs are in train as well, as {examples}; "
        "allow_leaks=True goes on"
    )


def recommend(
    model: Any,
    train: Dataset,
    test: Dataset,
    valid: Dataset | None = None,
    *,
    candidates: int = 0,
    metrics: str = "",
    scores: Literal["in-in", "in-out"] | None = None,
    allow_leaks: bool = False,
    seed: int = 1,
    threads: int = 0,
) -> dict[str, float]:
    """Ranks each test item among the items that its user has in none of the sets.

    Gives mrr, hits@5, hits@10, hits@30, ndcg@10, recall@20, tie_rate and what `metrics` names
    ("ndcg@20,auc"). `candidates` rivals are drawn per pair; 0 takes all. `scores` says which tables
    of an estimator are multiplied, those of its training otherwise. Test pairs that are in train
    are an error unless `allow_leaks`.
    """
    train = _known(model, train)
    users, items = _tables(model, train, scores, "in-out")
    if items is None:
        raise ValueError("recommend needs data with users and items")
    pairs = _rows(train, *as_dataset(test).to_arrays())
    _check_leaks(pairs, train, allow_leaks)
    known = None
    if valid is not None:
        known = _rows(train, *as_dataset(valid).to_arrays())
        again = int(_in_train(known, train).sum())
        if again:
            warnings.warn(f"{again} valid pairs are in train as well", UserWarning, stacklevel=2)
    return _core.evaluate_recommend(
        train._edges,
        pairs,
        known,
        users,
        items,
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
    scores: Literal["in-in", "in-out"] | None = None,
    allow_leaks: bool = False,
    threads: int = 0,
) -> dict[str, float]:
    """AUC and average precision of true pairs against false ones.

    `pairs` is a Dataset with labels, as :meth:`mcns.Dataset.split` makes it, or an array [n, 2] of
    ids with `labels` 0 and 1. `scores` and `allow_leaks` as for :func:`recommend`.
    """
    train = _known(model, train)
    if isinstance(pairs, Dataset):
        *ids, labels = pairs.labelled()
        rows = _rows(train, *ids)
    elif labels is None:
        raise ValueError("link_prediction needs labels: 1 for a true pair, 0 for a false one")
    else:
        table = array_of(pairs)
        rows = _rows(train, table[:, 0], table[:, 1])
    truth = np.ascontiguousarray(array_of(labels), dtype=np.uint8)
    if len(truth) != len(rows):
        raise ValueError(f"{len(rows)} pairs but {len(truth)} labels")
    _check_leaks(rows[truth == 1], train, allow_leaks)
    first, second = _tables(model, train, scores, "in-in")
    return _core.evaluate_links(
        train._edges, np.ascontiguousarray(rows), truth, first, second, threads
    )


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
        vectors = _vectors(model)
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
