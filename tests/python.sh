#!/bin/sh
# python.sh BUILD: the Python package as its users get it. Makes a virtual environment in the build
# folder, installs the package there with pip, against the library that BUILD has, and runs its tests,
# the examples of its docstrings and README's. Exit code 77: skipped, with the reason.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
python=${MCNS_PYTHON:-python3}
folder=$build/python
skip() {
  echo "python.sh: skipped: $1" >&2
  exit 77
}

command -v "$python" >/dev/null 2>&1 || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$python is older than 3.11"
"$python" -c 'import ensurepip, venv' 2>/dev/null || skip "$python has no venv with pip (python3-venv)"

mkdir -p "$folder"
[ -x "$folder/venv/bin/pip" ] || "$python" -m venv "$folder/venv"
pip() { "$folder/venv/bin/pip" --disable-pip-version-check -q "$@"; }
pip install numpy nanobind scikit-build-core pandas polars pyarrow scipy networkx scikit-learn \
  matplotlib tqdm pytest mypy
pip install --no-build-isolation --no-deps --force-reinstall "$source" \
  -C "build-dir=$folder/module" -C "cmake.define.MCNS_BUILD=$build"

scratch=$build/scratch/python-$$
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch"
cd "$scratch"
MCNS_SOURCE=$source "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider \
  -c "$source/pyproject.toml" --rootdir "$source/python" --doctest-modules \
  "$source/python/tests" --pyargs mcns
