#!/usr/bin/env bash
# Kills `mcns reproduce` with SIGKILL at random moments, starts it again, and compares the stored folds with
# those of an uninterrupted one: every figure and setting, all but seconds and threads. No finished fold may be
# run again. Usage: tools/kill_reproduce.sh [rounds] [mcns]. Exit status 1 if a round differs.
set -euo pipefail

tools=$(readlink -f "$(dirname "$0")")
rounds=${1:-20} mcns=${2:-$tools/../build/release/mcns}
# shellcheck source=tools/killing.sh
source "$tools/killing.sh"
prepare_killing "$mcns"

run() { # run OUT THREADS
  exec "$folder/mcns" reproduce table-small --experiments "$tools/../tests/data/experiments" \
    --folds 2 --only '*/dns,*/mcns' --quiet --threads "$2" --out "$1" >/dev/null
}

figures() { # figures OUT: of all folds and searches, without threads and what a clock measured
  (cd "$1" && find . -name '*.json' -path '*/deepwalk/*' | LC_ALL=C sort | while read -r file; do
    echo "$file"
    sed -E 's/"([a-z]*_?seconds|threads)": *[-0-9.e]+//g; /"curve"/ s/,[0-9.e-]+,/,,/g' "$file"
  done)
}

finished() { # finished OUT: folds with the time of their last change
  { [[ ! -e $1 ]] || find "$1" -name '*.fold*.json' -printf '%p %T@\n'; } | LC_ALL=C sort
}

start=$(date +%s%N)
(run "$folder/whole" 1)
milliseconds=$(milliseconds_since "$start")
echo "uninterrupted: $milliseconds ms; $rounds rounds of kill -9 and another start"

failures=0 kills=0
for ((round = 1; round <= rounds; ++round)); do
  out=$folder/killed tries=$((1 + RANDOM % 4)) threads=$((1 + round % 3)) hits=0 verdict=same
  rm -rf "$out"
  for ((try = 0; try < tries; ++try)); do
    before=$(finished "$out")
    run "$out" "$threads" &
    if kill_within "$milliseconds" $!; then hits=$((hits + 1)); fi
    again=$(LC_ALL=C comm -23 <(printf '%s' "$before${before:+$'\n'}") <(finished "$out") | wc -l)
    [[ $again == 0 ]] || verdict="DIFFERENT: $again finished folds were run again"
  done
  kills=$((kills + hits))
  (run "$out" "$threads")
  if ! cmp -s <(figures "$folder/whole") <(figures "$out"); then verdict="DIFFERENT figures"; fi
  [[ $verdict == same ]] || failures=$((failures + 1))
  echo "round $round: $hits kills, $threads threads, $verdict"
done
echo "$rounds rounds, $kills kills, $failures different"
[[ $failures == 0 ]]
