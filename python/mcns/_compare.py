"""Samplers side by side."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from ._command import _json_of
from ._data import Dataset, as_dataset
from ._estimators import Embedder, Recommender
from ._settings import text_settings
from .samplers import text_of


class CompareResult:
    """What a comparison found: one dict per contestant in `rows`, the first against the rest."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.metric: str = found["metric"]
        self.seeds: int = found["seeds"]
        self.rows: list[dict[str, Any]] = found["rows"]

    def to_pandas(self) -> Any:
        """One line per contestant: mean and deviation of test metrics, seconds, the paired test."""
        import pandas as pd

        lines = []
        for row in self.rows:
            line: dict[str, Any] = {"name": row["label"]}
            for metric, value in row["test"].items():
                line[metric] = value["mean"]
                line[f"{metric} ±"] = value["deviation"]
            line["seconds"] = row.get("seconds", {}).get("train")
            against = row.get("first_minus_this", {})
            line["difference"] = against.get("difference")
            line["p"] = against.get("p_seeds_holm")
            line["verdict"] = against.get("verdict")
            lines.append(line)
        return pd.DataFrame(lines).set_index("name")

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{row['label']} {row['test'][self.metric]['mean']:.4f}" for row in self.rows
        )
        return f"CompareResult({self.metric} over {self.seeds} seeds: {figures})"


def _write(path: str | os.PathLike[str], columns: list[npt.NDArray[Any]]) -> None:
    """Columns as quoted text, which holds any id."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(
            zip(*(column.tolist() for column in columns))
        )


def _write_train(path: str | os.PathLike[str], data: Dataset) -> None:
    _write(path, [*data.to_arrays(), *([data.weights()] if data.is_weighted else [])])


def _write_held_out(path: str | os.PathLike[str], data: Dataset) -> None:
    _write(path, list(data.to_arrays() if data.is_bipartite else data.labelled()))


def _graph_flags(data: Dataset) -> list[str]:
    flags = ["--format", "edges", "--sep", "tab", "--header", "no"]
    flags += ["--bipartite", data._edges.bipartite_kind]
    if data.is_directed:
        flags.append("--directed")
    if data.is_weighted:
        ends = "user=1,item=2" if data.is_bipartite else "source=1,target=2"
        flags += ["--columns", ends + ",weight=3"]
    return flags


def compare(
    estimator: Recommender | Embedder,
    data: Any,
    samplers: Sequence[Any],
    *,
    valid: Any = None,
    test: Any = None,
    seeds: int = 3,
    budget: str = "epochs",
    seconds: float | None = None,
    trials: int | None = None,
    baselines: Sequence[str] = (),
    metrics: Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> CompareResult:
    """Trains the estimator with each sampler, the first tested against the others: `mcns compare`.

    `samplers` are texts, or samplers and classes of :mod:`mcns.samplers`; not functions of Python.
    All have the same split, made from `data` where `test` is not given, and the same `budget`: the
    estimator's epochs, `seconds` of training, or `trials` settings tuned on validation ("tuning").
    The task is recommend for a Recommender, link prediction for an Embedder. `baselines` are
    methods without negatives, "popularity" and "als". With `out`, finished runs are kept there and
    `resume` goes on with them.
    """
    if isinstance(samplers, str):
        raise ValueError(f"samplers is a list, as [{samplers!r}]")
    settings = estimator.get_params()
    seed, threads = settings["seed"], settings["threads"]
    text = text_settings({**settings, "sampler": None})
    dataset = as_dataset(data)
    task = "recommend" if isinstance(estimator, Recommender) else "linkpred"
    flags: list[Any] = ["--task", task, "--seeds", seeds, "--seed", seed, "--threads", threads]
    flags += ["--budget", budget, *_graph_flags(dataset)]
    for name, value in text.items():
        flags += [f"--{name}", value]
    for sampler in samplers:
        flags += ["--samplers", text_of(sampler)]
    for name, given in (("seconds", seconds), ("tune", trials)):
        if given is not None:
            flags += [f"--{name}", given]
    for name, several in (("baselines", baselines), ("metrics", metrics)):
        if several:
            flags += [f"--{name}", ",".join(several)]
    if resume:
        flags.append("--resume")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train.tsv")
        _write_train(path, dataset)
        flags += ["--train", path]
        for name, part in (("valid", valid), ("test", test)):
            if part is not None:
                path = os.path.join(folder, f"{name}.tsv")
                _write_held_out(path, as_dataset(part))
                flags += [f"--{name}", path]
        flags += ["--out", os.path.join(folder, "runs") if out is None else os.fspath(out)]
        return CompareResult(_json_of("compare", *flags))
