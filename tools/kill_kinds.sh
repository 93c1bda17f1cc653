#!/usr/bin/env bash
# tools/kill_resume.sh over several kinds of run, tools/kill_reproduce.sh, and their sum for
# docs/reliability.md.
# Usage: tools/kill_kinds.sh [ROUNDS of each [MCNS]]
set -euo pipefail
tools=$(readlink -f "$(dirname "$0")")
rounds=${1:-20} mcns=${2:-$tools/../build/release/mcns}
kills=0 different=0 kinds=0
while read -r script flags; do
  # Flags are words.
  # shellcheck disable=SC2086
  last=$("$tools/$script.sh" "$rounds" "$mcns" $flags | tail -n 1) || true
  echo "$script $flags: $last"
  if [[ ! $last =~ ^[0-9]+" rounds, "[0-9]+" kills, "[0-9]+" different"$ ]]; then
    echo "kill_kinds: $script $flags did not run" >&2
    exit 1
  fi
  kinds=$((kinds + 1))
  kills=$((kills + $(sed -n 's/.*, \([0-9]*\) kills.*/\1/p' <<<"$last")))
  different=$((different + $(sed -n 's/.*, \([0-9]*\) different.*/\1/p' <<<"$last")))
done <<'END'
kill_resume --sampler mcns
kill_resume --sampler irgan --optimizer adam
kill_resume --encoder lightgcn
kill_resume --encoder graphsage --epochs 3
kill_resume --sampler dns --tune 3 --epochs 2
kill_reproduce
END
figure="$((rounds * kinds)) rounds of $kinds kinds of run, $kills kills, $different different"
"$tools/record_figure.sh" kills "$figure"
echo "$figure"
((different == 0))
