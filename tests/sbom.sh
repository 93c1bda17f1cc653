#!/bin/sh
# The bill of materials names every library that the program asks for, each with a version.
set -eu
program=$1
command -v dpkg-query >/dev/null 2>&1 || { echo "sbom: skipped: no Debian packages here"; exit 77; }
bill=$(mktemp)
trap 'rm -f "$bill"' EXIT
"$(dirname "$0")/../tools/sbom.py" "$program" >"$bill"
for name in $(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  python3 - "$bill" "$name" <<'END' || { echo "sbom: $name is missing, or has no version"; exit 1; }
import json, sys
found = [c for c in json.load(open(sys.argv[1]))["components"] if c["name"] == sys.argv[2]]
sys.exit(not (len(found) == 1 and found[0]["version"] and found[0]["hashes"]))
END
done
echo "sbom: all there"
