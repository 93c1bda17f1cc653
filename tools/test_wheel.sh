#!/bin/sh
# test_wheel.sh [PYTHON]: installs the wheel of dist/ that fits PYTHON into an empty virtual environment
# and uses it with nothing else on the path, so without a compiler: imports it, fits on the dataset that
# comes with it, runs the command line, and looks for the licences. tools/wheel.sh builds the wheel.
set -eu
cd "$(dirname "$0")/.."
python=$(command -v "${1:-python3}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
alone() { env -i PATH="$folder/venv/bin" HOME="$folder" "$@"; }

"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" --disable-pip-version-check -q install numpy
"$folder/venv/bin/pip" --disable-pip-version-check -q install --no-index --no-deps --find-links dist mcns
if alone sh -c 'command -v cc || command -v c++ || command -v gcc' 2>/dev/null; then
  echo "test_wheel.sh: there is a compiler on the path" >&2
  exit 1
fi
cat >"$folder/use.py" <<'END'
import importlib.metadata
import sys

import mcns

data = mcns.Dataset.from_name("debian")
train, _, test = data.split("random", valid=0, test=0.1)
model = mcns.Recommender(dim=16, epochs=5).fit(train)
figures = mcns.evaluate.recommend(model, train, test)
assert figures["mrr"] > 0.05, figures
files = [str(path) for path in importlib.metadata.files("mcns")]
licences = [path for path in files if "/licenses/" in path]
for part in ("LICENSE", "libcli11-dev", "nlohmann-json3-dev", "libtomlplusplus-dev", "nanobind"):
    assert any(part in path for path in licences), (part, licences)
print(f"python {sys.version.split()[0]}: mcns {mcns.__version__}, {data}")
print(f"mrr {figures['mrr']:.4f} after five epochs, {len(licences)} licences")
END
cd "$folder"
alone "$folder/venv/bin/python" use.py
alone "$folder/venv/bin/python" -m mcns --version
