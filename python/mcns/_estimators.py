"""Estimators in the manner of scikit-learn: Recommender and Embedder."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, samplers
from ._data import Dataset, as_dataset
from ._ids import RowIndex, array_of, original
from ._progress import Bar, NotFittedError
from ._settings import NAMES, documentation, signature, text_settings

if TYPE_CHECKING:
    from ._parameters import Parameters
else:
    Parameters = object

log = logging.getLogger("mcns")
Self = TypeVar("Self", bound="Estimator")


class Estimator(Parameters):
    """What estimators share. Settings are attributes, as they were given."""

    _model: _core.Model

    # ---- parameters

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*NAMES, "seed", "threads"])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All settings by name; None stands for the default."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: Self, **settings: Any) -> Self:
        """Changes settings; the next fit uses them."""
        known = self._get_param_names()
        for name, value in settings.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no setting {name!r}; it has {known}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = [
            f"{name}={getattr(self, name)!r}"
            for name in self._get_param_names()
            if getattr(self, name) != {"seed": 1, "threads": 0}.get(name)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    # ---- training

    def fit(
        self: Self,
        data: Any,
        valid: Any = None,
        *,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        resume: bool = False,
        checkpoint_every: int = 0,
        init: str | os.PathLike[str] | None = None,
        tensorboard: str | os.PathLike[str] | None = None,
        callbacks: Iterable[Any] = (),
        progress: bool = False,
    ) -> Self:
        """Learns from data: a Dataset, or anything that one of its ``from_...`` takes.

        `valid` are held-out pairs for early stopping. `out` is a model directory to write, with
        checkpoints; after Ctrl-C, `resume` goes on from there. `init` is a model directory to start
        from. `callbacks` are functions of an epoch's record, or objects with `on_epoch_end`.
        `progress` shows a bar by tqdm. Same settings and seed give the bytes of `mcns train`.
        """
        output = {
            name: os.fspath(path)
            for name, path in (("out", out), ("init", init), ("tensorboard", tensorboard))
            if path
        }
        output.update(force=str(bool(force)).lower(), resume=str(bool(resume)).lower())
        output["checkpoint_every"] = str(int(checkpoint_every))
        self._train(as_dataset(data), valid, output, callbacks, progress)
        return self

    def partial_fit(self: Self, data: Any, valid: Any = None, **fit: Any) -> Self:
        """Goes on from the vectors of the last fit; nodes that it did not have start anew."""
        if not hasattr(self, "_model"):
            return self.fit(data, valid, **fit)
        with tempfile.TemporaryDirectory() as folder:
            before = os.path.join(folder, "model")
            self.save(before)
            return self.fit(data, valid, init=before, **fit)

    def _train(
        self,
        data: Dataset,
        valid: Any,
        output: dict[str, str],
        callbacks: Iterable[Any],
        progress: bool,
    ) -> None:
        if self._needs_items and not data.is_bipartite:
            raise ValueError("Recommender needs users and items; Embedder takes any graph")
        held_out = None if valid is None else as_dataset(valid)
        settings = self.get_params()
        own = samplers.functions_of(settings)
        told = [getattr(c, "on_epoch_end", c) for c in callbacks]

        def on_epoch(record: dict[str, Any]) -> None:
            log.info("epoch %d: loss %.4f %s", record["epoch"], record["loss"], record["valid"])
            for tell in told:
                tell(record)

        bar = Bar() if progress else None
        try:
            model = _core.train(
                data._edges,
                None if held_out is None else held_out._edges,
                text_settings(settings),
                output,
                self.seed,
                self.threads,
                on_epoch if told or log.isEnabledFor(logging.INFO) else None,
                None if bar is None else bar.update,
                log.info,
                lambda text: warnings.warn(text, UserWarning, stacklevel=4),
                own,
            )
        finally:
            if bar is not None:
                bar.close()
        numbers = [data._numbers]
        if held_out is not None:
            numbers.append(held_out._numbers)
        self._take(model, (all(n[0] for n in numbers), all(n[1] for n in numbers)))

    _needs_items = False

    def _take(self, model: _core.Model, numbers: tuple[bool, bool]) -> None:
        self._model = model
        self._id_numbers = numbers
        self._users = original(_numbers_of(model.ids(False), numbers[0]), numbers[0])
        self._items = (
            original(_numbers_of(model.ids(True), numbers[1]), numbers[1])
            if model.bipartite
            else self._users
        )
        self._index = (
            RowIndex(self._users, "user" if model.bipartite else "node"),
            RowIndex(self._items, "item" if model.bipartite else "node"),
        )

    @property
    def _fitted(self) -> _core.Model:
        if "_model" not in self.__dict__:
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self._model

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    # ---- what was learned

    @property
    def embedding_(self) -> npt.NDArray[np.float32]:
        """Vectors of all nodes [n, dim], in the order of nodes_: users before items. Read-only."""
        return np.asarray(self._fitted.embedding)

    @property
    def context_(self) -> npt.NDArray[np.float32] | None:
        """The second table, where the model has one."""
        context = self._fitted.context
        return None if context is None else np.asarray(context)

    @property
    def nodes_(self) -> npt.NDArray[Any]:
        """Ids of the rows of embedding_."""
        if not self._fitted.bipartite:
            return self._users
        if self._id_numbers[0] == self._id_numbers[1]:
            return np.concatenate([self._users, self._items])
        return np.concatenate([self._users.astype(object), self._items.astype(object)])

    @property
    def users_(self) -> npt.NDArray[Any]:
        """Ids of the users, whose vectors are the first rows of embedding_."""
        assert self._fitted
        return self._users

    @property
    def items_(self) -> npt.NDArray[Any]:
        """Ids of the items, whose vectors are the last rows of embedding_."""
        assert self._fitted
        return self._items

    @property
    def history_(self) -> list[dict[str, Any]]:
        """One record per epoch: loss, seconds, figures on valid."""
        return [json.loads(line) for line in self._fitted.history_jsonl.splitlines()]

    @property
    def metrics_(self) -> dict[str, Any]:
        """What metrics.json of a model directory has."""
        return dict(json.loads(self._fitted.metrics_json))

    @property
    def settings_(self) -> dict[str, Any]:
        """Every setting as it was resolved: {"value", "from"} by name."""
        return dict(json.loads(self._fitted.run_json)["settings"])

    def transform(self, ids: Any = None) -> npt.NDArray[np.float32]:
        """Vectors of nodes by id; of all where none are given. On user-item data, of users."""
        if ids is None:
            return self.embedding_
        return self.embedding_[self._index_of(False).find(ids)]

    def _index_of(self, items: bool) -> RowIndex:
        assert self._fitted
        return self._index[1 if items else 0]

    def encode(
        self, graph: Any, features: str | os.PathLike[str] | None = None
    ) -> npt.NDArray[np.float32]:
        """Vectors for another graph, nodes that training never saw included; of networks only.

        Rows are the `nodes` of the Dataset that `graph` makes.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.save(path)
            file = "" if features is None else os.fspath(features)
            vectors, _ = _core.encode(path, as_dataset(graph)._edges, file, self.threads)
        return np.asarray(vectors)

    def neighbors(
        self, ids: Any, k: int = 10, *, kind: str | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float32]]:
        """The nearest nodes by cosine: ids and similarities [n, k].

        On user-item data, among users or items as `kind` says ("item" by default).
        """
        items = self._fitted.bipartite and kind != "user"
        rows, scores = self._fitted.neighbors(
            self._index_of(items).find(ids), k, items, self.threads
        )
        return _named(self._items if items else self._users, np.asarray(rows)), np.asarray(scores)

    def score(self, pairs: Any, targets: Any = None) -> npt.NDArray[np.float32]:
        """Scores of pairs: two columns of ids, an array [n, 2], or a Dataset."""
        if isinstance(pairs, Dataset):
            pairs, targets = pairs.to_arrays()
        elif targets is None:
            table = array_of(pairs)
            if table.ndim != 2 or table.shape[1] != 2:
                raise ValueError(f"pairs have two columns, got the shape {list(table.shape)}")
            pairs, targets = table[:, 0], table[:, 1]
        sources = self._index_of(False).find(pairs)
        scores = self._fitted.score(sources, self._index_of(True).find(targets), self.threads)
        return np.asarray(scores)

    # ---- files

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes a model directory, which the command line reads as well; see :func:`mcns.load`."""
        self._fitted.save(os.fspath(path), force)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k in self._get_param_names()}
        if "_model" in self.__dict__:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model")
                self.save(path)
                files = [
                    name for name in os.listdir(path) if os.path.isfile(os.path.join(path, name))
                ]
                state["_files"] = {
                    name: open(os.path.join(path, name), "rb").read() for name in files
                }
            state["_id_numbers"] = self._id_numbers
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        files = state.pop("_files", None)
        numbers = state.pop("_id_numbers", (True, True))
        self.__dict__.update(state)
        if files is None:
            return
        with tempfile.TemporaryDirectory() as path:
            for name, content in files.items():
                with open(os.path.join(path, name), "wb") as file:
                    file.write(content)
            self._take(_core.load_model(path), numbers)


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
        return _named(self._items, np.asarray(best)), np.asarray(scores)

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
        return _named(self._items, np.asarray(best))[0], np.asarray(scores)[0]


def _count(k: int) -> int:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return int(k)


def _named(ids: npt.NDArray[Any], rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Ids of rows; None, or -1 for numbers, where a row is -1."""
    nobody = None if ids.dtype == object else -1
    return np.concatenate([ids, np.array([nobody], dtype=ids.dtype)])[rows]


def _numbers_of(ids: list[str], is_number: bool) -> Any:
    return [int(value) for value in ids] if is_number else ids


def _finish(cls: type[Estimator]) -> None:
    """Gives a class the arguments of the library's table, with their documentation."""
    arguments = signature()

    def __init__(self: Estimator, **settings: Any) -> None:
        for name in settings:
            if name not in arguments.parameters:
                raise TypeError(f"{cls.__name__}() has no setting {name!r}")
        for name, parameter in arguments.parameters.items():
            if name != "self":
                setattr(self, name, settings.get(name, parameter.default))

    __init__.__signature__ = arguments  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = __init__  # type: ignore[assignment, method-assign]
    cls.__doc__ = f"{cls.__doc__ or ''}\n\n{documentation()}\n"


for _cls in (Embedder, Recommender):
    _finish(_cls)
