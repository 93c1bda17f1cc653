"""make_stubs.py MODULE OUT: writes the type stubs that follow from the library's tables into the
folder OUT: _parameters.pyi with the arguments of estimators, _sampler_classes.pyi with samplers.
The build calls it with the folder of the extension module."""

import importlib
import pathlib
import runpy
import sys

TYPES = {"number": "float", "integer": "int", "flag": "bool", "text": "str"}
HEAD = "# Made by python/make_stubs.py from the library's tables.\n"


def type_of(info):
    if info["type"] == "choice":
        return "Literal[" + ", ".join(f'"{choice}"' for choice in info["choices"]) + "]"
    return TYPES[info["type"]]


def parameters(core):
    lines = [
        HEAD + "from typing import Any, Callable, Literal\n",
        "from .samplers import Batch, Sampler\n",
    ]
    fields = []
    for info in core.train_options():
        kind = type_of(info)
        if info["name"] == "sampler":
            kind = "str | Sampler | type[Sampler] | Callable[[Batch], Any]"
        if info["name"] == "negatives":
            kind = "int | str"
        fields.append((info["name"].replace("-", "_"), kind + " | None"))
    fields += [("seed", "int"), ("threads", "int")]
    lines += ["class Parameters:"] + [f"    {name}: {kind}" for name, kind in fields]
    lines += ["    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {kind} = ...," for name, kind in fields]
    return "\n".join(lines + ["    ) -> None: ...", ""])


def sampler_classes(core):
    names = runpy.run_path(str(pathlib.Path(__file__).with_name("mcns") / "_names.py"))
    lines = [
        HEAD + "from typing import Literal\n",
        "from ._data import Dataset",
        "from .samplers import Sampler\n",
    ]
    for entry in core.components("samplers"):
        lines += [f"class {names['class_name'](entry['name'])}(Sampler):", "    def __init__("]
        lines += [
            "        self,",
            "        dataset: Dataset,",
            "        *,",
            "        seed: int = ...,",
        ]
        lines += ['        filter: Literal["train", "none"] = ...,', "        threads: int = ...,"]
        lines += ["        spec: str | None = ...,"]
        for info in entry["parameters"]:
            lines += [f"        {info['name'].replace('-', '_')}: {type_of(info)} = ...,"]
        lines += ["    ) -> None: ..."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    module = importlib.import_module("_core")
    folder = pathlib.Path(sys.argv[2])
    (folder / "_parameters.pyi").write_text(parameters(module))
    (folder / "_sampler_classes.pyi").write_text(sampler_classes(module))
