#!/bin/sh
# clang-tidy (.clang-tidy) over the code; a warning is an error. Where it is not installed, says so and
# passes. Usage: tools/tidy.sh [BUILD [FOLDER...]]   (build/release; mcns cli fuzz)
# ./test takes the folders that read files of others: the whole takes about four times as long. Other
# versions know other checks: their warnings are shown and do not fail.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
shift $(($# < 1 ? $# : 1))
[ $# -gt 0 ] || set -- mcns cli fuzz
if ! command -v clang-tidy >/dev/null 2>&1; then
  echo "tidy: clang-tidy is not installed; skipped" >&2
  exit 0
fi
[ -e "$build/compile_commands.json" ] || {
  echo "tidy: $build has no compile_commands.json; build first" >&2
  exit 2
}
find "$@" -name '*.cpp' ! -name 'libfuzzer.cpp' ! -name '*_cuda*' | LC_ALL=C sort >"$build/tidy.files"
if ! xargs -P "$(nproc)" -n 4 clang-tidy -p "$build" --quiet --warnings-as-errors='*' \
  <"$build/tidy.files" >"$build/tidy.log" 2>/dev/null; then
  grep -E 'warning:|error:' "$build/tidy.log" | sort -u >&2
  echo "tidy: see $build/tidy.log" >&2
  if clang-tidy --version | grep -q 'version 14\.'; then exit 1; fi
  exit 0
fi
echo "tidy: $(wc -l <"$build/tidy.files") files, no warning" >&2
