#!/bin/sh
# recipe.sh BUILD: CONTRIBUTING's recipes, followed. The examples become a built-in sampler and a
# built-in encoder by one file and one line each. Only the changed files are compiled; program and tests
# are linked again with these objects before the library, whose own they replace. Needs Ninja's files.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
scratch=$build/scratch/recipe-$$
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/samplers" "$scratch/encoders"

fail() {
  echo "recipe.sh: $*" >&2
  exit 1
}

# command_of TARGET: the command that makes it.
command_of() { ninja -C "$build" -t commands "$1" | grep -v '^ninja:' | tail -n 1; }

# add FOLDER NAME AFTER EXAMPLE: the recipe. The new file, and a line after that of AFTER.
add() {
  cp "$source/examples/$4.cpp" "$scratch/$1/$2.cpp"
  sed "s/^  ADD($3) .*/&\n  ADD($2) \\\\/" "$source/mcns/$1/registry.cpp" >"$scratch/$1/registry.cpp"
  changes=$(diff "$source/mcns/$1/registry.cpp" "$scratch/$1/registry.cpp" | grep -c '^[<>]' || true)
  [ "$changes" -eq 1 ] || fail "$changes lines of mcns/$1/registry.cpp changed, not one"
  object=lib/CMakeFiles/mcns.dir/$1/registry.cpp.o
  for file in registry "$2"; do
    command=$(command_of "$object" |
      sed "s|$source/mcns/$1/registry.cpp|$scratch/$1/$file.cpp|g; s|$object|$scratch/$1/$file.o|g")
    (cd "$build" && sh -c "$command")
  done
}
add samplers two_hop degree two_hop_sampler &
add encoders mean lookup mean_encoder &
wait
objects="$scratch/samplers/registry.o $scratch/samplers/two_hop.o"
objects="$objects $scratch/encoders/registry.o $scratch/encoders/mean.o"
for object in $objects; do [ -f "$object" ] || fail "$object was not made"; done

# link TARGET: as it was linked, with the new objects in place of the examples, under $scratch.
link() {
  command=$(command_of "$1" | sed "s| -o $1 | -o $scratch/$1 $objects |" |
    sed 's| [^ ]*/examples/[a-z_]*\.cpp\.o||g')
  (cd "$build" && sh -c "$command")
}
link mcns
link mcns_tests

mcns=$scratch/mcns
"$mcns" list samplers | grep '^two-hop ' || fail "mcns list samplers has no two-hop"
"$mcns" list encoders | grep '^mean ' || fail "mcns list encoders has no mean"
rows=$("$mcns" selftest samplers | grep -c '^two-hop.*holds')
[ "$rows" -eq 1 ] || fail "$rows of 1 rows of the self-test hold"
awk 'BEGIN { for (i = 0; i < 200; ++i) { print i "\t" (i + 1) % 200; print i "\t" (i * 7 + 3) % 200 } }' \
  >"$scratch/edges.tsv"
"$mcns" run --task linkpred --train "$scratch/edges.tsv" --sampler two-hop:share=0.25 --encoder mean \
  --epochs 2 --quiet --json | grep '"auc"'
# The tests that run over the registry have the new sampler by themselves.
"$scratch/mcns_tests" --gtest_filter='*two_hop*:Selftest.EverySampler*' >"$scratch/tests.log" ||
  { cat "$scratch/tests.log"; fail "tests over the registry"; }
grep -c '^\[       OK \].*two_hop' "$scratch/tests.log" >/dev/null || fail "no test saw two-hop"
echo "recipe.sh: one file and one line made a sampler, and an encoder"
