#!/usr/bin/env bash
# Which builds and which instruction sets give the same bytes: several kinds of run by each program
# with each MCNS_SIMD that the CPU has, and the groups that agree. The first program is the reference.
# Usage: tools/bits.sh [MCNS...]   (build/release/mcns; name others by clang, for instance)
set -euo pipefail
home=$(readlink -f "$(dirname "$0")")
programs=("${@:-$home/../build/release/mcns}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${programs[0]}" data generate bipartite "$work/g.tsv" --nodes 400 --edges 3000 --quiet >/dev/null
"${programs[0]}" data generate sbm "$work/s.tsv" --nodes 400 --edges 2000 --blocks 4 \
  --labels-out "$work/l.tsv" --quiet >/dev/null
users=" --task recommend --train $work/g.tsv --bipartite separate"
nodes=" --train $work/s.tsv"
runs=(
  "cosine$users --epochs 3"
  "mcns$users --similarity dot --sampler mcns --epochs 3"
  "irgan$users --similarity dot --sampler irgan --optimizer adam --epochs 2"
  "lightgcn$users --encoder lightgcn --epochs 2"
  "links --task linkpred$nodes --epochs 2"
  "gcn --task linkpred$nodes --model gcn --epochs 2"
  "classes --task classify$nodes --labels $work/l.tsv --epochs 1"
  "graphsage --task classify$nodes --labels $work/l.tsv --model graphsage --epochs 1"
)

sets=$("${programs[0]}" doctor --json | python3 -c 'import json, sys; print(*json.load(sys.stdin)["simd"])')
declare -A digests=()
names=()
for p in "${!programs[@]}"; do
  compiler=$("${programs[p]}" doctor | sed -n '1s/.*, //p')
  for set in $sets; do
    name="$compiler $set"
    names+=("$name")
    for run in "${runs[@]}"; do
      # Flags are words.
      # shellcheck disable=SC2086
      MCNS_SIMD=$set "${programs[p]}" run ${run#* } --dim 100 --threads 1 --quiet --force --out "$work/o" >/dev/null
      digests["$name/${run%% *}"]=$(cd "$work/o" && cat embeddings.npy \
        $(find . -name 'context.npy' -o -name 'weights.npz' | sort) | sha256sum | cut -c 1-12)
    done
  done
done

reference=
for name in "${names[@]}"; do # the fastest set of the first program
  [[ $name == "${names[0]% *}"* ]] && reference=$name
done
echo "against $reference:"
summary=
for name in "${names[@]}"; do
  [[ $name != "$reference" ]] || continue
  equal=() other=()
  for run in "${runs[@]}"; do
    run=${run%% *}
    if [[ ${digests["$name/$run"]} == "${digests["$reference/$run"]}" ]]; then equal+=("$run"); else other+=("$run"); fi
  done
  echo "  $name: the same bytes in ${#equal[@]} of ${#runs[@]} runs${other:+; not in ${other[*]}}"
  summary+="${summary:+; }$name ${#equal[@]}"
done
"$home/record_figure.sh" bits "of ${#runs[@]} kinds of run the bytes of $reference: $summary"
