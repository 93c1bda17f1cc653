"""Graph embeddings with good negatives.

>>> import mcns
>>> data = mcns.Dataset.from_arrays(user=[0, 0, 1, 1, 2], item=[0, 1, 1, 2, 0])
>>> model = mcns.Recommender(dim=8, epochs=2).fit(data)
>>> ids, scores = model.recommend([0, 2], k=1)
"""

import os as _os

from . import _core

_core.add_embedded_folder(_os.path.join(_os.path.dirname(__file__), "data"))

from . import evaluate, plot, samplers  # noqa: E402
from ._command import explain, selftest, theory  # noqa: E402
from ._compare import CompareResult, compare  # noqa: E402
from ._data import Dataset, check_leaks  # noqa: E402
from ._estimators import Embedder, Recommender  # noqa: E402
from ._load import clone, load  # noqa: E402
from ._loader import Loader, loader  # noqa: E402
from ._progress import Callback, NotFittedError  # noqa: E402
from ._tune import TuneResult, tune  # noqa: E402

__version__: str = _core.version()
__all__ = [
    "Callback",
    "CompareResult",
    "Dataset",
    "Embedder",
    "Loader",
    "NotFittedError",
    "Recommender",
    "TuneResult",
    "check_leaks",
    "clone",
    "compare",
    "evaluate",
    "explain",
    "load",
    "loader",
    "plot",
    "samplers",
    "selftest",
    "theory",
    "tune",
]
