"""What the command line measures and prints as JSON: theorems, self-tests, explanations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from typing import Any

from . import samplers
from ._base import Estimator


def _failure(code: int, text: str) -> Exception:
    lines = text.strip().splitlines()
    message = lines[-1] if lines else f"mcns ended with {code}"
    message = message.removeprefix("mcns: ").removeprefix("error: ")
    kinds: dict[int, type[Exception]] = {2: ValueError, 3: ValueError, 4: OSError}
    kind = kinds.get(code, RuntimeError)
    if kind is OSError and ("No such file" in message or "no such model" in message):
        kind = FileNotFoundError
    return kind(message)


def _warn(text: str) -> None:
    """What a command warned of, as warnings of the caller's caller's caller."""
    for line in text.splitlines():
        mark, found, warning = line.partition("mcns: warning: ")
        if found and not mark:
            warnings.warn(warning, UserWarning, stacklevel=4)


def _json_of(*arguments: Any, verdict: bool = False) -> Any:
    """What a command prints with --json, in a process of its own, so that Ctrl-C ends it."""
    call = [sys.executable, "-m", "mcns", *map(str, arguments), "--json", "--quiet"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    _warn(done.stderr)
    if done.returncode == 0 or (verdict and done.returncode == 1 and done.stdout):
        return json.loads(done.stdout)
    raise _failure(done.returncode, done.stderr)


def theory(seed: int = 1) -> dict[str, Any]:
    """Theorems 1 and 2 of the paper and its principle, measured: `mcns theory`."""
    return dict(_json_of("theory", "--seed", seed, verdict=True))


def selftest(seed: int = 1, *, broken: bool = False) -> dict[str, Any]:
    """Every sampler against its declared law: `mcns selftest samplers`.

    `broken` tests samplers that are wrong on purpose.
    """
    more = ["--broken"] if broken else []
    return dict(_json_of("selftest", "samplers", "--seed", seed, *more, verdict=True))


def explain(
    model: Estimator | str | os.PathLike[str],
    node: Any,
    *,
    sampler: Any = None,
    seed: int = 1,
) -> dict[str, Any]:
    """Which negatives a node gets from a model's sampler, and why: `mcns explain --from`.

    `model` is a fitted estimator or a model directory; `sampler` replaces its own. Neither may be
    written in Python.
    """
    if isinstance(model, Estimator):
        samplers.text_of(model.sampler)
    more = [] if sampler is None else ["--sampler", samplers.text_of(sampler)]
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(model, Estimator):
            path = os.path.join(folder, "model")
            model.save(path)
        else:
            path = os.fspath(model)
        return dict(_json_of("explain", node, "--from", path, "--seed", seed, *more))
