#!/usr/bin/env bash
# Lets every call of a small run to the file system go wrong once, and every allocation, and looks at
# what is left: the exit code of the contract, one line of message, no damaged file, and a run that
# can be resumed to the same bytes. Usage: tools/faults.sh [BUILD [EVERY [KIND...]]]
#   BUILD  folder of the build (build/release)
#   EVERY  tries every n-th point only (1: all)
#   KIND   fail kill data names torn (of power loss) allocations; all but the last unless given
# With all points of all runs the figure goes to docs/reliability.md. Needs the targets fault_tracer and fault_allocations. Runs are those of `runs` below. Exit status 1
# if a point has another outcome.
set -uo pipefail

home=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "${1:-$(dirname "$0")/../build/release}")
every=${2:-1}
shift $(($# < 2 ? $# : 2))
kinds=${*:-fail kill data names torn}
only=${MCNS_FAULT_RUNS:-} # names of runs; all where empty
unset LD_LIBRARY_PATH     # an empty part of it would make the loader look into the current folder

parent=${TMPDIR:-/tmp}
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then parent=/dev/shm; fi
work=$(mktemp -d -p "$parent")
trap 'rm -rf "$work"' EXIT
cp "$build/mcns" "$work/mcns" # a build that goes on meanwhile must not change the program
tracer=$build/fault_tracer shim=$build/libfault_allocations.so mcns=$work/mcns
for tool in "$tracer" "$shim"; do
  [[ -e $tool ]] || { echo "faults: $tool is missing; build it first" >&2; exit 2; }
done

mkdir "$work/data"
for ((u = 0; u < 30; ++u)); do
  for i in 1 2 3 5 8; do printf 'u%d\ti%d\n' $u $((u * i % 23)); done
done >"$work/data/g.tsv"
for ((u = 0; u < 30; ++u)); do printf 'u%d %d:1 %d:0.5\n' $u $((u % 5)) $((5 + u % 3)); done \
  >"$work/data/f.tsv"

small="--dim 4 --batch 64 --threads 1 --quiet"
# A name, then what is run in a folder that holds g.tsv and f.tsv. OUT may be continued by --resume.
runs() {
  echo "lookup train g.tsv --bipartite separate --sampler mcns --epochs 3 --checkpoint-every 1 $small --out m"
  echo "irgan run --task recommend --train g.tsv --bipartite separate --sampler irgan --epochs 3 --checkpoint-every 1 --candidates 5 $small --out m"
  echo "graphsage train g.tsv --bipartite separate --model graphsage --features f.tsv --epochs 2 --checkpoint-every 1 $small --out m"
}

failures=0
complain() {
  failures=$((failures + 1))
  echo "faults: $1: $2" >&2
  [[ ! -s $work/err ]] || sed 's/^/    /' "$work/err" >&2
}

# What must come out: tables and weights, and no trace of a dead writer.
same() {
  local file
  for file in embeddings.npy context.npy weights.npz graph.bin nodes.tsv; do
    if [[ -e $work/ref/m/$file || -e m/$file ]]; then cmp -s "$work/ref/m/$file" "m/$file" || return 1; fi
  done
  [[ -s m/metrics.json && -z $(find m -name '.*.tmp') ]]
}

# point NAME KIND N CODE...: one run that goes wrong, then one that goes on
point() {
  local what="$1 $2 $3" kind=$2 at=$3 status=0
  shift 3
  rm -rf "$work/t" && cp -r "$work/data" "$work/t" && cd "$work/t" || exit 2
  case $kind in
    fail) "$tracer" fail "$at" "$code" -- "$mcns" "$@" >/dev/null 2>"$work/err" || status=$? ;;
    kill) "$tracer" kill "$at" -- "$mcns" "$@" >/dev/null 2>"$work/err" || status=$? ;;
    allocations)
      LD_PRELOAD=$shim MCNS_FAIL_ALLOCATION=$at "$mcns" "$@" >/dev/null 2>"$work/err" || status=$? ;;
    *) "$tracer" power "$at" "$kind" -- "$mcns" "$@" >/dev/null 2>"$work/err" || status=$? ;;
  esac
  local lines
  lines=$(grep -vc '^\[fault\]' "$work/err")
  outcomes[$status]=$((${outcomes[$status]:-0} + 1))
  case $kind:$status in
    *:0) same || complain "$what" "exit 0 and other files" ;;
    fail:4 | allocations:1 | allocations:4) [[ $lines == 1 ]] || complain "$what" "$lines lines" ;;
    kill:137 | data:137 | names:137 | torn:137) ;;
    *) complain "$what" "exit $status" ;;
  esac
  "$mcns" "$@" --resume >/dev/null 2>"$work/err" || complain "$what" "--resume: exit $?"
  same || complain "$what" "--resume gives other bytes"
}

total=0
while read -r name command; do
  [[ -z $only || " $only " == *" $name "* ]] || continue
  # Words of a command have no blanks.
  # shellcheck disable=SC2206
  words=($command)
  rm -rf "$work/ref" && cp -r "$work/data" "$work/ref" && cd "$work/ref" || exit 2
  "$tracer" count "$work/calls" -- "$mcns" "${words[@]}" >/dev/null 2>"$work/err" || {
    complain "$name" "the run itself failed"
    continue
  }
  for kind in $kinds; do
    declare -A outcomes=()
    if [[ $kind == allocations ]]; then
      rm -rf m
      LD_PRELOAD=$shim MCNS_COUNT_ALLOCATIONS=$work/n "$mcns" "${words[@]}" >/dev/null
      points=$(cat "$work/n")
    else
      points=$(wc -l <"$work/calls")
    fi
    before=$failures tried=0
    for ((n = 1; n <= points; n += every)); do
      code=ENOSPC
      # All of the first 20,000, then some of the rest.
      if [[ $kind == allocations ]]; then
        ((n <= 20000)) || n=$((n + 99))
      else
        case $(sed -n "${n}s/^[0-9]* \([a-z]*\) .*/\1/p" "$work/calls") in
          read | map | fsync) code=EIO ;;
          open) code=EMFILE ;;
        esac
      fi
      tried=$((tried + 1))
      point "$name" "$kind" "$n" "${words[@]}"
    done
    total=$((total + tried))
    summary=
    for status in "${!outcomes[@]}"; do summary+=" exit $status: ${outcomes[$status]},"; done
    echo "$name $kind: $tried of $points points,$summary $((failures - before)) wrong"
  done
done < <(runs)
echo "faults: $total points, $failures wrong"
if [[ $failures == 0 && $every == 1 && -z $only ]]; then
  name=faults-${kinds%% *}
  case $kinds in data* | names* | torn*) name=faults-power ;; esac
  "$home/record_figure.sh" "$name" "$total points over $(runs | wc -l) kinds of run, none wrong"
fi
[[ $failures == 0 ]]
