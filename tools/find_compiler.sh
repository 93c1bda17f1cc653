#!/bin/sh
# Prints the first C++ compiler that is new enough for the project (g++ 12 or later); fails if there
# is none. A distribution whose g++ is older may have a newer one beside it.
set -eu
for compiler in g++ g++-12 g++-13 g++-14 g++-15; do
  version=$("$compiler" -dumpversion 2>/dev/null) || continue
  if [ "${version%%.*}" -ge 12 ]; then
    echo "$compiler"
    exit 0
  fi
done
exit 1
