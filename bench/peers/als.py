"""Recommendation on ml-100k: implicit's ALS against `mcns run`, in turns, best of ROUNDS (3).

ALS is tuned on valid (factors, regularization, alpha, iterations); mcns has its defaults and EPOCHS
(60) epochs without early stopping. Test is scored once at the end of each. MRR on both sides: the
mean of 1 / rank over the test pairs, ranked among the items that the user is not connected to in
train, valid or test; half of the ties count. Seconds of training, and of a whole process that
reads, trains, and scores.
"""

import itertools
import os
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sparse

import mcns

ROUNDS, EPOCHS = int(os.environ.get("ROUNDS", 3)), int(os.environ.get("EPOCHS", 25))
GRID = {"factors": (64, 128), "regularization": (10.0, 30.0, 100.0), "alpha": (1.0, 3.0, 10.0),
        "iterations": (10, 20)}


class Data:
    def __init__(self, folder):
        parts = {name: np.loadtxt(os.path.join(folder, f"mcns_{name}.tsv"), dtype=np.int64, usecols=(0, 1))
                 for name in ("train", "valid", "test")}
        everything = np.concatenate(list(parts.values()))
        users, items = np.unique(everything[:, 0]), np.unique(everything[:, 1])
        self.shape = (len(users), len(items))
        for name, pairs in parts.items():
            rows = np.searchsorted(users, pairs[:, 0]), np.searchsorted(items, pairs[:, 1])
            setattr(self, name, rows)

    def mask(self, *names):
        out = np.zeros(self.shape, dtype=bool)
        for name in names:
            out[getattr(self, name)] = True
        return out


def fit(data, setting):
    from implicit.als import AlternatingLeastSquares

    alpha = setting["alpha"]
    users, items = data.train
    matrix = sparse.csr_matrix((np.full(len(users), alpha, dtype=np.float32), (users, items)), data.shape)
    model = AlternatingLeastSquares(**{**setting, "alpha": 1.0}, random_state=1, num_threads=2,
                                    use_gpu=False)
    start = time.perf_counter()
    model.fit(matrix, show_progress=False)
    return model, time.perf_counter() - start


def mrr(model, pairs, connected):
    scores = model.user_factors @ model.item_factors.T
    total = 0.0
    for user, item in zip(*pairs):
        others = scores[user][~connected[user]]
        mine = scores[user, item]
        total += 1 / (1 + (others > mine).sum() + (others == mine).sum() / 2)
    return total / len(pairs[0])


def tune(data):
    connected = data.mask("train", "valid")
    settings = [dict(zip(GRID, values)) for values in itertools.product(*GRID.values())]
    return max(settings, key=lambda s: mrr(fit(data, s)[0], data.valid, connected))


def als_once(folder, setting):
    data = Data(folder)
    model, spent = fit(data, setting)
    print(spent, mrr(model, data.test, data.mask("train", "valid", "test")))


def als_process(folder, setting):
    start = time.perf_counter()
    done = subprocess.run([sys.executable, __file__, folder, repr(setting)], check=True,
                          capture_output=True, text=True)
    train, test = map(float, done.stdout.split())
    return train, time.perf_counter() - start, test


def mcns_process(folder):
    files = [f"--{name}={folder}/mcns_{name}.tsv" for name in ("train", "valid", "test")]
    metrics, process = mcns.run("run", "--task", "recommend", "--bipartite", "shared", *files,
                                "--epochs", EPOCHS, "--patience", 0, "--eval-every", EPOCHS, "--threads", 2)
    return metrics["train_seconds"], process, metrics["test"]["mrr"]


def main():
    if len(sys.argv) == 3:
        als_once(sys.argv[1], eval(sys.argv[2]))
        return
    folder = os.path.join(sys.argv[1], "ml-100k")
    setting = tune(Data(folder))
    print(f"recommendation on ml-100k, 2 threads, best of {ROUNDS} in turns; ALS by valid: {setting}")
    turns = [(als_process(folder, setting), mcns_process(folder)) for _ in range(ROUNDS)]
    print(f"{'':14} {'training s':>10} {'process s':>10} {'test MRR':>9}")
    best = []
    for name, figures in zip(("implicit ALS", f"mcns, {EPOCHS} epochs"), zip(*turns)):
        train, process, quality = (f(values) for f, values in zip((min, min, max), zip(*figures)))
        best.append((train, process))
        print(f"{name:16} {train:10.2f} {process:10.2f} {quality:9.4f}")
    print(f"mcns / ALS: training {best[1][0] / best[0][0]:.2f}, process {best[1][1] / best[0][1]:.2f}")


main()
