"""Estimators from model directories, and from others."""

from __future__ import annotations

import json
import os
from typing import Any, TypeVar

from . import _core
from ._base import Estimator
from ._columns import as_text
from ._estimators import Embedder, Recommender
from ._settings import NAMES

AnyEstimator = TypeVar("AnyEstimator", bound=Estimator)


def load(path: str | os.PathLike[str]) -> Embedder | Recommender:
    """A model directory as an estimator: a Recommender where it has users and items.

    Ids are whole numbers where all of a kind are.
    """
    model = _core.load_model(os.fspath(path))
    cls = Recommender if model.bipartite else Embedder
    known = {name.replace("_", "-"): name for name in NAMES}
    settings = json.loads(model.run_json)["settings"] if model.run_json else {}
    given: dict[str, Any] = {
        known[name]: setting["value"]
        for name, setting in settings.items()
        if name in known and setting["from"] == "given"
    }
    for name, setting in settings.items():  # "sampler.hardness" belongs to "sampler"
        component, _, parameter = name.partition(".")
        if parameter and component in given and setting["from"] == "given":
            mark = "," if ":" in given[component] else ":"
            given[component] += f"{mark}{parameter}={as_text(setting['value'])}"
    if "seed" in settings:
        given["seed"] = settings["seed"]["value"]
    out = cls(**given)
    numbers = tuple(_are_numbers(model.ids(side)) for side in (False, True))
    out._take(model, (numbers[0], numbers[1]))
    return out


def _are_numbers(ids: list[str]) -> bool:
    try:
        return all(str(int(value)) == value for value in ids)
    except ValueError:
        return False


def clone(estimator: AnyEstimator) -> AnyEstimator:
    """An unfitted estimator with the same settings."""
    return type(estimator)(**estimator.get_params())
