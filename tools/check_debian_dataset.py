#!/usr/bin/env python3
"""Check data/debian and print the counts and baselines of its README.

Usage: python3 tools/check_debian_dataset.py [DIRECTORY]

The baselines use no training. A tenth of the edges (drawn with a fixed seed) is
held out. They say whether the tasks are neither trivial nor hopeless:

 recommend  rank of the held-out dependency among those the package is not known
            to have, by popularity and by cosine similarity to the known ones
 links      AUC of held-out edges against as many random non-edges, by the product
            of degrees and by the number of common neighbours
 classes    share of nodes with the most frequent label, and of nodes whose label
            is the most frequent one among their neighbours
"""

import collections
import gzip
import itertools
import math
import pathlib
import random
import statistics
import sys


def read(path):
    with gzip.open(path, "rt", encoding="ascii") as stream:
        return [tuple(line.rstrip("\n").split("\t")) for line in stream]


def check(edges, labels):
    nodes = {n for e in edges for n in e}
    assert edges == sorted(set(edges)) and all(p != d for p, d in edges)
    assert nodes == labels.keys(), "labels and nodes differ"


def adjacency(pairs):
    neighbours = collections.defaultdict(set)
    for a, b in pairs:
        neighbours[a].add(b)
    return neighbours


def undirected(edges):
    return adjacency([*edges, *((d, p) for p, d in edges)])


def components(neighbours):
    sizes, seen = [], set()
    for start in neighbours:
        if start in seen:
            continue
        seen.add(start)
        stack, size = [start], 0
        while stack:
            size += 1
            fresh = neighbours[stack.pop()] - seen
            seen |= fresh
            stack.extend(fresh)
        sizes.append(size)
    return sorted(sizes, reverse=True)


def degrees(name, neighbours):
    d = sorted(map(len, neighbours.values()))
    print(f"{name}: {len(d)}, degree min {d[0]}, median {statistics.median(d):g}, "
          f"mean {statistics.mean(d):.1f}, max {d[-1]}")


def describe(edges, labels):
    out, back = adjacency(edges), adjacency((d, p) for p, d in edges)
    both = undirected(edges)
    print(f"edges: {len(edges)}; undirected: {sum(map(len, both.values())) // 2}")
    degrees("nodes, undirected", both)
    degrees("packages with dependencies (users)", out)
    degrees("dependencies (items)", back)
    print(f"both: {len(out.keys() & back.keys())}; components: {components(both)}")
    print("distinct sets of dependencies:", len({frozenset(v) for v in out.values()}))
    top = sorted(back, key=lambda d: (-len(back[d]), d))[:5]
    print("most wanted:", ", ".join(f"{d} {len(back[d]) / len(out):.1%}" for d in top))
    sizes = sorted(collections.Counter(labels.values()).items(), key=lambda x: (-x[1], x[0]))
    print(f"labels: {len(sizes)};", ", ".join(f"{s} {n}" for s, n in sizes))
    for package in ("git", "inkscape", "python3-pandas"):
        print(f"{package} ({labels.get(package)}):", ", ".join(sorted(out.get(package, ()))))


def recommend(train, test):
    known, back = adjacency(train), adjacency((d, p) for p, d in train)
    together = collections.defaultdict(collections.Counter)
    for items in known.values():
        for a, b in itertools.permutations(items, 2):
            together[a][b] += 1
    popularity = {d: len(p) for d, p in back.items()}
    ranks = {"popularity": [], "item cosine": []}
    for package, wanted in test:
        near = collections.Counter()
        for a in known[package]:
            for b, n in together[a].items():
                near[b] += n / math.sqrt(popularity[a] * popularity[b])
        for name, score in (("popularity", popularity), ("item cosine", near)):
            mine = score.get(wanted, 0)
            other = [score.get(d, 0) for d in popularity if d not in known[package]]
            # ties count half: the mean rank over their orders
            ranks[name].append(sum(s > mine for s in other)
                               + (sum(s == mine for s in other) + 1) / 2)
    for name, r in ranks.items():
        print(f"recommend, {name}: MRR {statistics.mean(1 / x for x in r):.3f}, "
              f"hit@10 {sum(x <= 10 for x in r) / len(r):.3f}")


def links(train, test, edges, rng):
    near, everything = undirected(train), undirected(edges)
    nodes = sorted(everything)
    fake = []
    while len(fake) < len(test):
        a, b = rng.sample(nodes, 2)
        if b not in everything[a]:
            fake.append((a, b))
    scores = {"degree product": lambda a, b: len(near[a]) * len(near[b]),
              "common neighbours": lambda a, b: len(near[a] & near[b])}
    for name, score in scores.items():
        real, not_real = ([score(a, b) for a, b in pairs] for pairs in (test, fake))
        wins = sum((x > y) + (x == y) / 2 for x, y in itertools.product(real, not_real))
        print(f"links, {name}: AUC {wins / len(real) / len(not_real):.3f}")


def classes(edges, labels):
    sizes, near = collections.Counter(labels.values()), undirected(edges)
    hits = 0
    for node in near:
        votes = collections.Counter(labels[n] for n in near[node])
        hits += labels[node] == min(votes, key=lambda s: (-votes[s], s))
    print(f"classes: most frequent {max(sizes.values()) / len(labels):.3f}, "
          f"vote of the neighbours {hits / len(labels):.3f}")


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "data" / "debian"
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    edges = read(directory / "edges.tsv.gz")
    labels = dict(read(directory / "labels.tsv.gz"))
    check(edges, labels)
    describe(edges, labels)
    rng = random.Random(1)
    mixed = rng.sample(edges, len(edges))
    held = len(edges) // 10
    train, test = mixed[held:], mixed[:min(held, 2000)]  # 2000 of the tenth suffice
    recommend(train, test)
    links(train, test, edges, rng)
    classes(edges, labels)


if __name__ == "__main__":
    main()
