"""Figures of matplotlib, which is needed here only: ``pip install mcns[plot]``."""

from __future__ import annotations

from typing import Any

from ._base import Estimator


def _axes(axes: Any, count: int = 1) -> Any:
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("mcns.plot needs the package matplotlib") from None
    return plt.subplots(1, count, figsize=(5.5 * count, 4), squeeze=False)[1][0]


def history(model: Estimator, metric: str | None = None, axes: Any = None) -> Any:
    """Loss by epoch, and a metric on valid where there is one. Gives the figure."""
    records = model.history_
    judged = [record for record in records if record.get("valid")]
    panes = _axes(axes, 2 if judged else 1)
    panes[0].plot([r["epoch"] for r in records], [r["loss"] for r in records])
    panes[0].set(xlabel="epoch", ylabel="loss", title="training")
    if judged:
        name = metric or next(iter(judged[0]["valid"]))
        panes[1].plot([r["epoch"] for r in judged], [r["valid"][name] for r in judged])
        panes[1].set(xlabel="epoch", ylabel=name, title="validation")
    return panes[0].figure


def explain(explanation: dict[str, Any], axes: Any = None) -> Any:
    """How hard the negatives of a node are: the result of :func:`mcns.explain`."""
    pane = _axes(axes)[0] if axes is None else axes
    shares = explanation["histogram"]
    width = 1 / len(shares)
    pane.bar([(i + 0.5) * width for i in range(len(shares))], shares, width=width * 0.9)
    pane.axhline(width, linestyle="--", color="grey", label="uniform")
    pane.set(
        xlabel="quantile of the score among allowed targets",
        ylabel="share of draws",
        title=f"negatives of {explanation['node']} by {explanation['sampler']}",
    )
    pane.legend()
    return pane.figure


def theory(found: dict[str, Any], axes: Any = None) -> Any:
    """Theorem 2, measured variance against the predicted one: the result of :func:`mcns.theory`."""
    pane = _axes(axes)[0] if axes is None else axes
    for law in found["theorem2"]["laws"]:
        pane.loglog(law["predicted"], law["measured"], "o", markersize=3, label=law["law"])
    low, high = pane.get_xlim()
    pane.plot([low, high], [low, high], color="grey", linewidth=1)
    pane.set(xlabel="predicted variance", ylabel="measured variance", title="Theorem 2")
    pane.legend()
    return pane.figure
