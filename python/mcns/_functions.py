"""Samplers that are functions of Python, and samplers of any kind as text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._ids import array_of

BUILT_IN = frozenset(entry["name"] for entry in _core.components("samplers"))


@dataclasses.dataclass(frozen=True)
class Batch:
    """What a sampler written in Python draws for. `users` and `items` are rows."""

    users: npt.NDArray[np.int64]
    items: npt.NDArray[np.int64]
    k: int
    seed: int
    epoch: int
    index: int

    def rng(self) -> np.random.Generator:
        """Random numbers that depend on seed, epoch and batch alone."""
        return np.random.Generator(np.random.Philox(key=[self.seed, self.epoch << 32 | self.index]))


BatchFunction = Callable[[Batch], Any]
_registered: dict[str, BatchFunction] = {}


def register(name: str, function: BatchFunction) -> None:
    """A function of a :class:`Batch` that gives rows of items [n, k], as a sampler.

    It can then be named: ``Recommender(sampler=name)``, in :func:`make`, :func:`mcns.loader` and
    :func:`mcns.tune`.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"a name has small letters, digits and dashes, got {name!r}")
    if name in BUILT_IN:
        raise ValueError(f"there is a sampler called {name!r} already")
    if not callable(function):
        raise TypeError(f"expected a function, got {type(function).__name__}")
    _registered[name] = function


def is_function(text: str) -> bool:
    """Whether the text of a sampler names one that is written in Python."""
    names = re.findall(r"[a-z][a-z0-9-]*", text)
    return any(name in _registered or name.startswith("python-") for name in names)


def name_of(function: BatchFunction) -> str:
    """A name for a function that has none as a sampler."""
    own = re.sub(r"[^a-z0-9]+", "-", getattr(function, "__name__", "").lower()).strip("-")
    return f"python-{own}".rstrip("-")


def rows_of(values: Any, what: str) -> npt.NDArray[np.int64]:
    """Row numbers of numpy, torch, DLPack or a sequence, without a copy where they are int64."""
    array = on_cpu(values, what)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{what} are row numbers, got {array.dtype}; Dataset.user_rows finds them")
    return np.ascontiguousarray(array, dtype=np.int64)


def on_cpu(values: Any, what: str) -> npt.NDArray[Any]:
    """An array that shares memory with `values`; those of other devices are refused."""
    elsewhere = getattr(values, "is_cuda", False)
    if not elsewhere and hasattr(values, "__dlpack_device__"):
        elsewhere = int(values.__dlpack_device__()[0]) not in (1, 3)  # CPU memory, and pinned
    if elsewhere:
        raise ValueError(f"{what} is on a GPU; samplers work in CPU memory: give {what}.cpu()")
    return array_of(values)


def called(more: dict[str, BatchFunction] | None = None) -> dict[str, Callable[..., Any]]:
    """The registered functions and `more`, as the library calls them."""

    def wrapped(function: BatchFunction) -> Callable[..., Any]:
        def call(users: Any, items: Any, k: int, seed: int, epoch: int, index: int) -> Any:
            return rows_of(function(Batch(users, items, k, seed, epoch, index)), "negatives")

        return call

    return {name: wrapped(function) for name, function in {**_registered, **(more or {})}.items()}
