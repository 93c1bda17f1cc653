"""Hides links of a graph at random, whatever they hold together, and writes tests that differ in their non-edges.

    python3 bench/hidden_links.py EDGES OUT [SHARE [SEED]]

OUT gets train.tsv and, of the hidden links (both directions; SHARE of the edges, 0.3) and as many non-edges:
uniform.tsv, non-edges between any two nodes; degree.tsv, both ends drawn by degree; tail.tsv, the first end of each
link with any node, as the authors of the paper drew theirs. `mcns data split` makes splits that keep components;
this is for the others.
"""

import os
import random
import sys


def read_edges(path):
    edges = set()
    with open(path) as lines:
        for line in lines:
            a, b = line.split()[:2]
            if a != b:
                edges.add((min(a, b), max(a, b)))
    return sorted(edges)


def non_edges(count, draw, edges):
    out = []
    while len(out) < count:
        a, b = draw(len(out))
        if a != b and (min(a, b), max(a, b)) not in edges:
            out.append((a, b))
    return out


def main(source, out, share="0.3", seed="1"):
    rng = random.Random(int(seed))
    edges = read_edges(source)
    known = set(edges)
    rng.shuffle(edges)
    hidden = edges[:round(float(share) * len(edges))]
    train = edges[len(hidden):]
    ends = [node for edge in train for node in edge]
    nodes = sorted(set(ends))
    links = hidden + [(b, a) for a, b in hidden]
    kinds = {
        "uniform": lambda i: (rng.choice(nodes), rng.choice(nodes)),
        "degree": lambda i: (rng.choice(ends), rng.choice(ends)),
        "tail": lambda i: (links[i][0], rng.choice(nodes)),
    }
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/train.tsv", "w") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in train)
    for kind, draw in kinds.items():
        with open(f"{out}/{kind}.tsv", "w") as file:
            file.writelines(f"{a}\t{b}\t1\n" for a, b in links)
            file.writelines(f"{a}\t{b}\t0\n" for a, b in non_edges(len(links), draw, known))


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
