"""Columns of ids: whole numbers or text, from whatever holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_LARGEST = 2**31 - 2  # what the library keeps as a number


def array_of(values: Any) -> npt.NDArray[Any]:
    """Any column as a numpy array: of pandas, polars, pyarrow, torch, DLPack, or a sequence.

    Shares memory with what is numbers in CPU memory already.
    """
    if hasattr(values, "detach"):  # a torch tensor
        values = values.detach().cpu().numpy()
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    elif hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray):
        values = np.from_dlpack(values)
    return np.asarray(values)


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


class Ids:
    """A column of ids. `numbers` where all are whole numbers, else `texts`."""

    def __init__(self, values: Any, what: str) -> None:
        array = array_of(values)
        if array.ndim != 1:
            raise ValueError(f"{what}: ids are one column, got {array.ndim} dimensions")
        self.numbers: npt.NDArray[np.int64] | None = None
        self.texts: list[str] = []
        if array.size == 0:
            self.numbers = np.zeros(0, np.int64)
        elif array.dtype.kind in "iu":
            if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
                raise ValueError(f"{what}: id {array.max()} is more than 2^63 - 1")
            self.numbers = np.ascontiguousarray(array, dtype=np.int64)
        elif array.dtype.kind == "U":
            self.texts = array.tolist()
        elif array.dtype.kind == "O" or array.dtype.kind == "T":
            self._take_objects(array.tolist(), what)
        elif array.dtype.kind == "f" and np.isnan(array).any():
            row = int(np.flatnonzero(np.isnan(array))[0])
            raise ValueError(f"{what}: the id of row {row} is missing")
        else:
            raise ValueError(
                f"{what}: ids are whole numbers or text, got {array.dtype}; convert it first"
            )

    def _take_objects(self, values: list[Any], what: str) -> None:
        for row, value in enumerate(values):
            if is_missing(value):
                raise ValueError(f"{what}: the id of row {row} is missing")
            if isinstance(value, bool) or not isinstance(value, (int, np.integer, str)):
                raise ValueError(f"{what}: ids are whole numbers or text, row {row} has {value!r}")
        if all(not isinstance(value, str) for value in values):
            self.numbers = np.array(values, dtype=np.int64)
        else:
            self.texts = [str(value) for value in values]

    def __len__(self) -> int:
        return len(self.texts) if self.numbers is None else len(self.numbers)

    @property
    def is_number(self) -> bool:
        return self.numbers is not None

    @property
    def is_small(self) -> bool:
        """Whether the library can keep these as numbers."""
        if self.numbers is None:
            return False
        return len(self.numbers) == 0 or bool(
            self.numbers.min() >= 0 and self.numbers.max() <= _LARGEST
        )

    def as_text(self) -> list[str]:
        if self.numbers is None:
            return self.texts
        return [str(value) for value in self.numbers.tolist()]


def original(ids: Any, is_number: bool) -> npt.NDArray[Any]:
    """Ids from the library as the user wrote them: int64, or text as objects."""
    if is_number:
        return np.asarray(ids, dtype=np.int64) if len(ids) else np.zeros(0, np.int64)
    out = np.empty(len(ids), dtype=object)
    out[:] = [str(value) for value in (ids.tolist() if hasattr(ids, "tolist") else ids)]
    return out


def named(ids: npt.NDArray[Any], rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Ids of rows; None, or -1 for numbers, where a row is -1."""
    nobody = None if ids.dtype == object else -1
    return np.concatenate([ids, np.array([nobody], dtype=ids.dtype)])[rows]


def joined(users: npt.NDArray[Any], items: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Ids of users, then of items."""
    if users.dtype == items.dtype:
        return np.concatenate([users, items])
    return np.concatenate([users.astype(object), items.astype(object)])


class RowIndex:
    """Rows by id."""

    def __init__(self, ids: npt.NDArray[Any], kind: str) -> None:
        self._rows = {value: row for row, value in enumerate(ids.tolist())}
        self._is_number = ids.dtype != object
        self._kind = kind

    def find(self, ids: Any, unknown: str = "error") -> npt.NDArray[np.int64]:
        """Rows of the ids; -1 for unknown ones, unless they are an error."""
        if isinstance(ids, (str, int, np.integer)):
            ids = [ids]
        column = Ids(ids, self._kind)
        values: list[Any]
        if self._is_number:
            values = column.texts if column.numbers is None else column.numbers.tolist()
        else:
            values = column.as_text()
        rows = np.fromiter((self._rows.get(v, -1) for v in values), np.int64, len(values))
        if unknown == "error" and (rows < 0).any():
            first = values[int(np.flatnonzero(rows < 0)[0])]
            count = int((rows < 0).sum())
            raise ValueError(
                f"unknown {self._kind} {first!r} ({count} of {len(values)} ids unknown)"
            )
        return rows
