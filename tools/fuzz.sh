#!/usr/bin/env bash
# libFuzzer over a reader, or over all of them one after the other, with address and undefined-behaviour
# sanitizers. Needs clang and its fuzzer runtime (Debian: clang, libclang-rt-*-dev).
# Usage: tools/fuzz.sh TARGET|all [SECONDS [EXECUTIONS]]   (60 seconds; 0 executions: no bound)
# New inputs are kept in build/fuzz/corpus/TARGET; findings in build/fuzz/findings. Exit status 1 on one.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=${1:-all} seconds=${2:-60} executions=${3:-0}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
program=$PWD/build/fuzz/fuzz_targets
names=$(MCNS_FUZZ_TARGET='?' "$program" -runs=1 2>&1 </dev/null | sed -n 's/.*known: //p' || true)
[[ $wanted == all ]] || names=$wanted
mkdir -p build/fuzz/findings
total=0 findings=0
for name in $names; do
  mkdir -p "build/fuzz/corpus/$name" "fuzz/corpus/$name"
  limit=(-max_total_time="$seconds")
  ((executions == 0)) || limit+=(-runs="$executions")
  log=build/fuzz/$name.log
  # Memory far beyond the size of the input is a finding too; so is an input that takes long.
  if ! MCNS_FUZZ_TARGET=$name UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$program" \
    "build/fuzz/corpus/$name" "fuzz/corpus/$name" "${limit[@]}" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=512 -artifact_prefix="build/fuzz/findings/$name-" -print_final_stats=1 >"$log" 2>&1; then
    findings=$((findings + 1))
    echo "$name: FINDING, see $log"
    continue
  fi
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  total=$((total + done))
  echo "$name: $done executions, $coverage edges, no finding"
done
if ((findings == 0)) && [[ $wanted == all ]]; then
  tools/record_figure.sh fuzz "$total executions over $(wc -w <<<"$names") readers, $seconds s each, no finding"
fi
echo "fuzz: $total executions, $findings findings"
((findings == 0))
