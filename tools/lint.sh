#!/bin/sh
# What the compiler and clang-format do not see. Banned words, includes that tools/layers.txt does not
# allow, and public headers that include private ones fail; sizes are warned of.
set -eu
cd "$(dirname "$0")/.."
failed=0

# ban PATTERN WHY PATH...: an extended regular expression that must not occur in the files
ban() {
  pattern=$1 why=$2
  shift 2
  if grep -rnE --include='*.h' --include='*.cpp' --include='CMake*' -e "$pattern" "$@" >&2; then
    echo "lint: error: $why" >&2
    failed=1
  fi
}

word='(^|[^_[:alnum:]])'
code="mcns cli python/src tests bench examples fuzz"
build="CMakeLists.txt CMakePresets.json cmake"
# The lists are words.
# shellcheck disable=SC2086
{
  ban "${word}s?rand *\(" "no rand(): random numbers come from core/rng.h" $code
  ban "std::random_device" "no random_device: every run has a seed" $code
  ban "std::[a-z_]+_distribution *[<{(]" "no std distributions: they differ between libraries" $code
  ban "-ffast-math|-Ofast" "no fast-math: it breaks isnan" $code $build
  ban "# *pragma +omp" "no OpenMP: threads come from core/parallel.h" $code
}
ban "std::(cout|cerr|clog)|${word}(printf|puts|exit|abort) *\(" \
  "the library neither prints nor exits" mcns

# Folder and included folder of every include in the library; "?" stands for what is not in mcns/.
includes() {
  grep -rnE --include='*.h' --include='*.cpp' '^ *# *include *"' mcns/*/ |
    sed -E 's|^mcns/([^/:]*)/[^:]*:.*"mcns/([^/"]*)/.*|& \1 \2|; t; s|^mcns/([^/:]*).*|& \1 ?|'
}
if ! includes | awk '
  FNR == NR && /^[^#]/ {
    folder = $1
    sub(/:$/, "", folder)
    for (i = 2; i <= NF; ++i) {
      if (!($i in known)) bad("tools/layers.txt: " folder " may not list " $i ", which is not above it")
      allowed[folder, $i] = 1
    }
    known[folder] = 1
  }
  FNR == NR { next }
  $NF != $(NF - 1) {
    if (!(($(NF - 1), $NF) in allowed)) {
      edge = $(NF - 1) " -> " $NF
      sub(/ [^ ]+ [^ ]+$/, "")
      bad($0 ": tools/layers.txt does not allow " edge)
    } else {
      used[$(NF - 1), $NF] = 1
    }
  }
  function bad(what) { print "lint: error: " what; failed = 1 }
  END {
    for (edge in allowed)
      if (!(edge in used)) {
        split(edge, ends, SUBSEP)
        print "lint: warning: tools/layers.txt: nothing in " ends[1] " includes " ends[2]
      }
    exit failed
  }' tools/layers.txt - >&2; then failed=1; fi

# What a user's program sees: public headers.
public=$(grep '^mcns/' mcns/public_headers.txt | tr '\n' ' ')
# shellcheck disable=SC2086
if ! grep -nE '^ *# *include *"' $public examples/*.cpp examples/*.h | awk -v public="$public" '
  BEGIN { count = split(public, names); for (i = 1; i <= count; ++i) known[names[i]] = 1 }
  {
    header = $0
    sub(/.*include *"/, "", header)
    sub(/".*/, "", header)
    if (header ~ /^mcns\// && !(header in known)) {
      print "lint: error: " $0 ": not in mcns/public_headers.txt"
      failed = 1
    }
  }
  END { exit failed }' >&2; then failed=1; fi

find mcns cli python tests bench examples fuzz \( -name '*.h' -o -name '*.cpp' -o -name '*.py' \) -exec awk '
  FNR == 1 { file() ; name = FILENAME }
  length > 100 { wide++ }
  { lines = FNR }
  function file() {
    if (lines > 400) print "lint: warning: " name ": " lines " lines, more than 400"
    if (wide > 0) print "lint: warning: " name ": " wide " lines of more than 100 columns"
    wide = 0
  }
  END { file() }' {} + | LC_ALL=C sort >&2

# What reads files of others, where the checker is installed. It does not see that throw_unknown never
# returns.
if command -v cppcheck >/dev/null 2>&1; then
  cppcheck --enable=warning,portability --std=c++20 --quiet --inline-suppr --error-exitcode=1 -I. \
    --suppress=derefInvalidIteratorRedundantCheck:mcns/core/registry.h \
    mcns/io mcns/model cli fuzz tests/faults >&2 || failed=1
fi

if [ "$failed" -ne 0 ]; then exit 1; fi
echo "lint: no banned words, no include across layers or of private headers" >&2
