#!/bin/sh
# Keeps the last figure of a long check for docs/reliability.md. Usage: tools/record_figure.sh NAME TEXT
set -eu
cd "$(dirname "$0")/.."
file=docs/reliability.tsv
touch "$file"
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
others=$(grep -v "^$1	" "$file" || true)
{
  [ -z "$others" ] || printf '%s\n' "$others"
  printf '%s\t%s\t%s\t%s\n' "$1" "$(date +%Y-%m-%d)" "$commit" "$2"
} | LC_ALL=C sort >"$file.new"
mv "$file.new" "$file"
