"""Settings that are good on validation."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Callable
from typing import Any

from . import _core, samplers
from ._data import as_dataset
from ._estimators import Embedder, Recommender
from ._settings import text_settings


class TuneResult:
    """What a search found.

    `best_params` are all settings of the best run, for ``set_params``, `tuned` those that the search
    changed; `rows` has one dict per setting that was tried.
    """

    def __init__(self, found: dict[str, Any], given: dict[str, Any]) -> None:
        self.metric: str = found["metric"]
        self.rung_epochs: list[int] = found["rung_epochs"]
        self.dimensions: list[dict[str, str]] = found["dimensions"]
        self.rows: list[dict[str, Any]] = found["rows"]
        self.best: int = found["best"]
        self.full_runs: float = found["full_runs"]
        self.seconds: float = found["seconds"]
        self.trials: int = found["trials"]
        self.tuned: dict[str, str] = found["tuned"]
        self.toml: str = found["toml"]
        self.best_params = _params(self.toml, given)

    @property
    def best_value(self) -> float:
        return float(self.rows[self.best]["values"][-1])

    def to_pandas(self) -> Any:
        """One line per setting: what it changes, and the metric after each number of epochs."""
        import pandas as pd

        lines = []
        for row in self.rows:
            line = {"setting": row["setting"], **row["changes"]}
            for epochs, value in zip(self.rung_epochs, row["values"]):
                line[f"{self.metric} after {epochs}"] = value
            if row["error"]:
                line["error"] = row["error"]
            lines.append(line)
        return pd.DataFrame(lines).set_index("setting")

    def __repr__(self) -> str:
        return f"TuneResult({self.metric}={self.best_value:.4f}, {self.tuned})"


def _params(toml: str, given: dict[str, Any]) -> dict[str, Any]:
    """Every setting of the run that was found; a sampler that is a function stays what it is."""
    found = {name.replace("-", "_"): value for name, value in tomllib.loads(toml).items()}
    sampler = given["sampler"]
    if callable(sampler) and not isinstance(sampler, (samplers.Sampler, type)):
        found["sampler"] = sampler
    return {name: value for name, value in found.items() if name in given}


def tune(
    estimator: Recommender | Embedder,
    data: Any,
    valid: Any = None,
    *,
    trials: int = 20,
    valid_share: float | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_trial: Callable[[int, int, float | None], None] | None = None,
) -> TuneResult:
    """Searches settings by successive halving on validation: `mcns tune`.

    Settings that the estimator has stay as they are; the others are open. Without `valid`, pairs of
    `data` are held out. The task is recommend for a Recommender, link prediction for an Embedder.
    `on_trial(setting, epochs, value)` is told of every trial.
    """
    dataset = as_dataset(data)
    held_out = None if valid is None else as_dataset(valid)
    settings = estimator.get_params()
    own = samplers.functions_of(settings)
    text = text_settings(settings)
    seed, threads = int(settings["seed"]), int(settings["threads"])
    text.update({"split": "random", "test-share": "0"})
    if valid_share is not None:
        text["valid-share"] = repr(float(valid_share))
    output = {"resume": str(bool(resume)).lower()}
    if out is not None:
        output["out"] = os.fspath(out)
    found = _core.tune(
        "recommend" if isinstance(estimator, Recommender) else "linkpred",
        dataset._edges,
        None if held_out is None else held_out._edges,
        text,
        output,
        seed,
        threads,
        trials,
        on_trial,
        lambda warning: warnings.warn(warning, UserWarning, stacklevel=4),
        own,
    )
    return TuneResult(found, estimator.get_params())
