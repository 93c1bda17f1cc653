#!/usr/bin/env python3
"""A software bill of materials of a built program, as CycloneDX 1.5 JSON on standard output.

Usage: tools/sbom.py [PROGRAM]   (build/release/mcns)
Every library that the loader would take, with its Debian package, version and SHA-256, and what is compiled in: libraries
of headers, and the static part of the compiler. The same build on the same machine gives the same bytes.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

HEADER_PACKAGES = ["libcli11-dev", "nlohmann-json3-dev", "libtomlplusplus-dev"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def package_of(path):
    """The name of the Debian package that brought a file, or None."""
    for name in (path, path.removeprefix("/usr")):  # dpkg knows merged folders by either name
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return None


def described(package):
    version, source, architecture = output(
        "dpkg-query", "-W", "-f", "${Version}\n${source:Package}\n${Architecture}", package
    ).splitlines()
    release = pathlib.Path("/etc/os-release").read_text()
    vendor = re.search(r'^ID="?([^"\n]*)', release, re.M).group(1)
    return {
        "version": version,
        "purl": f"pkg:deb/{vendor}/{package}@{urllib.parse.quote(version)}?arch={architecture}&source={source}",
    }


def library(name, path):
    digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    out = {"type": "library", "bom-ref": name, "name": name}
    package = package_of(os.path.realpath(path)) or package_of(path)
    if package:
        out.update(described(package))
    out["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return out


def loaded(program):
    """Name and path of each library, the loader among them."""
    for line in output("ldd", program).splitlines():
        words = line.split()
        if "=>" in words and words[2].startswith("/"):
            yield words[0], words[2]
        elif words and words[0].startswith("/"):
            yield os.path.basename(words[0]), words[0]
        elif "=>" in words:
            sys.exit(f"sbom: {program} needs {words[0]}, which is not on this machine")


def compiled_in():
    for package in HEADER_PACKAGES:
        try:
            yield {"type": "library", "bom-ref": package, "name": package, "scope": "required", **described(package)}
        except subprocess.CalledProcessError:
            sys.exit(f"sbom: the package {package} is not installed; was {' '.join(sys.argv[1:])} built elsewhere?")


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    program = sys.argv[1] if len(sys.argv) == 2 else "build/release/mcns"
    if not os.path.exists(program):
        sys.exit(f"sbom: {program} is missing; build it first")
    version = output(program, "--version").split()[1]
    components = [library(*both) for both in sorted(loaded(program))] + list(compiled_in())
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "mcns",
                "name": "mcns",
                "version": version,
                "hashes": [{"alg": "SHA-256", "content": digest}],
            }
        },
        "components": components,
        "dependencies": [{"ref": "mcns", "dependsOn": [c["bom-ref"] for c in components]}],
    }
    print(json.dumps(bill, indent=1))


if __name__ == "__main__":
    main()
