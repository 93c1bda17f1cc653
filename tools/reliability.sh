#!/bin/sh
# Writes docs/reliability.md: every promise of tools/promises.txt, its test and its last figure. Tests of
# a filter are run here; what takes long records its figure when it is run (tools/record_figure.sh).
# Usage: tools/reliability.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
out=docs/reliability.md

tests() { # filter: "12 passed", or how many failed
  result=$("$build/mcns_tests" --gtest_brief=1 --gtest_filter="$1" 2>/dev/null) || true
  passed=$(printf '%s\n' "$result" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p')
  failed=$(printf '%s\n' "$result" | grep -c '^\[  FAILED  \] .*[0-9] ms)$' || true)
  if [ "$failed" != 0 ]; then echo "**$failed failed**"; elif [ "${passed:-0}" -gt 0 ]; then
    echo "$passed passed"
  else
    echo "not run yet"
  fi
}

named() { # a test of ctest
  if ! ctest --test-dir "$build" -N -R "^$1\$" 2>/dev/null | grep -q 'Total Tests: 1'; then
    echo "not run yet"
  elif ctest --test-dir "$build" -R "^$1\$" >/dev/null 2>&1; then echo passed; else
    echo "**failed**"
  fi
}

figure() { # what a long command recorded
  line=$(grep "^$1	" docs/reliability.tsv 2>/dev/null | cut -f 2- || true)
  if [ -z "$line" ]; then echo "not run yet"; else
    printf '%s\n' "$line" | awk -F '\t' '{ print $3 " (" $1 ", " $2 ")" }'
  fi
}

fuzzed() { # the table of tools/fuzz.py
  printf '\n## Readers under libFuzzer\n\n'
  echo "Seconds are of the processor, \`quiet\` those at the end in which no new edge was found. Edges are those of the mcns" \
    "functions that the inputs enter, with the ones that only a lack of memory takes."
  printf '\n| reader | executions | seconds | quiet | edges entered | inputs | commit |\n|---|---|---|---|---|---|---|\n'
  awk -F '\t' 'NR > 1 { printf "| %s (%s) | %d | %d | %d | %d of %d, %.0f %% | %d | %s |\n",
                        $1, $2, $5, $6, $7, $8, $9, 100 * $8 / $9, $10, $4 }' docs/fuzz.tsv
}

{
  echo "# Reliability"
  echo
  echo "Each promise, what shows it, and its last figure. Made by \`tools/reliability.sh\` on" \
    "$(date +%Y-%m-%d) from \`tools/promises.txt\`; do not edit."
  while IFS='|' read -r promise shown name; do
    promise=$(echo "$promise" | sed 's/ *$//') shown=$(echo "$shown" | sed 's/^ *//; s/ *$//')
    kind=${shown%% *} subject=${shown#* } name=$(echo "$name" | tr -d ' ')
    case $promise in
      "" | "# "*) continue ;;
      "##"*)
        printf '\n%s\n\n| promise | shown by | last figure |\n|---|---|---|\n' "$promise"
        continue ;;
    esac
    case $kind in
      tests) echo "| $promise | \`mcns_tests --gtest_filter='$subject'\` | $(tests "$subject") |" ;;
      ctest) echo "| $promise | \`ctest -R $subject\` | $(named "$subject") |" ;;
      *) echo "| $promise | $subject | $(figure "$name") |" ;;
    esac
  done <tools/promises.txt
  if [ -f docs/fuzz.tsv ]; then fuzzed; fi
} >"$out.new"
mv "$out.new" "$out"
if grep -q 'failed\*\*' "$out"; then
  echo "reliability: a test failed; see $out" >&2
  exit 1
fi
echo "reliability: $out" >&2
