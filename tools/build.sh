#!/bin/sh
# Installs what is missing, configures the release preset and builds the targets named (all without).
# The build folder is that of `cmake --preset release`, so either can go on from the other.
set -eu
cd "$(dirname "$0")/.."
sh tools/install_packages.sh

# The compiler matters only when the folder is new: CMake keeps the one it started with.
if [ -z "${CXX:-}" ]; then
  if CXX=$(sh tools/find_compiler.sh); then export CXX; else unset CXX; fi
fi

# A compiler process takes up to 1 GB; small machines with many cores would run out of memory.
jobs=$(nproc 2>/dev/null || echo 2)
memory=$(awk '/^MemTotal:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null || true)
if [ -n "$memory" ] && [ "$memory" -lt "$jobs" ]; then jobs=$memory; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi

echo "build: build/release with $jobs jobs" >&2
cmake --preset release >&2
cmake --build --preset release --parallel "$jobs" ${1:+--target "$@"} >&2
