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

# A worker's complaints and exit codes, one a line, are summed at the end.
complain() {
  echo "$1: $2" >>"$work/complaints"
  echo "faults: $1: $2" >&2
  [[ ! -s ${err:-} ]] || sed 's/^/    /' "$err" >&2
}

# What must come out: tables and weights, and no trace of a dead writer.
same() {
  local file
  for file in embeddings.npy context.npy weights.npz graph.bin nodes.tsv; do
    if [[ -e $work/ref/m/$file || -e m/$file ]]; then cmp -s "$work/ref/m/$file" "m/$file" || return 1; fi
  done
  [[ -s m/metrics.json && -z $(find m -name '.*.tmp') ]]
}

# What a run left: names and bytes. From the same folder --resume does the same, so once is enough.
state_of() { find . \( -type f -exec sha256sum {} + \) -o -printf '%y %p\n' | sort | sha256sum; }
declare -A resumed=()

# point NAME KIND N CODE WORDS...: one run that goes wrong, then one that goes on
point() {
  local what="$1 $2 $3" kind=$2 at=$3 code=$4 status=0 state lines
  shift 4
  rm -rf "$folder" && cp -r "$work/data" "$folder" && cd "$folder" || exit 2
  case $kind in
    fail) "$tracer" fail "$at" "$code" -- "$mcns" "$@" >/dev/null 2>"$err" || status=$? ;;
    kill) "$tracer" kill "$at" -- "$mcns" "$@" >/dev/null 2>"$err" || status=$? ;;
    allocations)
      LD_PRELOAD=$shim MCNS_FAIL_ALLOCATION=$at "$mcns" "$@" >/dev/null 2>"$err" || status=$? ;;
    *) "$tracer" power "$at" "$kind" -- "$mcns" "$@" >/dev/null 2>"$err" || status=$? ;;
  esac
  echo "$status" >>"$work/codes"
  lines=$(grep -vc '^\[fault\]' "$err")
  case $kind:$status in
    *:0) same || complain "$what" "exit 0 and other files" ;;
    fail:4 | allocations:1 | allocations:4) [[ $lines == 1 ]] || complain "$what" "$lines lines" ;;
    kill:137 | data:137 | names:137 | torn:137) ;;
    *) complain "$what" "exit $status" ;;
  esac
  state=$(state_of)
  [[ -z ${resumed[$state]:-} ]] || return 0
  "$mcns" "$@" --resume >/dev/null 2>"$err" || complain "$what" "--resume: exit $?"
  if same; then resumed[$state]=yes; else complain "$what" "--resume gives other bytes"; fi
}

# The N-th, N + WORKERS-th... of the lines "POINT CODE" of $work/points
worker() {
  local n code
  folder=$work/t$3 err=$work/err$3
  while read -r n code; do point "$1" "$2" "$n" "$code" "${words[@]}"; done \
    < <(awk -v workers="$workers" -v mine="$3" 'NR % workers == mine' "$work/points")
}

# Allocations: all of the first 20,000, then one of a hundred. Calls: what such a call may say.
list_points() {
  if [[ $1 == allocations ]]; then
    seq 1 "$every" "$2" | awk '$1 <= 20000 || later++ % 100 == 0 { print $1, "-" }'
  else
    awk -v every="$every" '(NR - 1) % every == 0 {
      code = "ENOSPC"
      if ($2 ~ /^(read|map|fsync)$/) code = "EIO"
      if ($2 == "open") code = "EMFILE"
      print NR, code
    }' "$work/calls"
  fi
}

count_lines() { if [[ -e $1 ]]; then wc -l <"$1"; else echo 0; fi; }

workers=$(nproc) total=0
declare -A tried_of=() # points of each figure
while read -r name command; do
  [[ -z $only || " $only " == *" $name "* ]] || continue
  # Words of a command have no blanks.
  # shellcheck disable=SC2206
  words=($command)
  rm -rf "$work/ref" && cp -r "$work/data" "$work/ref" && cd "$work/ref" || exit 2
  err=$work/err
  "$tracer" count "$work/calls" -- "$mcns" "${words[@]}" >/dev/null 2>"$err" || {
    complain "$name" "the run itself failed"
    continue
  }
  for kind in $kinds; do
    points=$(wc -l <"$work/calls")
    if [[ $kind == allocations ]]; then
      mv m kept
      LD_PRELOAD=$shim MCNS_COUNT_ALLOCATIONS=$work/n "$mcns" "${words[@]}" >/dev/null
      rm -rf m && mv kept m
      points=$(cat "$work/n")
    fi
    list_points "$kind" "$points" >"$work/points"
    rm -f "$work/codes"
    before=$(count_lines "$work/complaints") tried=$(wc -l <"$work/points")
    for ((i = 0; i < workers; ++i)); do worker "$name" "$kind" "$i" & done
    wait
    total=$((total + tried)) group=$kind
    case $kind in data | names | torn) group=power ;; esac
    tried_of[$group]=$((${tried_of[$group]:-0} + tried))
    summary=$(sort "$work/codes" | uniq -c | awk '{ printf " exit %s: %s,", $2, $1 }')
    echo "$name $kind: $tried of $points points,$summary $(($(count_lines "$work/complaints") - before)) wrong"
  done
done < <(runs)
failures=$(count_lines "$work/complaints")
echo "faults: $total points, $failures wrong"
if [[ $failures == 0 && $every == 1 && -z $only ]]; then
  for group in "${!tried_of[@]}"; do
    "$home/record_figure.sh" "faults-$group" \
      "${tried_of[$group]} points over $(runs | wc -l) kinds of run, none wrong"
  done
fi
[[ $failures == 0 ]]
