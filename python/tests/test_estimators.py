"""Estimators: what they learn, their manners, and that they are the command line."""

import copy
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import mcns


def command_line(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "mcns", *map(str, arguments)], text=True, capture_output=True, **more
    )


def write(path, data):
    users, items = data.to_arrays()
    path.write_text("".join(f"{u}\t{i}\n" for u, i in zip(users, items)))
    return path


def same_bytes(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and bool((a.view("u4") == b.view("u4")).all())


@pytest.fixture(scope="module")
def model(parts):
    train, valid, _ = parts
    return mcns.Recommender(dim=16, epochs=3, seed=5, eval_every=1).fit(train, valid=valid)


@pytest.mark.parametrize("text", [False, True], ids=["numbers", "names"])
@pytest.mark.parametrize("sampler", ["mcns:hardness=8", "rns"])
def test_same_bytes_as_the_command_line(pairs, tmp_path, text, sampler):
    ids = [(f"u{u}", f"i{i}") if text else (u, i) for u, i in pairs.tolist()]
    make = lambda some: mcns.Dataset.from_arrays([p[0] for p in some], [p[1] for p in some])
    for name, some in (("train.tsv", ids[:-100]), ("valid.tsv", ids[-100:])):
        (tmp_path / name).write_text("".join(f"{u}\t{i}\n" for u, i in some))
    done = command_line(
        "train",
        tmp_path / "train.tsv",
        "--valid",
        tmp_path / "valid.tsv",
        "--bipartite",
        "separate",
        "--epochs",
        3,
        "--dim",
        24,
        "--seed",
        5,
        "--sampler",
        sampler,
        "--quiet",
        "--out",
        tmp_path / "m",
    )
    assert done.returncode == 0, done.stderr
    fitted = mcns.Recommender(dim=24, epochs=3, seed=5, sampler=sampler)
    fitted.fit(make(ids[:-100]), valid=make(ids[-100:]))
    assert same_bytes(fitted.embedding_, np.load(tmp_path / "m/embeddings.npy"))
    assert fitted.metrics_["valid"] == mcns.load(tmp_path / "m").metrics_["valid"]
    rows = [line.split("\t")[1] for line in (tmp_path / "m/nodes.tsv").read_text().splitlines()]
    assert [str(node) for node in fitted.nodes_] == rows[-len(fitted.nodes_) :]


def test_an_embedder_of_a_graph_has_the_bytes_of_the_command_line(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    (tmp_path / "g.tsv").write_text("".join(f"{u}\t{v}\n" for u, v in graph.edges()))
    done = command_line(
        "train", tmp_path / "g.tsv", "--epochs", 4, "--dim", 16, "--out", tmp_path / "m"
    )
    assert done.returncode == 0, done.stderr
    fitted = mcns.Embedder(dim=16, epochs=4).fit(graph)
    assert fitted.embedding_.shape == (34, 16)
    assert same_bytes(fitted.embedding_, np.load(tmp_path / "m/embeddings.npy"))


def test_recommend_leaves_out_what_was_seen_and_sorts(model, parts):
    train = parts[0]
    ids, scores = model.recommend(train.users[:9], k=7)
    assert ids.shape == scores.shape == (9, 7) and (np.diff(scores, axis=1) <= 0).all()
    seen = set(zip(*(x.tolist() for x in train.to_arrays())))
    for user, row in zip(train.users[:9], ids):
        assert not any((user, item) in seen for item in row)
    again, _ = model.recommend(train.users[:9], k=7, filter_seen=False)
    assert any(
        (u, i) in seen for u, row in zip(train.users[:9].tolist(), again.tolist()) for i in row
    )
    flat = model.score(np.repeat(train.users[:9], 7), ids.reshape(-1))
    assert np.allclose(flat.reshape(9, 7), scores)
    everything, _ = model.recommend_all(k=3)
    assert everything.shape == (len(model.users_), 3)
    assert (model.recommend(model.users_[0], k=3)[0] == everything[:1]).all()


def test_short_lists_end_with_nothing(model):
    ids, scores = model.recommend(model.users_[:1], k=10_000)
    assert ids[0, -1] == -1 and np.isnan(scores[0, -1]) and ids.shape[1] == len(model.items_)


def test_unknown_users_are_named_or_get_popular_items(model):
    with pytest.raises(ValueError, match=r"unknown user 987 \(1 of 2 ids unknown\)"):
        model.recommend([0, 987], k=3)
    ids, scores = model.recommend([987], k=3, unknown="popular")
    assert (np.diff(scores[0]) <= 0).all() and scores[0, 0] == int(scores[0, 0])


def test_neighbors_and_similar_items_are_by_cosine(model):
    ids, scores = model.similar_items([model.items_[0]], k=4)
    vectors = model.embedding_[len(model.users_) :, :-1]  # the last is the popularity
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = np.sort(np.delete(unit @ unit[0], 0))[::-1][:4]
    assert np.allclose(scores[0], expected, atol=1e-5) and model.items_[0] not in ids
    assert model.neighbors([model.users_[1]], k=2, kind="user")[0].shape == (1, 2)


def test_fold_in_gives_somebody_new_a_list(model, parts):
    train = parts[0]
    users, items = train.to_arrays()
    own = items[users == model.users_[3]]
    vector = model.fold_in(own)
    assert vector.shape == (16,)
    ids, scores = model.recommend_for(own, k=5)
    assert len(ids) == 5 and not set(ids) & set(own)
    rows = [row for row, item in enumerate(model.items_) if item not in set(own)]
    expected = model.transform(model.items_[rows], kind="item") @ vector
    assert np.allclose(scores, np.sort(expected)[::-1][:5], atol=1e-5)
    assert ids[0] == model.items_[rows][expected.argmax()]


def test_history_metrics_settings_and_transform(model):
    assert [r["epoch"] for r in model.history_] == [1, 2, 3]
    assert "mrr" in model.history_[0]["valid"] and model.metrics_["best_epoch"] >= 1
    assert model.settings_["dim"] == {"value": 16, "from": "given"}
    assert (model.transform(model.users_[:2]) == model.embedding_[:2]).all()
    items = model.transform(model.items_[[4, 2]], kind="item")
    assert (items == model.embedding_[len(model.users_) :][[4, 2]]).all()
    with pytest.raises(ValueError, match="kind is 'user' or 'item'"):
        model.transform(model.users_[:2], kind="film")
    assert model.context_ is None and not model.embedding_.flags.writeable


def test_parameters_clone_and_unfitted(data):
    estimator = mcns.Recommender(dim=8, sampler="dns:candidates=4")
    assert estimator.get_params()["dim"] == 8 and estimator.get_params()["lr"] is None
    assert mcns.clone(estimator.set_params(dim=4)).dim == 4
    assert repr(estimator) == "Recommender(dim=4, sampler='dns:candidates=4')"
    with pytest.raises(TypeError, match="no setting 'dimm'"):
        mcns.Recommender(dimm=3)
    with pytest.raises(ValueError, match="no setting 'dimm'"):
        estimator.set_params(dimm=3)
    with pytest.raises(mcns.NotFittedError, match="call fit first"):
        estimator.recommend([1])
    assert not hasattr(estimator, "embedding_")


def test_settings_are_those_of_the_command_line_with_their_help():
    help_text = command_line("train", "--help").stdout
    for name in mcns.Recommender().get_params():
        assert f"--{name.replace('_', '-')}" in help_text
    assert "dimension of the embeddings" in mcns.Recommender.__doc__
    assert "hardness" in mcns.samplers.MCNS.__doc__


@pytest.mark.parametrize("estimator", [mcns.Recommender, mcns.Embedder])
@pytest.mark.parametrize(
    "check",
    [
        "check_no_attributes_set_in_init",
        "check_set_params",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
    ],
)
def test_checks_of_scikit_learn(estimator, check):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    from sklearn.base import clone

    assert clone(estimator(dim=3)).dim == 3
    getattr(checks, check)(estimator.__name__, estimator())


def test_saving_loading_and_pickling(model, tmp_path):
    model.save(tmp_path / "m")
    with pytest.raises((ValueError, OSError), match="--force"):
        model.save(tmp_path / "m")
    model.save(tmp_path / "m", force=True)
    for other in (
        mcns.load(tmp_path / "m"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert same_bytes(other.embedding_, model.embedding_)
        assert (other.nodes_ == model.nodes_).all() and other.seed == 5 and other.dim == 16
        assert (other.recommend_all(k=3)[0] == model.recommend_all(k=3)[0]).all()
        assert other.history_ == model.history_
    answer = command_line("recommend", tmp_path / "m", "--user", model.users_[0], "-k", 3, "--json")
    assert f'"{model.recommend(model.users_[0], k=1)[0][0, 0]}"' in answer.stdout
    assert not hasattr(pickle.loads(pickle.dumps(mcns.Recommender(dim=3))), "embedding_")


def test_loading_keeps_parameters_of_components(data, tmp_path):
    mcns.Recommender(dim=4, epochs=1, sampler="dns:candidates=4").fit(data, out=tmp_path / "m")
    assert mcns.load(tmp_path / "m").sampler == "dns:candidates=4"
    with pytest.raises(FileNotFoundError):
        mcns.load(tmp_path / "none")


def test_repeated_fit_is_equal_and_partial_fit_goes_on(parts):
    train, valid, _ = parts
    a = mcns.Recommender(dim=8, epochs=2).fit(train)
    first = a.embedding_.copy()
    assert same_bytes(a.fit(train).embedding_, first)
    b = mcns.Recommender(dim=8, epochs=2).partial_fit(train)
    assert same_bytes(b.embedding_, first)
    b.set_params(epochs=0).partial_fit(train)
    assert np.allclose(b.embedding_, first, atol=1e-6)  # no epoch: the last vectors
    b.set_params(epochs=1).partial_fit(train)
    assert not same_bytes(b.embedding_, first)


def test_partial_fit_keeps_earlier_nodes_and_pairs():
    make = lambda u, i, **more: mcns.Dataset.from_arrays(u, i, **more)
    old = make(["a", "a", "b"], [1, 2, 2], weight=[1, 2, 3])
    model = mcns.Recommender(dim=4, epochs=1, saturated="skip").fit(old)
    vectors = dict(zip(model.nodes_.tolist(), model.embedding_.copy()))
    model.set_params(epochs=0).partial_fit(make(["a", "c"], [2, 7], weight=[5, 6]))
    assert set(model.users_) == {"a", "b", "c"} and set(model.items_) == {1, 2, 7}
    for node in ("a", "b", 1, 2):
        row = model.nodes_.tolist().index(node)
        directions = model.embedding_[row][:-1]  # the last is the popularity, which changed
        assert np.allclose(directions, vectors[node][:-1], atol=1e-6)
    rows, weights = model._fitted.edges()
    found = {(model.users_[u], model.items_[i]): w for (u, i), w in zip(rows, weights)}
    assert found == {("a", 1): 1, ("a", 2): 5, ("b", 2): 3, ("c", 7): 6}
    assert model.recommend(["b"], k=3)[0].tolist()[0].count(2) == 0  # seen before
    with pytest.raises(ValueError, match="same kind"):
        model.partial_fit(mcns.Dataset.from_arrays(source=[0], target=[1]))


def test_partial_fit_of_a_graph_takes_either_direction_of_an_edge():
    model = mcns.Embedder(dim=4, epochs=1, saturated="skip")
    model.fit(mcns.Dataset.from_arrays(source=[0, 1], target=[1, 2], weight=[1, 2]))
    model.partial_fit(mcns.Dataset.from_arrays(source=[2, 3], target=[1, 0], weight=[7, 8]))
    rows, weights = model._fitted.edges()
    found = dict(zip(map(tuple, rows.tolist()), weights.tolist()))
    assert found == {(0, 1): 1.0, (1, 2): 7.0, (0, 3): 8.0}


def test_settings_of_numpy_are_settings(data):
    plain = mcns.Recommender(dim=4, epochs=1, lr=0.05, seed=3).fit(data)
    own = mcns.Recommender(
        dim=np.int64(4), epochs=np.int32(1), lr=np.float64(0.05), seed=np.int64(3)
    ).fit(data)
    assert same_bytes(plain.embedding_, own.embedding_)


def test_flags_of_numpy_are_flags(tmp_path):
    (tmp_path / "g.tsv").write_text("1\t2\n2\t1\n")
    for given in (True, np.True_):
        assert len(mcns.Dataset.from_csv(tmp_path / "g.tsv", directed=given)) == 2


def test_threads_do_not_change_bits(parts):
    one, three = (mcns.Recommender(dim=8, epochs=2, threads=n).fit(parts[0]) for n in (1, 3))
    assert same_bytes(one.embedding_, three.embedding_)


def test_networks_encode_new_nodes(parts, data):
    train = parts[0]
    model = mcns.Recommender(encoder="lightgcn", dim=8, epochs=1).fit(train)
    assert model.encode(train).shape == model.embedding_.shape
    assert np.allclose(model.encode(train), model.embedding_, atol=1e-5)
    again = pickle.loads(pickle.dumps(model))
    assert np.allclose(again.encode(data), model.encode(data))
    with pytest.raises(ValueError, match="encode needs a model of a graph neural encoder"):
        mcns.Recommender(dim=8, epochs=1).fit(train).encode(train)


def test_errors_are_exceptions_with_the_librarys_text(data):
    with pytest.raises(ValueError, match="unknown sampler 'rnss'; did you mean 'rns'"):
        mcns.Recommender(sampler="rnss").fit(data)
    with pytest.raises(ValueError, match="dim"):
        mcns.Recommender(dim=0).fit(data)
    with pytest.raises(ValueError, match="users and items"):
        mcns.Recommender().fit(mcns.Dataset.from_arrays(source=[0, 1], target=[1, 2]))
    with pytest.raises(TypeError, match="cannot make a Dataset"):
        mcns.Recommender().fit(3)


def test_warnings_logging_and_callbacks(parts, caplog):
    train, valid, _ = parts
    records = []
    with caplog.at_level(logging.INFO, "mcns"), warnings.catch_warnings():
        warnings.simplefilter("error")
        mcns.Recommender(dim=4, epochs=2, eval_every=1).fit(
            train, valid, callbacks=[records.append]
        )
    assert [r["epoch"] for r in records] == [1, 2] and "mrr" in records[0]["valid"]
    assert "epoch 1: loss" in caplog.text
    with pytest.warns(UserWarning, match="valid pairs are in train as well"):
        mcns.Recommender(dim=4, epochs=1).fit(train, valid=train)

    class Stop(mcns.Callback):
        def on_epoch_end(self, epoch):
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        mcns.Recommender(dim=4, epochs=50).fit(train, callbacks=[Stop()])


def test_nothing_is_printed(parts, capfd):
    mcns.Recommender(dim=4, epochs=1).fit(parts[0], valid=parts[1])
    assert capfd.readouterr() == ("", "")


def interrupt_soon(seconds):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_keyboard_interrupt_stops_and_saves(data, tmp_path):
    endless = mcns.Recommender(dim=32, epochs=1_000_000, threads=1)
    interrupt_soon(0.7)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        endless.fit(data, out=tmp_path / "m")
    assert time.monotonic() - start < 10 and not hasattr(endless, "embedding_")
    assert (tmp_path / "m/checkpoint").exists()
    seen = []
    interrupt_soon(0.7)
    with pytest.raises(KeyboardInterrupt):
        endless.fit(
            data, out=tmp_path / "m", resume=True, callbacks=[lambda r: seen.append(r["epoch"])]
        )
    assert seen[0] > 1  # it went on


def test_the_gil_is_released(data):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    mcns.Recommender(dim=64, epochs=1500, threads=1).fit(data)
    end = time.monotonic()
    stop.set()
    thread.join()
    inside = sum(start < t < end for t in ticks)
    assert inside > 10  # at most twice where it had to wait


def test_a_child_process_may_train(data):
    model = mcns.Recommender(dim=4, epochs=1).fit(data)
    child = os.fork()
    if child == 0:
        try:
            fitted = mcns.Recommender(dim=4, epochs=1).fit(data)
            os._exit(0 if same_bytes(fitted.embedding_, model.embedding_) else 3)
        except BaseException:
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_progress_by_tqdm_and_event_files(parts, tmp_path, capfd):
    pytest.importorskip("tqdm")
    mcns.Recommender(dim=4, epochs=2).fit(parts[0], progress=True, tensorboard=tmp_path / "events")
    shown = capfd.readouterr().err
    assert "epoch 1" in shown and "epoch 2" in shown and "loss" in shown
    assert any((tmp_path / "events").iterdir())
