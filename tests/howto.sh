#!/bin/sh
# howto.sh BUILD: runs the commands of pages in docs/ on small files of the form that they name.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
scratch=$build/scratch/howto-$$
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin"
ln -s "$build/mcns" "$scratch/bin/mcns"
PATH=$scratch/bin:$PATH

# run_page NAME LEAST: the commands of docs/NAME.md, in the folder NAME; at least LEAST of them.
run_page() {
  cd "$scratch/$1"
  awk '/^```$/ { block = 0 } block { print } /^```sh$/ { block = 1 }' "$source/docs/$1.md" >commands.sh
  if ! sh -eux commands.sh >log 2>&1; then
    tail -n 20 log >&2
    exit 1
  fi
  ran=$(grep -c '^+ mcns' log)
  [ "$ran" -ge "$2" ] || { echo "howto.sh: $ran commands in docs/$1.md, expected $2" >&2; exit 1; }
  echo "$ran commands of docs/$1.md run"
}

mkdir "$scratch/quickstart" "$scratch/howto" "$scratch/answers"
run_page quickstart 6

# 80 users with ten ratings each, of 60 movies; users and movies of one half like each other.
awk 'BEGIN {
  srand(1); print "userId,movieId,rating,timestamp"
  for (u = 1; u <= 80; ++u)
    for (i = 0; i < 15; ++i) {
      movie = 10 * (1 + (u % 2) * 30 + (u * 7 + i * i) % 30)
      print u "," movie "," (i % 3 == 2 ? 2.5 : 4.5) "," 1000000000 + int(rand() * 1000000)
    }
}' >"$scratch/howto/ratings.csv"
run_page howto 9

# Users, names of items, pairs, and vectors of packages with their ids and labels.
cd "$scratch/answers"
printf 'git\nvim\nnobody\n' >some.txt
printf 'id,title\nzlib1g,compression library\n' >titles.csv
printf 'git\tlibssl3\nvim\tzlib1g\n' >pairs.tsv
gzip -dc "$source/data/debian/edges.tsv.gz" | head -n 2000 >train.tsv
mcns train train.tsv --bipartite none --epochs 1 --dim 8 --quiet --out theirs
cp theirs/embeddings.npy vectors.npy
cut -f 2 theirs/nodes.tsv | tail -n +2 >ids.txt
awk '{ print $1 "\t" (NR % 2 ? "odd" : "even") }' ids.txt >labels.tsv
mcns train train.tsv --bipartite separate --epochs 1 --dim 8 --quiet --out pairs
mcns export pairs --to word2vec --out vectors.txt --quiet
mv train.tsv all.tsv && tail -n +2 all.tsv >train.tsv && head -n 1 all.tsv >test.tsv
run_page answers 9
