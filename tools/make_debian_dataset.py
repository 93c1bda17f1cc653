#!/usr/bin/env python3
"""Make the embedded dataset data/debian from Debian's package list.

Usage (on a Debian machine, after `apt-get update`):

    python3 tools/make_debian_dataset.py

It reads the list of section `main` of one release and one architecture
(default: bookworm, amd64; without the -updates and -security lists, so that
a point release fixes the result), or a Packages file given by --packages
(plain, .gz or .xz), and writes two files without a header:

    edges.tsv.gz    package <TAB> dependency
    labels.tsv.gz   package <TAB> archive section

The rule, in this order:

 1. The relations are Depends, Pre-Depends and Recommends. Versions,
    architecture qualifiers and restrictions are dropped. Of alternatives
    `a | b` the first that can be resolved counts. A name is resolved if it is
    a package of the list, or a virtual package that exactly one package of
    the list provides (then that package is taken). Anything else is dropped,
    and so are self-relations and repetitions. A package listed more than once
    counts with its last entry.
 2. Dependencies of more than --max-share of all packages of the list are
    dropped: they say nothing about the package that has them.
 3. The (k,k)-core of the relation, k given by --core (5): as long as
    there are any, drop packages with fewer than k dependencies (with all their
    dependencies), and dependencies with fewer than k dependents. It is unique.
 4. The nodes are the packages on either side of a remaining edge; the label is
    `Section` without a `contrib/` or `non-free/` prefix. Sections with fewer
    than --min-label nodes are merged into `other`.

Lines are sorted by bytes and the gzip header has no name and no time: the same
list gives the same files (with the same zlib; the content does with any).
"""

import argparse
import collections
import gzip
import hashlib
import lzma
import pathlib
import re
import subprocess
import sys

RELATIONS = ("Depends", "Pre-Depends", "Recommends")
FIELDS = RELATIONS + ("Package", "Section", "Provides")
NAME = re.compile(r"\s*([a-z0-9][a-z0-9+.-]+)")
HELPER = "/usr/lib/apt/apt-helper"  # reads apt's lists however they are compressed


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def read_apt_list(codename, arch):
    """The bytes of apt's Packages list of `main`, and its release in words."""
    names = run("apt-get", "indextargets", "--format", "$(FILENAME)",
                "Created-By: Packages", "Component: main",
                "Codename: " + codename, "Architecture: " + arch)
    names = sorted(set(names.decode().split()))
    if len(names) != 1:
        sys.exit(f"expected one apt list of {codename}/main {arch}, found "
                 f"{len(names)}; run apt-get update, or give --packages")
    release = pathlib.Path(names[0].split("_main_binary-")[0] + "_InRelease")
    fields = {}
    if release.exists():
        lines = release.read_text(encoding="utf-8").splitlines()
        fields = dict(x.split(": ", 1) for x in lines if re.match(r"[A-Z]\w+: ", x))
    words = (f"Debian {fields.get('Version', '?')} ({codename}), main, {arch}, "
             f"Release file of {fields.get('Date', '?')}")
    return run(HELPER, "cat-file", names[0]), words


def read_file(path):
    openers = {".gz": gzip.open, ".xz": lzma.open}
    with openers.get(path.suffix, open)(path, "rb") as stream:
        return stream.read(), path.name


def parse(text):
    """package -> its FIELDS; folded lines are joined to their field."""
    packages = {}
    for stanza in text.split("\n\n"):
        fields = {}
        for line in re.sub(r"\n[ \t]+", " ", stanza).splitlines():
            key, _, value = line.partition(":")
            if key in FIELDS:
                fields[key] = value.strip()
        if "Package" in fields and "Section" in fields:
            packages[fields["Package"]] = fields
    return packages


def names_in(field, separator=","):
    """The bare package names of a relation field."""
    found = (NAME.match(part) for part in field.split(separator))
    return [match[1] for match in found if match]


def resolver(packages):
    """A function from a name to a package of the list, or None."""
    providers = collections.defaultdict(set)
    for package, fields in packages.items():
        for virtual in names_in(fields.get("Provides", "")):
            providers[virtual].add(package)

    def resolve(name):
        if name in packages:
            return name
        found = providers.get(name, ())
        return next(iter(found)) if len(found) == 1 else None

    return resolve


def relations(packages):
    """The set of (package, dependency)."""
    resolve = resolver(packages)
    edges = set()
    for package, fields in packages.items():
        for relation in RELATIONS:
            for group in fields.get(relation, "").split(","):
                targets = map(resolve, names_in(group, "|"))
                target = next((t for t in targets if t), None)
                if target and target != package:
                    edges.add((package, target))
    return edges


def drop_popular(edges, limit):
    """The edges to dependencies with at most `limit` dependents; the others."""
    dependents = collections.Counter(d for _, d in edges)
    dropped = sorted(((d, n) for d, n in dependents.items() if n > limit),
                     key=lambda x: (-x[1], x[0]))
    gone = {d for d, _ in dropped}
    return {e for e in edges if e[1] not in gone}, dropped


def core(edges, k):
    while True:
        out_degree = collections.Counter(p for p, _ in edges)
        in_degree = collections.Counter(d for _, d in edges)
        kept = {(p, d) for p, d in edges if out_degree[p] >= k and in_degree[d] >= k}
        if len(kept) == len(edges):
            return edges
        edges = kept


def labels_of(nodes, packages, min_label):
    labels = {n: packages[n]["Section"].rsplit("/", 1)[-1] for n in nodes}
    sizes = collections.Counter(labels.values())
    return {n: s if sizes[s] >= min_label else "other" for n, s in labels.items()}


def write(path, pairs):
    text = "".join(sorted(f"{a}\t{b}\n" for a, b in pairs))
    with open(path, "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
            stream.write(text.encode("ascii"))
    print(f"{path}: {len(pairs)} lines, {path.stat().st_size} bytes")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    ap = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    ap.add_argument("--packages", type=pathlib.Path, metavar="FILE",
                    help="a Packages file in place of apt's lists")
    ap.add_argument("--codename", default="bookworm")
    ap.add_argument("--arch", default="amd64")
    ap.add_argument("--max-share", type=float, default=0.05)
    ap.add_argument("--core", type=int, default=5)
    ap.add_argument("--min-label", type=int, default=30)
    ap.add_argument("--out", type=pathlib.Path, default=root / "data" / "debian")
    args = ap.parse_args()

    raw, words = (read_file(args.packages) if args.packages
                  else read_apt_list(args.codename, args.arch))
    print(f"list: {words}\nsha256 of Packages: {hashlib.sha256(raw).hexdigest()}")
    packages = parse(raw.decode("utf-8"))
    edges = relations(packages)
    print(f"all of it: {len(packages)} packages, {len(edges)} relations")
    edges, dropped = drop_popular(edges, args.max_share * len(packages))
    print("too popular:", ", ".join(f"{d} ({n})" for d, n in dropped))
    edges = core(edges, args.core)
    labels = labels_of({n for e in edges for n in e}, packages, args.min_label)
    args.out.mkdir(parents=True, exist_ok=True)
    write(args.out / "edges.tsv.gz", edges)
    write(args.out / "labels.tsv.gz", labels.items())


if __name__ == "__main__":
    main()
