"""Samplers on their own: their contract for every one, and that they are those of the trainer."""

import copy
import os
import pickle

import numpy as np
import pytest

import mcns
from mcns import samplers

EVERY = [name for name in samplers.CLASSES if name not in ("file", "mix")]


def positives(data):
    return set(map(tuple, data.pairs().tolist()))


@pytest.mark.parametrize("name", EVERY)
def test_every_sampler_gives_exactly_k_allowed_rows_and_repeats(data, tables, name):
    users, items = data.pairs()[:200].T
    draws = []
    for threads in (1, 3):
        sampler = samplers.CLASSES[name](data, seed=4, threads=threads)
        drawn = [sampler.sample(users, items, k=3, tables=tables) for _ in range(3)]
        for negatives in drawn:
            assert negatives.shape == (200, 3) and negatives.dtype == np.int64
            assert negatives.min() >= 0 and negatives.max() < len(data.items)
        draws.append(np.stack(drawn))
        weights = sampler.weights
        if weights is None:
            known = positives(data)
            assert not any((u, v) in known for u, row in zip(users, drawn[-1]) for v in row)
    assert (draws[0] == draws[1]).all()


def test_mcns_is_harder_than_uniform_and_hardness_counts(data, tables):
    U, V = tables
    users = np.arange(400) % len(data.users)
    mean = lambda n: float((U[users][:, None] * V[n]).sum(-1).mean())
    drawn = {
        h: samplers.MCNS(data, hardness=h, seed=1).sample(users, k=5, tables=tables)
        for h in (2, 8, 64)
    }
    easy = mean(samplers.RNS(data).sample(users, k=5))
    assert easy + 0.5 < mean(drawn[2]) < mean(drawn[8]) < mean(drawn[64])


def test_names_and_texts_make_the_same_sampler(data, tables):
    users = np.arange(50)
    a = samplers.DNS(data, candidates=4, seed=2).sample(users, k=2, tables=tables)
    b = samplers.make("dns:candidates=4", data, seed=2).sample(users, k=2, tables=tables)
    assert (a == b).all() and str(samplers.DNS(data, candidates=4)) == "dns:candidates=4"
    mixed = samplers.make("mix:0.5*dns+0.5*rns", data).sample(users, k=2, tables=tables)
    assert mixed.shape == (50, 2)
    with pytest.raises(ValueError, match="unknown sampler 'dnss'"):
        samplers.make("dnss", data)
    with pytest.raises(ValueError, match="candidate"):
        samplers.DNS(data, candidate=4)


def test_scores_by_a_function_are_scores_by_tables(data, tables):
    U, V = tables
    users = np.arange(40)
    by_function = lambda u, i: (U[u] * V[i]).sum(-1)
    for name in ("dns", "exact", "self-adversarial", "mcns:hardness=8"):
        a = samplers.make(name, data, seed=3)
        b = samplers.make(name, data, seed=3)
        first = a.sample(users, k=2, tables=tables)
        assert (first == b.sample(users, k=2, scores=by_function)).mean() > 0.97, name

    def broken(users, items):
        raise KeyError("no scores")

    with pytest.raises(KeyError, match="no scores"):
        samplers.DNS(data).sample(users, k=2, scores=broken)


def test_log_q_of_uniform_and_exact_draws(data, tables):
    users = np.arange(len(data.users))
    rns = samplers.RNS(data)
    negatives = rns.sample(users, k=3)
    degree = np.bincount(data.pairs()[:, 0], minlength=len(users))
    assert np.allclose(rns.log_q(users, negatives), -np.log(len(data.items) - degree)[:, None])
    exact = samplers.Exact(data, seed=1)
    exact.sample(users[:3], k=1, tables=tables)
    everything = np.tile(np.arange(len(data.items)), (3, 1))
    q = np.exp(exact.log_q(users[:3], everything))
    assert np.allclose(q.sum(axis=1), 1, atol=1e-5)
    known = positives(data)
    assert all((q[u, v] == 0) == ((u, v) in known) for u in range(3) for v in everything[0])


def test_log_q_takes_tables_and_scores_of_its_own(data, tables):
    U, V = tables
    users = np.arange(4)
    everything = np.tile(np.arange(len(data.items)), (4, 1))
    exact = samplers.Exact(data, seed=1)
    exact.sample(users, k=1, tables=(np.zeros_like(U), np.zeros_like(V)))
    flat = exact.log_q(users, everything)
    by_tables = exact.log_q(users, everything, tables=tables)
    by_function = exact.log_q(users, everything, scores=lambda u, i: (U[u] * V[i]).sum(-1))
    assert np.allclose(np.exp(by_tables).sum(axis=1), 1, atol=1e-5)
    assert np.allclose(by_tables, by_function, atol=1e-4) and not np.allclose(by_tables, flat)


