#!/usr/bin/env bash
# Kills a training run with SIGKILL at random moments, goes on with --resume, and compares what comes
# out with an uninterrupted run, byte by byte. Usage: tools/kill_resume.sh [rounds] [mcns] [flags...]
# Flags are added to the run (for instance: --sampler mcns --optimizer adam). Exit status 1 if a round
# differs.
set -euo pipefail

rounds=${1:-20}
mcns=${2:-$(dirname "$0")/../build/release/mcns}
shift $(($# < 2 ? $# : 2))

# shellcheck source=tools/killing.sh
source "$(dirname "$0")/killing.sh"
prepare_killing "$mcns"
mcns=$folder/mcns
"$mcns" data generate bipartite "$folder/edges.tsv" --nodes 1500 --edges 12000 --quiet >/dev/null

epochs=(--epochs 8)
[[ " $* " != *" --epochs "* ]] || epochs=()

run() { # run OUT THREADS [flags...]
  local out=$1 threads=$2
  shift 2
  exec "$mcns" run --task recommend --train "$folder/edges.tsv" --bipartite separate --dim 16 \
    "${epochs[@]}" --patience 0 --candidates 50 --batch 256 --checkpoint-every 1 --quiet \
    --threads "$threads" --out "$out" "$@" >/dev/null
}

start=$(date +%s%N)
(run "$folder/whole" 1 "$@")
milliseconds=$(milliseconds_since "$start")
echo "uninterrupted run: $milliseconds ms; $rounds rounds of kill -9 and --resume"

failures=0 kills=0
for ((round = 1; round <= rounds; ++round)); do
  out=$folder/killed tries=$((1 + RANDOM % 4)) threads=$((1 + round % 3)) hits=0
  rm -rf "$out"
  for ((try = 0; try < tries; ++try)); do
    run "$out" "$threads" --resume "$@" &
    if kill_within "$milliseconds" $!; then hits=$((hits + 1)); fi
  done
  kills=$((kills + hits))
  (run "$out" "$threads" --resume "$@")
  verdict=same
  if [[ -e $folder/whole/tune ]]; then # a run with --tune
    if ! cmp -s <(grep -v '^#' "$folder/whole/tune/tuned.toml") \
      <(grep -v '^#' "$out/tune/tuned.toml"); then verdict="DIFFERENT tuned.toml"; fi
    twice=$(grep -o '"key":"[^"]*"' "$out/tune/trials.jsonl" | sort | uniq -d | wc -l)
    [[ $twice == 0 ]] || verdict="DIFFERENT: $twice finished trials were repeated"
  fi
  for table in embeddings.npy context.npy; do
    if [[ -e $folder/whole/$table || -e $out/$table ]] &&
      ! cmp -s "$folder/whole/$table" "$out/$table"; then verdict="DIFFERENT $table"; fi
  done
  [[ $verdict == same ]] || failures=$((failures + 1))
  echo "round $round: $hits kills, $threads threads, $verdict"
done
echo "$rounds rounds, $kills kills, $failures different"
[[ $failures == 0 ]]
