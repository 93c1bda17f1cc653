#!/bin/sh
# test_torch.sh [PYTHON]: the tests and examples that need PyTorch and PyTorch Geometric, which are too
# large for ./test, in a virtual environment of their own below build/; all examples also pass
# mypy --strict there, and the page on Python is run whole. Prints the figures of the examples.
# MCNS_DATA names the folder of public datasets.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh mcns_cli
folder=build/torch
[ -x "$folder/bin/pip" ] || "${1:-python3}" -m venv "$folder"
pip() { "$folder/bin/pip" --disable-pip-version-check -q "$@"; }
pip install numpy nanobind scikit-build-core pandas scipy networkx polars pyarrow matplotlib tqdm pytest \
  mypy torch torch-geometric
pip install --no-build-isolation --no-deps --force-reinstall . \
  -C build-dir=build/torch-module -C cmake.define.MCNS_BUILD=build/release
MCNS_SOURCE=$PWD MCNS_TORCH=1 "$folder/bin/python" -m pytest -q -rA python/tests/test_torch.py \
  python/tests/test_data.py python/tests/test_examples.py
