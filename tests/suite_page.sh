#!/bin/sh
# docs/notes/suite.md is what the stored tables of bench/suite say. Usage: tests/suite_page.sh
set -eu
cd "$(dirname "$0")/.."
python3 -c 'import tomllib' 2>/dev/null || {
  echo "suite page: Python before 3.11 reads no TOML; skipped"
  exit 77
}
python3 bench/suite/suite.py page | diff - docs/notes/suite.md || {
  echo "suite page: make it anew: bench/suite/suite.py page > docs/notes/suite.md"
  exit 1
}
echo "suite page: as the tables say"
