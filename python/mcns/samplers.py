"""Negative samplers on their own, for training loops of any kind.

>>> import mcns, numpy as np
>>> data = mcns.Dataset.from_arrays(user=[0, 0, 1, 2], item=[0, 1, 1, 2])
>>> U, V = np.zeros((3, 16), "f4"), np.zeros((3, 16), "f4")
>>> s = mcns.samplers.MCNS(data, hardness=8, seed=1)
>>> s.sample([0, 1, 2], k=2, tables=(U, V)).shape
(3, 2)

Rows are numbers of users and items, each from 0, in the order of `Dataset.users` and
`Dataset.items`. There is a class for every sampler that `mcns list samplers` shows; `make` takes
its text, or a function of a :class:`Batch`, which :func:`register` gives a name.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._columns import as_text
from ._data import Dataset
from ._functions import Batch as Batch
from ._functions import BatchFunction, called, is_function, name_of, on_cpu, rows_of
from ._functions import register as register
from ._names import class_name

if TYPE_CHECKING:
    from ._sampler_classes import *  # noqa: F403


def _table(values: Any, what: str) -> npt.NDArray[np.float32]:
    array = np.ascontiguousarray(on_cpu(values, what), dtype=np.float32)
    if array.ndim != 2:
        raise ValueError(f"{what} has two dimensions, got {array.ndim}")
    return array


class Sampler:
    """Negatives of one sampler over a dataset. Same seed, same calls and tables: same draws.

    `filter` is "train" (a negative is never a pair of the data) or "none". Parameters are those of
    the sampler, by the names of `mcns list samplers`.
    """

    name: ClassVar[str] = ""

    def __init__(
        self,
        dataset: Dataset,
        *,
        seed: int = 1,
        filter: str = "train",
        threads: int = 0,
        spec: str | None = None,
        **parameters: Any,
    ) -> None:
        if spec is None:
            if not self.name:
                raise TypeError("Sampler has no name; use a class of mcns.samplers, or make()")
            spec = spec_of(self.name, parameters)
        elif parameters:
            raise TypeError("give a text or parameters, not both")
        self.dataset = dataset
        self.spec = spec
        self.seed = seed
        self.filter = filter
        self.threads = threads
        #: Weights of the last negatives, for samplers that weigh them; else None.
        self.weights: npt.NDArray[np.float32] | None = None
        #: Weights of the last pairs; a pair of weight 0 got no negatives.
        self.pair_weights: npt.NDArray[np.float32] | None = None
        self._session: Any = None
        self._made = (0, 0)
        self._last: tuple[Any, Any, Any] = (None, None, None)
        _core.check_sampler(spec, called(self._own_functions()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dataset!r}, {self.spec!r}, seed={self.seed})"

    def __str__(self) -> str:
        return self.spec

    def _own_functions(self) -> dict[str, BatchFunction]:
        """Samplers in Python that it brings along."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in self.__dict__.items() if k not in ("_session", "_last")}
        return {**kept, "_state": None if self._session is None else self._session.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_state")
        self.__dict__.update(state, _session=None, _last=(None, None, None))
        if saved is not None:
            self._open(*self._made).load(saved)

    def _open(self, dim: int, k: int) -> Any:
        if self._session is None:
            self._session = _core.Session(
                self.dataset._edges,
                self.spec,
                dim,
                k,
                self.filter,
                int(self.seed),
                int(self.threads),
                called(self._own_functions()),
            )
            self._made = (dim, k)
        return self._session

    def _scores(self, tables: Any, scores: Any) -> tuple[Any, Any, Any]:
        if tables is not None and scores is not None:
            raise ValueError("give tables or scores, not both")
        if scores is not None:
            return None, None, _score_function(scores)
        if tables is None:
            return None, None, None
        if isinstance(tables, (tuple, list)):
            if len(tables) != 2:
                raise ValueError(f"tables are those of users and of items, got {len(tables)}")
            return _table(tables[0], "the first table"), _table(tables[1], "the second table"), None
        return _table(tables, "the table"), None, None

    def sample(
        self,
        users: Any,
        items: Any = None,
        k: int = 1,
        *,
        tables: Any = None,
        scores: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        """k negatives for every pair (users[i], items[i]): int64 [n, k], rows of the items' table.

        `tables` are those that the model multiplies, (U, V) with a row for every user and item; one
        table where the data are a graph. `scores` is a function of rows (users, items), two arrays
        of one length, that gives their scores: for models that are no dot product. Samplers that do
        not look at scores need neither. Without `items`, a pair of the data stands in for each.
        Numpy or torch, as `users` are.
        """
        rows = rows_of(users, "users")
        positives = None if items is None else rows_of(items, "items")
        by = self._scores(tables, scores)
        dim = by[0].shape[1] if by[0] is not None else 64
        session = self._open(dim, int(k))
        if by[0] is not None and self._made[0] != dim and session.wants_feedback:
            raise ValueError(f"this sampler was made for {self._made[0]} columns, got {dim}")
        drawn, weights, pair_weights = session.sample(rows, positives, int(k), *by)
        self._last = by
        self.weights = None if weights is None else np.asarray(weights)
        self.pair_weights = None if pair_weights is None else np.asarray(pair_weights)
        return _like(users, np.asarray(drawn))

    def log_q(
        self,
        users: Any,
        negatives: Any,
        *,
        tables: Any = None,
        scores: Callable[[Any, Any], Any] | None = None,
    ) -> Any:
        """log q(negative | user) [n, k] under the given scores, else those of the last `sample`.

        ValueError where the sampler has no such probability.
        """
        by = self._last
        if tables is not None or scores is not None:
            by = self._scores(tables, scores)
        dim = by[0].shape[1] if by[0] is not None else 64
        table = rows_of(negatives, "negatives")
        flat = table[:, None] if table.ndim == 1 else table
        session = self._open(dim, max(1, flat.shape[1]))
        out = np.asarray(session.log_q(rows_of(users, "users"), flat, *by))
        return _like(users, out[:, 0] if table.ndim == 1 else out)

    def feedback(self, scores: Any) -> None:
        """Tells a sampler that learns (irgan, kbgan) the scores of its last draw.

        [n, k + 1]: the score of each pair, then those of its negatives. Others ignore it.
        """
        if self._session is None:
            raise ValueError("feedback is for what was drawn, and nothing was")
        self._session.feedback(_table(scores, "scores"))

    def state_dict(self) -> dict[str, Any]:
        """What a resumed loop needs; :meth:`load_state_dict` of an equal sampler takes it."""
        state = None if self._session is None else self._session.save()
        return {"spec": self.spec, "seed": self.seed, "made": self._made, "state": state}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, own in (("spec", self.spec), ("seed", self.seed)):
            if state[name] != own:
                raise ValueError(
                    f"the state is of {name} {state[name]!r}, this sampler has {own!r}"
                )
        self._session = None
        if state["state"] is not None:
            self._open(*state["made"]).load(state["state"])


def _score_function(scores: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(users: Any, items: Any) -> npt.NDArray[np.float32]:
        out = scores(users, items)
        if hasattr(out, "detach"):
            out = out.detach().numpy()
        return np.ascontiguousarray(out, dtype=np.float32).reshape(-1)

    return call


def _like(users: Any, array: npt.NDArray[Any]) -> Any:
    """A tensor of torch where users are one."""
    if hasattr(users, "detach"):
        import torch

        return torch.from_numpy(array)
    return array


def spec_of(name: str, parameters: dict[str, Any]) -> str:
    """The text of a component with parameters: "mcns:hardness=8"."""
    given = [f"{key.replace('_', '-')}={as_text(value)}" for key, value in parameters.items()]
    return f"{name}:{','.join(given)}" if given else name


class Function(Sampler):
    """Negatives by a function of a :class:`Batch`, which gives rows of items [n, k].

    A call of `sample` is a batch of epoch 0. Rows that are pairs of the data are refused, and `k`
    is that of the first call.
    """

    def __init__(
        self,
        dataset: Dataset,
        function: BatchFunction,
        *,
        seed: int = 1,
        filter: str = "train",
        threads: int = 0,
    ) -> None:
        self.function = function
        super().__init__(dataset, seed=seed, filter=filter, threads=threads, spec=name_of(function))

    def _own_functions(self) -> dict[str, BatchFunction]:
        return {self.spec: self.function}


def make(
    sampler: str | Sampler | type[Sampler] | BatchFunction, dataset: Dataset, **options: Any
) -> Sampler:
    """A sampler by its text, "dns:candidates=8" or "mix:0.8*mcns+0.2*rns"; a registered name, a
    class or a function of a :class:`Batch` do as well, and a sampler is itself."""
    if isinstance(sampler, Sampler):
        return sampler
    if isinstance(sampler, str):
        cls = CLASSES.get(sampler.partition(":")[0], Sampler)
        return cls(dataset, spec=sampler, **options)
    if isinstance(sampler, type) and issubclass(sampler, Sampler):
        return sampler(dataset, **options)
    return Function(dataset, sampler, **options)


def text_of(sampler: Any) -> str:
    """The text of a sampler for the command line, which has none that are written in Python."""
    settings = {"sampler": sampler}
    functions_of(settings)
    text = str(settings["sampler"] or "")
    if is_function(text):
        raise ValueError(f"sampler {text!r} is a function of Python; this takes built-in ones")
    return text


def functions_of(settings: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """The samplers in Python that a run may use; replaces objects in `settings` by their text."""
    sampler = settings.get("sampler")
    own: dict[str, BatchFunction] = {}
    if isinstance(sampler, Sampler):
        settings["sampler"] = sampler.spec
        own = sampler._own_functions()
    elif isinstance(sampler, type) and issubclass(sampler, Sampler):
        settings["sampler"] = sampler.name
    elif callable(sampler):
        settings["sampler"] = name_of(sampler)
        own = {name_of(sampler): sampler}
    return called(own)


def _documentation(entry: dict[str, Any]) -> str:
    lines = [entry["help"][0].upper() + entry["help"][1:] + ".", "", "Parameters", "----------"]
    for parameter in entry["parameters"]:
        name = parameter["name"].replace("-", "_")
        lines.append(f"{name} : {parameter['type']}, default {parameter['default']}")
        lines += textwrap.wrap(
            parameter["help"], 90, initial_indent="    ", subsequent_indent="    "
        )
    return "\n".join(lines)


def _class_of(entry: dict[str, Any]) -> type[Sampler]:
    name = entry["name"]
    return type(
        class_name(name),
        (Sampler,),
        {"name": name, "__doc__": _documentation(entry), "__module__": __name__},
    )


#: Classes by the name of the sampler.
CLASSES: dict[str, type[Sampler]] = {
    entry["name"]: _class_of(entry) for entry in _core.components("samplers")
}
globals().update({cls.__name__: cls for cls in CLASSES.values()})
