#!/bin/sh
# howto.sh BUILD: runs the commands of docs/howto.md on small files of the form that it names. A block
# below a comment "not run" is left out, and said so.
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
scratch=$build/scratch/howto-$$
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin"
ln -s "$build/mcns" "$scratch/bin/mcns"
PATH=$scratch/bin:$PATH
cd "$scratch"

# 80 users with ten ratings each, of 60 movies; users and movies of one half like each other.
awk 'BEGIN {
  srand(1); print "userId,movieId,rating,timestamp"
  for (u = 1; u <= 80; ++u)
    for (i = 0; i < 15; ++i) {
      movie = 10 * (1 + (u % 2) * 30 + (u * 7 + i * i) % 30)
      print u "," movie "," (i % 3 == 2 ? 2.5 : 4.5) "," 1000000000 + int(rand() * 1000000)
    }
}' >ratings.csv

awk '
  /^<!-- not run/ { print "left out: " $0 > "/dev/stderr"; skip = 1 }
  /^```$/ { block = 0; skip = 0 }
  block { print }
  /^```sh$/ && !skip { block = 1 }
' "$source/docs/howto.md" >commands.sh
[ "$(grep -c mcns commands.sh)" -ge 8 ] || { echo "howto.sh: no commands found" >&2; exit 1; }
if ! sh -eux commands.sh >log 2>&1; then
  tail -n 20 log >&2
  exit 1
fi
echo "$(grep -c '^+ mcns' log) commands of docs/howto.md run"
