"""Evaluation, tuning, theory, self-tests, explanations, figures, and the command line."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mcns
from mcns import _compare


def test_recommend_by_hand():
    train = mcns.Dataset.from_arrays(user=[0, 0, 1], item=[0, 1, 2])
    test = mcns.Dataset.from_arrays(user=[0, 1], item=[2, 0])
    U = np.eye(2, 4, dtype="f4")
    V = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [1, 3, 0, 0]], "f4")
    found = mcns.evaluate.recommend((U, V), train, test, metrics="auc")
    # User 0 has item 2 alone; user 1 ranks item 0 (1) below item 1 (2).
    assert found["mrr"] == pytest.approx((1 + 1 / 2) / 2) and found["hits@5"] == 1
    with pytest.raises(ValueError, match="unknown item 77"):
        mcns.evaluate.recommend((U, V), train, mcns.Dataset.from_arrays(user=[0], item=[77]))


def test_a_model_and_its_tables_have_the_figures_of_training(parts):
    train, valid, test = parts
    model = mcns.Recommender(dim=16, epochs=4).fit(train, valid=valid)
    users, items = len(model.users_), len(model.items_)
    assert users == len(train.users) and items == len(train.items)
    tables = model.embedding_[:users], model.embedding_[users:]
    by_tables = mcns.evaluate.recommend(tables, train, valid)
    assert by_tables == mcns.evaluate.recommend(model, train, valid)
    found = mcns.evaluate.recommend(model, train, valid)
    assert found["mrr"] == pytest.approx(model.metrics_["valid"]["mrr"], abs=1e-9)


def test_ids_that_only_held_out_pairs_have_are_the_models():
    train = mcns.Dataset.from_arrays(list("aabbcc"), list("wxwyxz"))
    valid = mcns.Dataset.from_arrays(["a", "new"], ["z", "w"])
    test = mcns.Dataset.from_arrays(["new"], ["x"])
    model = mcns.Recommender(dim=8, epochs=2).fit(train, valid=valid)
    assert len(model.users_) == 4 and len(train.users) == 3
    found = mcns.evaluate.recommend(model, train, test, valid)
    order = np.argsort(-model.score(["new"] * 3, ["x", "y", "z"]))  # all but w, of valid
    assert found["mrr"] == pytest.approx(1 / (1 + order.tolist().index(0)))
    found = mcns.evaluate.recommend(model, train, valid)
    assert found["mrr"] == pytest.approx(model.metrics_["valid"]["mrr"], abs=1e-9)


def test_sparse_data_are_split_and_evaluated():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 60, 90), rng.integers(0, 70, 90)  # most have a pair or two
    data = mcns.Dataset.from_arrays(users, items)
    train, valid, test = data.split("random", valid=0.2, test=0.3)
    model = mcns.Recommender(dim=4, epochs=1).fit(train, valid=valid)
    assert 0 < mcns.evaluate.recommend(model, train, test, valid)["mrr"] < 1


def test_pairs_of_train_are_no_test(parts):
    train, _, test = parts
    users, items = (np.concatenate(x) for x in zip(test.to_arrays(), train.to_arrays()))
    mixed = mcns.Dataset.from_arrays(users, items)
    tables = tuple(np.ones((len(x), 4), "f4") for x in (train.users, train.items))
    with pytest.raises(ValueError, match=f"{len(train)} of {len(mixed)} test pairs are in train"):
        mcns.evaluate.recommend(tables, train, mixed)
    assert mcns.evaluate.recommend(tables, train, mixed, allow_leaks=True)["mrr"] > 0
    with pytest.warns(UserWarning, match=f"{len(train)} valid pairs are in train"):
        mcns.evaluate.recommend(tables, train, test, valid=train)
    graph = mcns.Dataset.from_arrays(source=[0, 1, 2], target=[1, 2, 3])
    vectors = np.ones((4, 4), "f4")
    with pytest.raises(ValueError, match=r"1 of 1 test pairs are in train as well, as \(1, 0\)"):
        mcns.evaluate.link_prediction(vectors, graph, [[1, 0], [0, 2]], [1, 0])


@pytest.mark.parametrize("scores", ["in-in", "in-out"])
def test_evaluation_multiplies_the_tables_of_training_as_the_command_line(tmp_path, scores):
    nx = pytest.importorskip("networkx")
    data = mcns.Dataset.from_networkx(nx.karate_club_graph())
    train, _, test = data.split("connected", valid=0, test=0.2)
    model = mcns.Embedder(dim=8, epochs=5, model="deepwalk", scores=scores, tables=2).fit(train)
    assert model.context_ is not None
    model.save(tmp_path / "m")
    lines = zip(*(column.tolist() for column in test.labelled()))
    (tmp_path / "test.tsv").write_text("".join(f"{u}\t{v}\t{t}\n" for u, v, t in lines))
    call = [sys.executable, "-m", "mcns", "evaluate", str(tmp_path / "m"), "--task", "linkpred"]
    call += ["--test", str(tmp_path / "test.tsv"), "--json"]
    done = subprocess.run(call, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = mcns.evaluate.link_prediction(model, train, test)
    assert f'"auc":{found["auc"]:.6f}'[:12] in done.stdout.replace(" ", "")
    other = {"in-in": "in-out", "in-out": "in-in"}[scores]
    assert mcns.evaluate.link_prediction(model, train, test, scores=other) != found
    assert mcns.evaluate.link_prediction(model, train, test, scores=scores) == found


def test_link_prediction_against_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    nx = pytest.importorskip("networkx")
    data = mcns.Dataset.from_networkx(nx.karate_club_graph())
    train, _, test = data.split("connected", valid=0, test=0.2)
    model = mcns.Embedder(dim=16, epochs=20).fit(train)
    found = mcns.evaluate.link_prediction(model, train, test)
    sources, targets, labels = test.labelled()
    vector = dict(zip(model.nodes_.tolist(), model.embedding_.astype("f8")))
    scores = [vector[u] @ vector[v] for u, v in zip(sources, targets)]
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(labels, scores))
    assert found["ap"] == pytest.approx(metrics.average_precision_score(labels, scores))
    by_array = mcns.evaluate.link_prediction(
        model, train, np.stack([sources, targets], axis=1), labels
    )
    assert by_array == found


def test_classify_separates_what_is_separate():
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 3
    vectors = np.eye(3, dtype="f4")[truth] * 4 + rng.normal(size=(120, 3)).astype("f4") * 0.1
    found = mcns.evaluate.classify(vectors, truth, repeats=2)
    assert set(found) == {"10", "50", "90"} and found["50"]["micro_f1"] == 1
    shuffled = mcns.evaluate.classify(vectors, rng.permutation(truth), repeats=2)
    assert shuffled["50"]["micro_f1"] < 0.6
    several = mcns.evaluate.classify(vectors, {i: [str(t), "all"] for i, t in enumerate(truth)})
    assert several["90"]["micro_f1"] > 0.99


def test_tune_finds_settings_that_fit_takes(parts):
    pd = pytest.importorskip("pandas")
    train, valid, _ = parts
    told = []
    base = mcns.Recommender(dim=8, epochs=10)
    found = mcns.tune(base, train, valid, trials=4, on_trial=lambda *t: told.append(t))
    assert found.metric == "mrr" and len(found.rows) == 4 and told
    table = found.to_pandas()
    assert isinstance(table, pd.DataFrame) and len(table) == 4
    assert found.best_value >= found.rows[0]["values"][-1]  # the defaults are among the last
    tuned = mcns.clone(base).set_params(**found.best_params)
    tuned.fit(train, valid=valid)
    assert tuned.metrics_["valid"]["mrr"] == pytest.approx(found.best_value, abs=1e-6)


def test_compare_is_what_single_runs_find(parts):
    pd = pytest.importorskip("pandas")
    train, valid, test = parts
    base = mcns.Recommender(dim=8, epochs=2, seed=3)
    found = mcns.compare(
        base,
        train,
        ["mcns:hardness=4", "rns"],
        valid=valid,
        test=test,
        seeds=2,
        baselines=["popularity"],
    )
    assert [row["label"] for row in found.rows] == ["mcns:hardness=4", "rns", "popularity"]
    table = found.to_pandas()
    assert isinstance(table, pd.DataFrame) and table["verdict"]["rns"] in ("won", "tied", "lost")
    alone = mcns.clone(base).set_params(sampler="mcns:hardness=4")
    figures = []
    for seed in (3, 4):
        alone.set_params(seed=seed).fit(train, valid=valid)
        figures.append(mcns.evaluate.recommend(alone, train, test, valid)["mrr"])
    assert table["mrr"]["mcns:hardness=4"] == pytest.approx(sum(figures) / 2, rel=1e-3)
    with pytest.raises(ValueError, match="is a list"):
        mcns.compare(base, train, "rns")
    with pytest.raises(ValueError, match="nothing"):
        mcns.compare(base, train, ["nothing"])


def test_compare_takes_any_id_and_kind_of_graph():
    names = ["#a", "b c", 'd"e', "f", "g", "h", "i", "j"]
    names += [f"n{i}" for i in range(22)]
    pairs = [(a, names[(i + step) % 30]) for i, a in enumerate(names) for step in (1, 2, 5)]
    graph = mcns.Dataset.from_arrays(
        source=[a for a, _ in pairs], target=[b for _, b in pairs], weight=[1.5] * len(pairs)
    )
    found = mcns.compare(mcns.Embedder(dim=4, epochs=1), graph, ["rns", "degree"], seeds=2)
    assert found.metric == "auc" and "rns" in repr(found)


def test_compare_keeps_weights_labels_and_shared_ids(tmp_path):
    rng = np.random.default_rng(0)
    ends = [np.concatenate([np.arange(40), rng.integers(0, 40, 160)]) for _ in range(2)]
    ends[1][:40] = (ends[0][:40] + 1) % 40
    graph = mcns.Dataset.from_arrays(
        source=ends[0], target=ends[1], weight=rng.uniform(0.1, 0.9, 200)
    )
    train, _, test = graph.split("connected", valid=0, test=0.2)
    _compare._write_train(tmp_path / "train.tsv", train)
    _compare._write_held_out(tmp_path / "test.tsv", test)
    read = mcns.Dataset.from_csv(tmp_path / "train.tsv", columns="source=1,target=2,weight=3")
    assert (read.pairs() == train.pairs()).all() and np.allclose(read.weights(), train.weights())
    lines = [line.split("\t") for line in (tmp_path / "test.tsv").read_text().splitlines()]
    assert [line[2].strip('"') for line in lines] == [str(v) for v in test.labelled()[2]]
    base = mcns.Embedder(dim=8, epochs=2, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random edges: a validation AUC below 0.5
        found = mcns.compare(base, train, ["rns", mcns.samplers.Degree], test=test, seeds=1)
    assert [row["label"] for row in found.rows] == ["rns", "degree"]
    shared = mcns.Dataset.from_arrays(ends[0], ends[1] + 100, bipartite="shared")
    mcns.compare(
        mcns.Recommender(dim=4, epochs=1), shared, ["rns", "degree"], seeds=1, out=tmp_path / "c"
    )
    settings = [p.read_text() for p in (tmp_path / "c").rglob("*.json")]
    assert any('"shared"' in text for text in settings)
    with pytest.raises(ValueError, match="a function of Python"):
        mcns.compare(base, train, [lambda batch: None])


def test_commands_warn_and_fail_as_python_does(tmp_path, parts):
    train, _, test = parts
    with pytest.raises(FileNotFoundError, match="none"):
        mcns.explain(tmp_path / "none", 1)
    base = mcns.Recommender(dim=4, epochs=1)
    with pytest.warns(UserWarning, match="valid pairs are in train as well"):
        mcns.compare(base, train, ["rns", "degree"], valid=train, test=test, seeds=1)


def test_tune_takes_samplers_of_every_kind(parts):
    train, valid, _ = parts
    known = set(map(tuple, train.pairs().tolist()))
    free = np.array(
        [next(v for v in range(80) if (u, v) not in known) for u in range(len(train.users))]
    )
    first_free = lambda batch: np.repeat(free[batch.users][:, None], batch.k, axis=1)
    mcns.samplers.register("first-free", first_free)
    for sampler, text in (
        (mcns.samplers.DNS(train, candidates=4), "dns:candidates=4"),
        (mcns.samplers.MCNS, "mcns"),
        (first_free, None),
        ("first-free", None),
    ):
        base = mcns.Recommender(dim=4, epochs=2, sampler=sampler)
        found = mcns.tune(base, train, valid, trials=2)
        assert len(found.rows) == 2
        assert text is None or found.best_params.get("sampler", text).startswith(text)
        mcns.clone(base).set_params(**found.best_params).fit(train)
    model = mcns.Recommender(dim=4, epochs=1, sampler="first-free").fit(train)
    with pytest.raises(ValueError, match="'first-free' is a function of Python"):
        mcns.explain(model, train.users[0])
    built_in = mcns.Recommender(dim=4, epochs=1, sampler="rns").fit(train)
    assert mcns.explain(built_in, train.users[0], sampler=mcns.samplers.DNS)["sampler"] == "dns"


def test_plot_comes_with_the_package():
    code = "import mcns, sys; mcns.plot.history; assert 'matplotlib' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_selftest_and_broken_samplers():
    assert mcns.selftest()["holds"] is True
    assert mcns.selftest(broken=True)["holds"] is False


def test_explain_and_figures(data):
    model = mcns.Recommender(dim=8, epochs=3, sampler="mcns:hardness=8").fit(data)
    found = mcns.explain(model, data.users[0])
    assert found["sampler"].startswith("mcns") and sum(found["histogram"]) == pytest.approx(1)
    with pytest.raises(ValueError, match="nobody"):
        mcns.explain(model, "nobody")
    plt = pytest.importorskip("matplotlib")
    plt.use("Agg")
    from mcns import plot

    assert plot.history(model) is not None and plot.explain(found) is not None


def test_python_m_mcns_is_the_command_line(tmp_path):
    call = [sys.executable, "-m", "mcns"]
    done = subprocess.run([*call, "--version"], capture_output=True, text=True)
    assert done.stdout == f"mcns {mcns.__version__}\n"
    assert subprocess.run([*call, "trian"], capture_output=True).returncode == 2
    listed = subprocess.run([*call, "list", "samplers", "--json"], capture_output=True, text=True)
    assert json.loads(listed.stdout)


def test_the_embedded_dataset_travels_with_the_package(tmp_path):
    import os

    folder = mcns._core.embedded_folders()[0]
    assert os.path.dirname(mcns.__file__) in folder and os.path.isdir(
        os.path.join(folder, "debian")
    )
    call = [
        sys.executable,
        "-m",
        "mcns",
        "run",
        "--task",
        "recommend",
        "--data",
        "debian",
        "--plan",
    ]
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