@pytest.mark.parametrize("dim", [32, 7])
def test_log_q_of_mcns_is_a_distribution_that_rises_with_the_score(data, dim):
    rng = np.random.default_rng(0)
    U, V = (rng.normal(size=(len(x), dim)).astype("f4") for x in (data.users, data.items))
    users = np.arange(len(data.users))
    everything = np.tile(np.arange(len(data.items)), (len(users), 1))
    log_q = samplers.MCNS(data, hardness=8, seed=1).log_q(users, everything, tables=(U, V))
    assert np.allclose(np.exp(log_q).sum(axis=1), 1)
    known = positives(data)
    for user in users:
        free = [v for v in everything[0] if (user, v) not in known]
        order = np.argsort(V[free] @ U[user])
        assert (np.diff(log_q[user, free][order]) > 0).all()


def test_samplers_are_pickled_and_copied_with_their_state(data, tables):
    users, items = data.pairs()[:100].T
    a = samplers.MCNS(data, hardness=8, seed=9)
    a.sample(users, items, k=2, tables=tables)
    others = pickle.loads(pickle.dumps(a)), copy.deepcopy(a)
    expected = a.sample(users, items, k=2, tables=tables)
    fresh = samplers.MCNS(data, hardness=8, seed=9).sample(users, items, k=2, tables=tables)
    assert (fresh != expected).any()
    for other in others:
        assert type(other) is samplers.MCNS
        assert (other.sample(users, items, k=2, tables=tables) == expected).all()


def test_an_estimator_with_a_sampler_is_cloned_by_scikit_learn(data):
    base = pytest.importorskip("sklearn.base")
    estimator = mcns.Recommender(dim=4, epochs=1, sampler=samplers.DNS(data, candidates=4))
    cloned = base.clone(estimator)
    assert cloned.sampler is not estimator.sampler and str(cloned.sampler) == "dns:candidates=4"
    assert (cloned.fit(data).embedding_ == estimator.fit(data).embedding_).all()


def test_state_is_saved_and_loaded(data, tables):
    users, items = data.pairs()[:100].T
    a = samplers.MCNS(data, hardness=8, seed=9)
    a.sample(users, items, k=2, tables=tables)
    state = a.state_dict()
    expected = a.sample(users, items, k=2, tables=tables)
    b = samplers.MCNS(data, hardness=8, seed=9)
    b.load_state_dict(state)
    assert (b.sample(users, items, k=2, tables=tables) == expected).all()
    with pytest.raises(ValueError, match="seed"):
        samplers.MCNS(data, hardness=8, seed=1).load_state_dict(state)


def test_what_does_not_fit_is_refused(data, tables):
    sampler = samplers.MCNS(data)
    with pytest.raises(ValueError, match="give tables"):
        sampler.sample([0], k=1)
    with pytest.raises(ValueError, match="user 9999 is not a row"):
        sampler.sample([9999], k=1, tables=tables)
    with pytest.raises(ValueError, match="table of items has 3 rows"):
        sampler.sample([0], k=1, tables=(tables[0], tables[1][:3]))
    with pytest.raises(ValueError, match="columns"):
        sampler.sample([0], k=1, tables=(tables[0], tables[1][:, :16]))
    with pytest.raises(ValueError, match="row numbers"):
        sampler.sample(["a"], k=1, tables=tables)


def test_odd_dimensions_are_copied_to_where_kernels_read(data):
    rng = np.random.default_rng(1)
    users = np.arange(30)
    U, V = (rng.normal(size=(n, 7)).astype("f4") for n in (len(data.users), len(data.items)))
    padded = [np.concatenate([t, np.zeros((len(t), 9), "f4")], axis=1) for t in (U, V)]
    a = samplers.Exact(data, seed=1).sample(users, k=2, tables=(U, V))
    b = samplers.Exact(data, seed=1).sample(users, k=2, tables=tuple(padded))
    assert (a == b).all()


def test_generators_learn_from_feedback(data, tables):
    U, V = tables
    users, items = data.pairs()[:100].T
    learned, ignorant = (samplers.KBGAN(data, seed=1) for _ in range(2))
    for _ in range(5):
        a = learned.sample(users, items, k=1, tables=tables)
        b = ignorant.sample(users, items, k=1, tables=tables)
        score = lambda v: (U[users] * V[v]).sum(-1, keepdims=True)
        learned.feedback(np.concatenate([score(items), score(a[:, 0])], axis=1))
    assert (a != b).any()
    with pytest.raises(ValueError, match="feedback has"):
        learned.feedback(np.zeros((3, 2), "f4"))


def test_a_graph_has_one_table():
    nx = pytest.importorskip("networkx")
    data = mcns.Dataset.from_networkx(nx.karate_club_graph())
    table = np.random.default_rng(0).normal(size=(34, 16)).astype("f4")
    drawn = samplers.MCNS(data, seed=1).sample(np.arange(34), k=4, tables=table)
    known = positives(data) | {(v, u) for u, v in positives(data)}
    assert drawn.shape == (34, 4)
    assert not any((u, v) in known or u == v for u, row in enumerate(drawn.tolist()) for v in row)


