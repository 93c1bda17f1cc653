"""Arguments of estimators, made of the library's table of options, and their docstrings."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from . import _core
from ._columns import as_text

OPTIONS: list[dict[str, Any]] = _core.train_options()
NAMES = [option["name"].replace("-", "_") for option in OPTIONS]

_TYPES = {"number": "float", "integer": "int", "flag": "bool", "text": "str"}


def _type_of(option: dict[str, Any]) -> str:
    if option["type"] == "choice":
        return "{" + ", ".join(repr(choice) for choice in option["choices"]) + "}"
    if option["name"] == "sampler":
        return "str, sampler or function"
    if option["name"] == "negatives":
        return "int or str"
    return _TYPES[option["type"]]


def signature() -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, keyword, default=None) for name in NAMES]
    parameters += [inspect.Parameter("seed", keyword, default=1)]
    parameters += [inspect.Parameter("threads", keyword, default=0)]
    return inspect.Signature(parameters)


def documentation() -> str:
    """The section "Parameters" of a docstring."""
    lines = ["Parameters", "----------"]
    for name, option in zip(NAMES, OPTIONS):
        lines.append(f"{name} : {_type_of(option)}, default None")
        lines += textwrap.wrap(option["help"], 90, initial_indent="    ", subsequent_indent="    ")
    lines += ["seed : int, default 1", "    random seed"]
    lines += ["threads : int, default 0"]
    lines += ["    number of threads (0: all); results do not depend on it"]
    return "\n".join(lines)


def text_settings(settings: dict[str, Any]) -> dict[str, str]:
    """Settings that are given, as the command line would have them."""
    out = {}
    for name, option in zip(NAMES, OPTIONS):
        value = settings.get(name)
        if value is not None:
            out[option["name"]] = as_text(value)
    return out


def with_arguments(cls: type[Any]) -> None:
    """Gives a class the arguments of the library's table, with their documentation."""
    arguments = signature()

    def __init__(self: Any, **settings: Any) -> None:
        for name in settings:
            if name not in arguments.parameters:
                raise TypeError(f"{cls.__name__}() has no setting {name!r}")
        for name, parameter in arguments.parameters.items():
            if name != "self":
                setattr(self, name, settings.get(name, parameter.default))

    __init__.__signature__ = arguments  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{cls.__name__}.__init__"
    cls.__init__ = __init__
    cls.__doc__ = f"{cls.__doc__ or ''}\n\n{documentation()}\n"
