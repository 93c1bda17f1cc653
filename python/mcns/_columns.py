"""Columns of numbers, times and ratings, and single values, as the library takes them."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from ._ids import array_of, is_missing


def as_text(value: Any) -> str:
    """A setting as the command line would have it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # numpy's float64 has a repr of its own
    return str(value)


def floats(values: Any, what: str, dtype: Any = np.float32) -> npt.NDArray[Any] | None:
    """A column of numbers; None where there is none."""
    if values is None:
        return None
    array = array_of(values)
    try:
        return np.ascontiguousarray(array, dtype=dtype)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected numbers, got {array.dtype}") from None


def times(values: Any) -> npt.NDArray[Any] | None:
    """A column of times: numbers as they are, dates as seconds since 1970 (UTC without a zone)."""
    if values is None:
        return None
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:  # a column of pandas
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    array = array_of(values)
    if array.dtype.kind == "O":
        array = np.array([_seconds(value) for value in array.tolist()], dtype=np.float64)
    elif array.dtype.kind == "M":
        missing = np.isnat(array)
        array = array.astype("datetime64[us]").astype(np.int64) / 1e6
        array[missing] = np.nan
    out = floats(array, "time", np.float64)
    assert out is not None
    if np.isnan(out).any():
        raise ValueError(f"time: row {int(np.flatnonzero(np.isnan(out))[0])} has none")
    return out


def _seconds(value: Any) -> float:
    if is_missing(value):
        return float("nan")
    if isinstance(value, datetime.datetime):
        zone = value.tzinfo or datetime.UTC
        return value.replace(tzinfo=zone).timestamp()
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).total_seconds()
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"time: expected numbers or dates, got {value!r}") from None


def rated(rating: Any, min_rating: float | None) -> npt.NDArray[np.bool_] | None:
    """Which rows are rated at least `min_rating`; None where all count."""
    if min_rating is None:
        return None
    if rating is None:
        raise ValueError("min_rating needs the column of ratings")
    values = floats(rating, "rating", np.float64)
    assert values is not None
    if np.isnan(values).any():
        raise ValueError(f"rating: row {int(np.flatnonzero(np.isnan(values))[0])} has none")
    return np.asarray(values >= min_rating)


def one_direction(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of the pairs to keep so that an edge with both directions counts once."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys = low.astype(np.int64) * (int(high.max(initial=0)) + 1) + high
    forward = first <= second
    return np.asarray(forward | ~np.isin(keys, keys[forward]))
