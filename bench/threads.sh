#!/bin/sh
# Speed of training on one thread and on two, in turns, best of five: pairs per second and the ratio.
# Uses gowalla of $MCNS_DATA, or a generated user-item graph of its size. Options go to `mcns run`.
set -eu
cd "$(dirname "$0")/.."
mcns=build/release/mcns
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -n "${MCNS_DATA:-}" ] && [ -e "$MCNS_DATA/gowalla/train.tsv" ]; then
  train=$MCNS_DATA/gowalla/train.tsv
else
  train=$scratch/edges.tsv
  "$mcns" data generate bipartite "$train" --nodes 70839 --edges 810128 --quiet
fi
for turn in 1 2 3 4 5; do
  for threads in 1 2; do
    "$mcns" train "$train" --bipartite separate --dim 64 --epochs 2 --threads $threads --quiet --json \
      --force --out "$scratch/model" "$@" |
      awk -v t=$threads -F '[:,]' '/"positives_per_second"/ { print t, $2 }' >>"$scratch/rates"
  done
done
awk '{ if ($2 > best[$1]) best[$1] = $2 }
     END { printf "1 thread %.2f M pairs/s, 2 threads %.2f M pairs/s, ratio %.2f\n",
                  best[1] / 1e6, best[2] / 1e6, best[2] / best[1] }' "$scratch/rates"
