"""README's example and those of python/examples that need numpy only; types of all."""

import contextlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

import mcns

SOURCE = pathlib.Path(os.environ.get("MCNS_SOURCE", pathlib.Path(__file__).parents[2]))


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numpy_bpr_learns():
    module = module_of(SOURCE / "python/examples/numpy_bpr.py")
    hard, easy = module.main("mcns:hardness=8"), module.main("rns")
    assert min(hard["mrr"], easy["mrr"]) > 0.05  # 240 items; chance is below 0.03


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", (SOURCE / name).read_text(), re.S | re.M)


def test_the_example_of_readme_runs_as_printed_and_is_the_command_line(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("README.md")
    rng = __import__("numpy").random.default_rng(0)
    pairs = sorted(
        {(f"u{u}", f"i{(u * 7 + i * i) % 60}") for u in range(80) for i in rng.integers(0, 40, 12)}
    )
    train, valid = [p for n, p in enumerate(pairs) if n % 8], pairs[::8]
    for name, part in (("train.csv", train), ("valid.csv", valid)):
        (tmp_path / name).write_text("user,item\n" + "".join(f"{u},{i}\n" for u, i in part))
    space = {}
    exec(block, space)
    settings = space["model"].get_params()
    assert (tmp_path / "model/embeddings.npy").exists() and settings["seed"] == 5
    call = [
        sys.executable,
        "-m",
        "mcns",
        "train",
        "train.csv",
        "--valid",
        "valid.csv",
        "--bipartite",
        "separate",
        "--seed",
        "5",
        "--quiet",
        "--out",
        "cli",
    ]
    for name, value in settings.items():
        if value is not None and name not in ("seed", "threads"):
            call += [f"--{name.replace('_', '-')}", str(value)]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    files = [(tmp_path / f / "embeddings.npy").read_bytes() for f in ("model", "cli")]
    assert files[0] == files[1]


def test_the_page_on_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("pandas")
    space, logged = {}, []
    stand_in = types.ModuleType("mlflow")
    stand_in.start_run = contextlib.nullcontext
    stand_in.log_metric = lambda name, value, step: logged.append((name, step))
    monkeypatch.setitem(sys.modules, "mlflow", stand_in)
    torch = importlib.util.find_spec("torch") is not None
    for block in blocks("docs/python.md"):
        if torch or "import torch" not in block:
            exec(block, space)
    assert len(logged) == 20 and logged[0] == ("loss", 1)


def test_the_cells_of_the_tutorial_run():
    notebook = json.loads((SOURCE / "python/examples/tutorial.ipynb").read_text())
    space = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    assert space["ids"].shape == (2, 5)


def test_stubs_have_the_tables():
    folder = pathlib.Path(mcns.__file__).parent
    if not (folder / "_parameters.pyi").exists():
        pytest.skip("the package is not installed")
    parameters = (folder / "_parameters.pyi").read_text()
    for name in mcns.Recommender().get_params():
        assert f"        {name}: " in parameters
    classes = (folder / "_sampler_classes.pyi").read_text()
    for cls in mcns.samplers.CLASSES.values():
        assert f"class {cls.__name__}(Sampler)" in classes


def needs(path):
    """Packages that an example imports and this test may be without."""
    found = re.findall(r"^(?:import|from) (torch\w*)", path.read_text(), re.M)
    return sorted(set(found))


def test_examples_and_package_pass_mypy(tmp_path):
    pytest.importorskip("mypy")
    files = [
        path
        for path in sorted((SOURCE / "python/examples").glob("*.py"))
        if all(importlib.util.find_spec(name) for name in needs(path))
    ]
    assert SOURCE / "python/examples/numpy_bpr.py" in files
    call = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path),
        *map(str, files),
    ]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert mcns.__version__
