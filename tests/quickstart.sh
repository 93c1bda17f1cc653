#!/bin/sh
# The table of ./run on made-up figures: the right numbers, and a line of explanation for each task where MCNS is
# below RNS, for no other.
#   tests/quickstart.sh BUILD
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$1/scratch/quickstart
rm -rf "$work"

# model TASK SAMPLER MRR HITS AUC MICRO MACRO
model() {
  mkdir -p "$work/$1-$2"
  cat >"$work/$1-$2/metrics.json" <<END
{
  "task": "$1",
  "valid": {
    "mrr": 0.9,
    "auc": 0.9
  },
  "test": {
    "mrr": $3,
    "hits@30": $4,
    "auc": $5,
    "50": {
      "micro_f1": $6,
      "macro_f1": $7
    }
  }
}
END
}

# expect N PATTERN: so many lines of the table match
expect() {
  found=$("$here/tools/quickstart_table.sh" "$work" | grep -c "$2" || true)
  [ "$found" = "$1" ] || { echo "quickstart: $found lines like '$2', expected $1" >&2; exit 1; }
}

for task in recommend linkpred classify; do
  model $task rns 0.31 0.6 0.95 0.62 0.41
  model $task mcns 0.33 0.61 0.95 0.63 0.42
done
expect 1 '^recommend   MRR                   0.3100  0.3300$'
expect 1 '^classify    Macro-F1, 50 % known  0.4100  0.4200$'
expect 0 'below RNS'
model linkpred mcns 0.3 0.6 0.9479 0.6 0.4
expect 1 '^linkpred: MCNS is below RNS here: .*--sampler rns'
expect 1 'below RNS'
model classify mcns 0.3 0.6 0.9 0.55 0.35
expect 1 '^classify: MCNS is below RNS here: .*--sampler degree'
expect 2 'below RNS'
model recommend mcns 0.4 0.59 0.9 0.6 0.4
expect 1 '^recommend: MCNS is below RNS here: .*--tune 20'
expect 3 'below RNS'
