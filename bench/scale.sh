#!/bin/sh
# Time and peak memory by the size of the graph: reading an edge list into a graph, and one epoch of
# walks and training at d = 32, on generated power-law graphs of mean degree 20. Prints a table; the
# last column is what `mcns info` said before over what the run took.
#
#   bench/scale.sh [EDGES ...]      10^6 and 10^7 by default; 10^8 takes 8 minutes, 9 GB of disk
#
# SCALE_DIR: where the folder for the files goes, build by default; it is removed.
set -eu
cd "$(dirname "$0")/.."
mcns=build/release/mcns
dir=${SCALE_DIR:-build}/scale.$$
mkdir -p "$dir"
settings="--dim 32 --positives walks:walks=1,length=20,window=5 --loss logistic --optimizer sgd --tables 2
  --negatives 5 --sampler degree --filter none --update async"

# field NAME FILE: a number of a JSON document, the first of that name
field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$2" | head -n 1; }

printf '%10s %12s %12s %14s %14s %10s %12s %10s\n' edges 'read s' 'read ns/edge' 'epoch s' 'epoch ns/edge' \
  'M pairs/s' 'peak MB' 'info/peak'
for n in ${*:-1000000 10000000}; do
  graph=$dir/graph-$n
  "$mcns" data generate power-law "$graph.bin" --nodes $((n / 10)) --edges "$n" --quiet >/dev/null
  "$mcns" data convert "$graph.bin" "$graph.tsv" --quiet >/dev/null 2>&1
  start=$(date +%s%N)
  "$mcns" data convert "$graph.tsv" "$graph.bin" --quiet >/dev/null
  read_ns=$(($(date +%s%N) - start))
  rm "$graph.tsv"
  # shellcheck disable=SC2086 # the settings are words
  "$mcns" info "$graph.bin" $settings --json >"$dir/info.json"
  # shellcheck disable=SC2086
  "$mcns" train "$graph.bin" $settings --epochs 1 --json --quiet --out "$dir/model" --force >"$dir/run.json"
  awk -v n="$n" -v read_ns="$read_ns" -v train="$(field train_seconds "$dir/run.json")" \
    -v rate="$(field positives_per_second "$dir/run.json")" -v peak="$(field peak_rss_mb "$dir/run.json")" \
    -v total="$(field total "$dir/info.json")" \
    'BEGIN { printf "%10d %12.1f %12.0f %14.1f %14.0f %10.1f %12.0f %10.2f\n", n, read_ns / 1e9, read_ns / n,
      train, train / n * 1e9, rate / 1e6, peak, total / 1048576 / peak }'
  rm -r "$graph.bin" "$dir/model"
done
rm -r "$dir"
