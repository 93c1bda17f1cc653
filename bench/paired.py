"""Compares two groups of models, one a seed, on the same test pairs: mean reciprocal rank of each, and the
difference paired over users with its standard error. Needs numpy.

    python3 bench/paired.py TRAIN TEST MODEL_A1,MODEL_A2,... MODEL_B1,MODEL_B2,...

TRAIN and TEST are the files that the models were trained and tested with (user, item); a test pair is ranked among
the items that neither file links to its user, ties counting half, as `mcns run` does.
"""

import sys

import numpy as np

USERS_AT_ONCE = 512


def read_pairs(path, rows):
    with open(path) as lines:
        return np.array([(rows["user"][u], rows["item"][v]) for u, v in (line.split()[:2] for line in lines)])


def read_rows(model):
    rows = {"user": {}, "item": {}}
    with open(f"{model}/nodes.tsv") as lines:
        next(lines)
        for line in lines:
            row, name, kind = line.rstrip("\n").split("\t")
            rows[kind][name] = int(row)
    return rows


def user_means(model, train, test):
    """Mean reciprocal rank of each user that has test pairs."""
    vectors = np.load(f"{model}/embeddings.npy")
    first = min(train[:, 1].min(), test[:, 1].min())
    items = vectors[first:]
    connected = np.concatenate([train, test])
    connected = connected[np.argsort(connected[:, 0], kind="stable")]
    out = {}
    users = np.unique(test[:, 0])
    for begin in range(0, len(users), USERS_AT_ONCE):
        some = users[begin:begin + USERS_AT_ONCE]
        scores = vectors[some] @ items.T
        for user, row in zip(some, scores):
            mine = row[test[test_slice(test, user)][:, 1] - first]
            known = connected[test_slice(connected, user)][:, 1] - first
            others = np.sort(np.delete(row, known))
            above = len(others) - np.searchsorted(others, mine, side="right")
            ties = np.searchsorted(others, mine, side="right") - np.searchsorted(others, mine, side="left")
            out[user] = (1 / (1 + above + ties / 2)).mean()
    return np.array([out[user] for user in users])


def test_slice(pairs, user):
    return slice(*np.searchsorted(pairs[:, 0], [user, user + 1]))


def main():
    train_path, test_path, first, second = sys.argv[1:]
    groups = []
    for models in (first, second):
        means = []
        for model in models.split(","):
            rows = read_rows(model)
            train, test = read_pairs(train_path, rows), read_pairs(test_path, rows)
            test = test[np.argsort(test[:, 0], kind="stable")]
            means.append(user_means(model, train, test))
            print(f"{model}: mean over users {means[-1].mean():.5f}", flush=True)
        groups.append(np.mean(means, axis=0))
    difference = groups[0] - groups[1]
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    print(f"{len(difference)} users: {groups[0].mean():.5f} - {groups[1].mean():.5f} = {difference.mean():+.5f}, "
          f"standard error {error:.5f}, t = {difference.mean() / error:+.2f}")


main()
