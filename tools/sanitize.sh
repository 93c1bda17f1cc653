#!/bin/sh
# The whole suite under a checker of memory or of threads, and its figure for docs/reliability.md.
# Usage: tools/sanitize.sh asan | tsan | valgrind [FILTER of ctest -R]
set -eu
cd "$(dirname "$0")/.."
kind=${1:-}
filter=${2:-.}
case $kind in
  asan | tsan)
    cmake --preset "$kind"
    cmake --build --preset "$kind" --target mcns_tests mcns_cli fuzz_replay
    # Those that are left out build a program or a module of their own with the library.
    ctest --test-dir "build/$kind" --output-on-failure -R "$filter" -E '^(Install|Recipe|HowTo|Python)$' \
      --parallel "$(nproc)" | tee "build/$kind/sanitize.log"
    figure=$(sed -n 's/^\([0-9]*% tests passed.*\)/\1/p' "build/$kind/sanitize.log")
    ;;
  valgrind)
    cmake --preset release
    cmake --build --preset release --target mcns_cli
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mcns=$PWD/build/release/mcns
    # valgrind knows no AVX-512.
    export MCNS_SIMD=avx2
    check() {
      valgrind --quiet --error-exitcode=99 --leak-check=no "$mcns" "$@" >"$folder/out" 2>"$folder/err" || {
        cat "$folder/err" >&2
        echo "sanitize: valgrind: mcns $* failed" >&2
        exit 1
      }
    }
    check data generate bipartite "$folder/g.tsv" --nodes 60 --edges 300
    runs=1
    for sampler in mcns irgan dns kbgan warp; do
      check run --task recommend --train "$folder/g.tsv" --bipartite separate --sampler $sampler --dim 8 \
        --epochs 2 --threads 2 --quiet --out "$folder/$sampler"
      runs=$((runs + 1))
    done
    for model in gcn graphsage lightgcn; do
      check train "$folder/g.tsv" --bipartite separate --model $model --dim 8 --epochs 1 --threads 2 --quiet \
        --out "$folder/$model"
      runs=$((runs + 1))
    done
    check recommend "$folder/mcns" --all -k 3 --out "$folder/lists.tsv"
    figure="$((runs + 1)) commands, no error"
    ;;
  *)
    echo "usage: tools/sanitize.sh asan | tsan | valgrind [FILTER]" >&2
    exit 2
    ;;
esac
case $figure in
  "" | [0-9]"% tests"* | [0-9][0-9]"% tests"*)
    echo "sanitize: $kind: ${figure:-did not end}" >&2
    exit 1
    ;;
esac
tools/record_figure.sh "$kind" "$figure"
echo "sanitize: $kind: $figure"
