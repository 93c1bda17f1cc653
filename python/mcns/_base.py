"""What estimators share: settings, training, vectors, files."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, samplers
from ._data import Dataset, as_dataset
from ._ids import RowIndex, array_of, joined, named, original
from ._progress import Bar, NotFittedError
from ._settings import NAMES, text_settings

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
        unsaid = {"seed": 1, "threads": 0}
        given = [
            f"{name}={getattr(self, name)!r}"
            for name in self._get_param_names()
            if getattr(self, name) is not None and getattr(self, name) != unsaid.get(name)
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
        other_kernels: bool = False,
        checkpoint_every: int = 0,
        init: str | os.PathLike[str] | None = None,
        tensorboard: str | os.PathLike[str] | None = None,
        callbacks: Iterable[Any] = (),
        progress: bool = False,
    ) -> Self:
        """Learns from data: a Dataset, or anything that one of its ``from_...`` takes.

        `valid` are held-out pairs for early stopping. `out` is a model directory to write, with
        checkpoints; after Ctrl-C, `resume` goes on from there, and with `other_kernels` also where
        this CPU has other instruction sets. `init` is a model directory to start from. `callbacks`
        are functions of an epoch's record, or objects with `on_epoch_end`. `progress` shows a bar by
        tqdm. Same settings and seed give the bytes of `mcns train`.
        """
        output = {
            name: os.fspath(path)
            for name, path in (("out", out), ("init", init), ("tensorboard", tensorboard))
            if path
        }
        flags = {"force": force, "resume": resume, "other_kernels": other_kernels}
        output.update({name: str(bool(value)).lower() for name, value in flags.items()})
        output["checkpoint_every"] = str(int(checkpoint_every))
        self._train(as_dataset(data), valid, output, callbacks, progress)
        return self

    def partial_fit(self: Self, data: Any, valid: Any = None, **fit: Any) -> Self:
        """Goes on from the vectors of the last fit, with its pairs and those of `data`.

        Nodes that it did not have start anew. Of a pair that both have, the new weight counts.
        """
        new = as_dataset(data)
        if not hasattr(self, "_model"):
            return self.fit(new, valid, **fit)
        with tempfile.TemporaryDirectory() as folder:
            before = os.path.join(folder, "model")
            self.save(before)
            return self.fit(self._with_earlier(new), valid, init=before, **fit)

    def _with_earlier(self, new: Dataset) -> Dataset:
        """The pairs of the last fit that `new` does not have, and all of `new`."""
        rows, weights = self._fitted.edges()
        if new.is_bipartite != self._fitted.bipartite or new.is_directed != self._fitted.directed:
            raise ValueError("partial_fit goes on with data of the same kind as before")
        users, items = new.to_arrays()
        again = self._index[0].find(users, "keep"), self._index[1].find(items, "keep")
        width = len(self._items) + 1
        keep = ~np.isin(rows[:, 0] * width + rows[:, 1], again[0] * width + again[1])
        if not new.is_bipartite and not new.is_directed:
            keep &= ~np.isin(rows[:, 1] * width + rows[:, 0], again[0] * width + again[1])
        more: dict[str, Any] = {}
        if new.is_weighted or weights is not None:
            old = np.ones(len(rows), np.float32) if weights is None else np.asarray(weights)
            more["weight"] = np.concatenate([old[keep], new.weights()])
        return new._of_ids(
            joined(self._users[rows[keep, 0]], users),
            joined(self._items[rows[keep, 1]], items),
            joined(self._users, new.users),
            joined(self._items, new.items),
            **more,
        )

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
                int(self.seed),
                int(self.threads),
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
        return joined(self._users, self._items) if self._fitted.bipartite else self._users

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

    def transform(
        self, ids: Any = None, *, kind: Literal["user", "item"] = "user"
    ) -> npt.NDArray[np.float32]:
        """Vectors of nodes by id: rows of embedding_; all of them where no ids are given.

        On user-item data the ids are of users, or of items as `kind` says.
        """
        if kind not in ("user", "item"):
            raise ValueError(f"kind is 'user' or 'item', got {kind!r}")
        if ids is None:
            return self.embedding_
        items = self._fitted.bipartite and kind == "item"
        rows = self._index_of(items).find(ids)
        return self.embedding_[rows + len(self._users) if items else rows]

    def _score_tables(
        self, scores: str | None, usual: str
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """What is multiplied for a pair: as `scores` says, else as in training, else as `usual`."""
        saved = json.loads(self._fitted.run_json)["settings"] if self._fitted.run_json else {}
        chosen = scores or saved.get("scores", {}).get("value") or usual
        if chosen not in ("in-in", "in-out"):
            raise ValueError(f"scores is 'in-in' or 'in-out', got {chosen!r}")
        second = self.context_ if chosen == "in-out" else None
        first = self.embedding_
        return first, first if second is None else second

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
        return named(self._items if items else self._users, np.asarray(rows)), np.asarray(scores)

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


def _numbers_of(ids: list[str], is_number: bool) -> Any:
    return [int(value) for value in ids] if is_number else ids