def test_loader_covers_every_pair_once_in_a_seeded_order(data, tables):
    loader = mcns.loader(data, 100, sampler="mcns", k=2, tables=lambda: tables, seed=3)
    seen = [(u, i) for users, items, n in loader for u, i in zip(users, items)]
    assert sorted(seen) == sorted(positives(data)) and len(loader) == -(-len(data) // 100)
    again = [
        (u, i)
        for users, items, n in mcns.loader(data, 100, k=2, seed=3)
        for u, i in zip(users, items)
    ]
    assert again == seen
    second = [(u, i) for users, items, n in loader for u, i in zip(users, items)]
    assert second != seen and sorted(second) == sorted(seen)


def uniform(data):
    """Uniform negatives in Python: drawn again where they are positives."""
    known = positives(data)
    items = len(data.items)

    def draw(batch):
        rng = batch.rng()
        out = rng.integers(0, items, (len(batch.users), batch.k))
        for i, u in enumerate(batch.users.tolist()):
            for j in range(batch.k):
                while (u, int(out[i, j])) in known:
                    out[i, j] = rng.integers(0, items)
        return out

    return draw


def test_a_sampler_written_in_python_trains(data):
    draw = uniform(data)
    a, b = (mcns.Recommender(dim=8, epochs=2, sampler=draw, threads=t).fit(data) for t in (1, 3))
    assert (a.embedding_ == b.embedding_).all()
    samplers.register("uniform-of-mine", draw)
    c = mcns.Recommender(dim=8, epochs=2, sampler="uniform-of-mine").fit(data)
    mixed = mcns.Recommender(dim=8, epochs=1, sampler="mix:0.5*uniform-of-mine+0.5*rns").fit(data)
    assert np.isfinite(c.embedding_).all() and np.isfinite(mixed.embedding_).all()
    with pytest.raises(ValueError, match="there is a sampler called 'rns'"):
        samplers.register("rns", draw)


def test_a_sampler_written_in_python_draws_for_other_loops(data, tables):
    draw = uniform(data)
    users, items = data.pairs()[:50].T
    samplers.register("uniform-for-loops", draw)
    made = [
        samplers.make("uniform-for-loops", data, seed=5),
        samplers.make(draw, data, seed=5),
        samplers.Function(data, draw, seed=5),
    ]
    drawn = [sampler.sample(users, items, k=3) for sampler in made]
    assert all((other == drawn[0]).all() for other in drawn) and drawn[0].shape == (50, 3)
    known = positives(data)
    assert not any((u, v) in known for u, row in zip(users, drawn[0]) for v in row)
    assert (made[0].sample(users, items, k=3) != drawn[0]).any()  # the next batch
    mixed = samplers.make("mix:0.5*uniform-for-loops+0.5*dns", data)
    assert mixed.sample(users, items, k=2, tables=tables).shape == (50, 2)
    for sampler in ("uniform-for-loops", draw):
        batches = list(mcns.loader(data, 200, sampler=sampler, k=2, seed=4))
        assert batches[0][2].shape == (200, 2)
    with pytest.raises(ValueError, match="not a row"):
        samplers.make(lambda b: np.full((len(b.users), b.k), 10**6), data).sample(users, items)
    with pytest.raises(ValueError, match="unknown sampler 'nobody'"):
        samplers.make("nobody", data)


def test_loader_takes_classes_and_objects(data):
    by_class = [n for _, _, n in mcns.loader(data, 300, sampler=samplers.RNS, seed=2)]
    by_object = [n for _, _, n in mcns.loader(data, 300, samplers.RNS(data, seed=2), seed=2)]
    assert all((a == b).all() for a, b in zip(by_class, by_object))


def test_a_sampler_written_in_python_is_checked(data):
    first = int(data.pairs()[0, 1])
    with pytest.raises(ValueError, match="is a training positive"):
        mcns.Recommender(epochs=1, sampler=lambda b: np.full((len(b.users), b.k), first)).fit(data)
    with pytest.raises(ValueError, match="not a row"):
        mcns.Recommender(epochs=1, sampler=lambda b: np.full((len(b.users), b.k), 10**6)).fit(data)
    with pytest.raises(ValueError, match="gave an array of"):
        mcns.Recommender(epochs=1, sampler=lambda b: np.zeros((2, 2), int)).fit(data)
    with pytest.raises(ZeroDivisionError):
        mcns.Recommender(epochs=1, sampler=lambda b: 1 // 0).fit(data)


def test_a_sampler_object_names_itself(data):
    a = mcns.Recommender(dim=8, epochs=1, sampler=samplers.DNS(data, candidates=4)).fit(data)
    b = mcns.Recommender(dim=8, epochs=1, sampler="dns:candidates=4").fit(data)
    assert (a.embedding_ == b.embedding_).all()


def test_a_sampler_of_the_parent_says_so_in_a_child(data, tables):
    sampler = samplers.MCNS(data, threads=2)
    users = np.arange(600) % 60  # several blocks: work for both threads
    sampler.sample(users, k=2, tables=tables)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sampler.sample(users, k=2, tables=tables)
            os.write(write, b"no error")
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert b"before fork()" in os.read(read, 1000)
