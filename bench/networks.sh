#!/bin/sh
# What graph neural encoders cost, on two threads.
#
#   bench/networks.sh linear [EDGES ...]   seconds per epoch by the size of a generated user-item graph of mean
#                                          degree 20, d = 32, mean of two; 10^5, 10^6, 10^7 edges by
#                                          default (8 minutes)
#   bench/networks.sh samplers             GraphSAGE at the size of the paper's runtime figure, ten epochs of
#                                          ml-100k from $MCNS_DATA, one sampler after the other
#
# SCALE_DIR: where the folder for the files goes, build by default; it is removed.
set -eu
cd "$(dirname "$0")/.."
mcns=$PWD/build/release/mcns
dir=${SCALE_DIR:-build}/networks.$$
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT

# field NAME FILE: a number of a JSON document, the first of that name
field() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$2" | head -n 1; }

linear() {
  printf '%-10s %10s %10s %14s %8s %8s %10s %10s\n' encoder edges 'epoch s' 'epoch ns/edge' 'x edges' 'x time' 'peak MB' 'info/peak'
  for encoder in gcn:fanout=25/10 graphsage lightgcn; do
    before='0 0'
    for n in "$@"; do
      graph=$dir/graph-$n.bin
      [ -e "$graph" ] || "$mcns" data generate bipartite "$graph" --nodes $((n / 10)) --edges "$n" --quiet >/dev/null
      settings="--encoder $encoder --dim 32 --sampler mcns --threads 2"
      # shellcheck disable=SC2086 # the settings are words
      "$mcns" info "$graph" $settings --json >"$dir/info.json"
      # shellcheck disable=SC2086
      "$mcns" train "$graph" $settings --epochs 2 --json --quiet --out "$dir/model" --force >"$dir/run.json"
      # Generated edges that repeat are merged: what is counted is what was learned from.
      now=$(awk -v s="$(field train_seconds "$dir/run.json")" -v pairs="$(field positives "$dir/run.json")" \
        'BEGIN { printf "%d %.4f", pairs / 2, s / 2 }')
      # shellcheck disable=SC2086 # two words each
      printf '%s %s %s %s %s\n' "${encoder%%:*}" $now $before |
        awk -v peak="$(field peak_rss_mb "$dir/run.json")" -v total="$(field total "$dir/info.json")" \
          '{ printf "%-10s %10d %10.2f %14.0f %8s %8s %10.0f %10.2f\n", $1, $2, $3, $3 / $2 * 1e9,
            $4 ? sprintf("%.1f", $2 / $4) : "", $4 ? sprintf("%.1f", $3 / $5) : "", peak, total / 1048576 / peak }'
      before=$now
    done
  done
}

samplers() {
  data=${MCNS_DATA:?names the folder of datasets}/ml-100k
  printf '%-10s %10s %10s %8s %12s\n' sampler 'whole s' 'sampling s' 'x rns' 'test MRR'
  rns=
  for sampler in rns mcns dns pinsage warp kbgan; do
    start=$(date +%s%N)
    "$mcns" run --task recommend --train "$data/mcns_train.tsv" --valid "$data/mcns_valid.tsv" \
      --test "$data/mcns_test.tsv" --bipartite shared --encoder graphsage:fanout=25/10 --dim 256 --batch 256 --epochs 10 \
      --patience 0 --sampler "$sampler" --threads 2 --seed 1 --quiet --json --out "$dir/model" --force >"$dir/run.json"
    seconds=$(($(date +%s%N) - start))
    rns=${rns:-$seconds}
    awk -v sampler="$sampler" -v s="$seconds" -v rns="$rns" -v sampling="$(field sample_seconds "$dir/run.json")" \
      -v mrr="$(sed -n '/"test"/,$p' "$dir/run.json" | sed -n 's/^ *"mrr": \([0-9.e+-]*\),*$/\1/p' | head -n 1)" \
      'BEGIN { printf "%-10s %10.1f %10.1f %8.2f %12.4f\n", sampler, s / 1e9, sampling, s / rns, mrr }'
  done
}

what=${1:-}
[ $# -eq 0 ] || shift
case $what in
  linear) if [ $# -gt 0 ]; then linear "$@"; else linear 100000 1000000 10000000; fi ;;
  samplers) samplers ;;
  *) echo "usage: bench/networks.sh linear [EDGES ...] | samplers" >&2; exit 2 ;;
esac
