#!/bin/sh
# install.sh BUILD COMPILER: the library as its users get it. Installs the build into a scratch folder,
# builds README's program and the examples against that alone, and runs them.
set -eu
build=$1 compiler=$2
source=$(cd "$(dirname "$0")/.." && pwd)
scratch=$build/scratch/install-$$
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/example"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"

installed=$(cd "$scratch/prefix/include" && find mcns -type f | LC_ALL=C sort)
if [ "$installed" != "$(grep '^mcns/' "$source/mcns/public_headers.txt" | LC_ALL=C sort)" ]; then
  echo "install.sh: the installed headers are not those of mcns/public_headers.txt" >&2
  exit 1
fi

# block LANGUAGE: the first such block of README's section on the library.
block() {
  awk -v start="\`\`\`$1" '/^## /{ here = /C\+\+ library/ } here && $0 == start { on = 1; next }
    on && /^```/ { exit } on' "$source/README.md"
}
cd "$scratch/example"
block cpp >example.cpp
block cmake >CMakeLists.txt
cp -r "$source/examples" .
cat >>CMakeLists.txt <<'END'
add_executable(own_components examples/own_components.cpp examples/two_hop_sampler.cpp
                              examples/mean_encoder.cpp)
target_include_directories(own_components PRIVATE .)
target_link_libraries(own_components PRIVATE mcns::mcns)
END
cmake -S . -B build -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >configure.log
cmake --build build --parallel 2

# A ring with chords: enough edges to hold some out.
awk 'BEGIN { for (i = 0; i < 200; ++i) { print i "\t" (i + 1) % 200; print i "\t" (i * 7 + 3) % 200 } }' >edges.tsv
build/example | grep '"auc"'
build/own_components | grep '^auc '
echo "install.sh: README's program and the examples work with the installed library"
