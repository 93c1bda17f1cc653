"""Data from every kind of table and graph: ids, rows and edges are kept."""

import os
import subprocess
import sys

import numpy as np
import pytest

import mcns
from mcns import Dataset


def pairs_of(data):
    return sorted(zip(*(x.tolist() for x in data.to_arrays())))


def test_rows_follow_numbers_and_first_appearance():
    numbers = Dataset.from_arrays(user=[7, 3, 7], item=[5, 5, 1])
    assert numbers.users.tolist() == [3, 7] and numbers.items.tolist() == [1, 5]
    names = Dataset.from_arrays(user=["b", "a", "b"], item=["y", "y", "x"])
    assert names.users.tolist() == ["b", "a"] and names.items.tolist() == ["y", "x"]
    assert names.pairs().tolist() == [[0, 0], [0, 1], [1, 0]]


def test_ids_keep_their_kind():
    text = Dataset.from_arrays(user=["1", "2"], item=[10, 20])
    assert text.users.tolist() == ["1", "2"] and text.items.tolist() == [10, 20]
    large = Dataset.from_arrays(user=[2**40, 5], item=[-3, 4])
    assert sorted(large.users.tolist()) == [5, 2**40] and sorted(large.items.tolist()) == [-3, 4]
    assert pairs_of(large) == [(5, 4), (2**40, -3)]
    assert large.user_rows([5]).tolist() == [large.users.tolist().index(5)]


def test_pandas_by_column_names_with_ratings_and_time():
    pd = pytest.importorskip("pandas")
    df = pd.DataFrame(
        {
            "who": ["a", "b", "a"],
            "what": [1, 2, 3],
            "stars": [5.0, 1.0, 4.0],
            "at": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
        }
    )
    data = Dataset.from_pandas(df, user="who", item="what", rating="stars", time="at", min_rating=3)
    assert pairs_of(data) == [("a", 1), ("a", 3)]
    assert data.times().tolist() == [1577836800.0, 1578009600.0]
    with pytest.raises(ValueError, match="no column 'nobody'"):
        Dataset.from_pandas(df, user="nobody", item="what")


@pytest.mark.parametrize(
    "ids, message",
    [
        ([1.5, 2.5], "whole numbers or text, got float64"),
        ([1.0, float("nan")], "id of row 1 is missing"),
        (["a", None], "id of row 1 is missing"),
        ([(1, 2), (3, 4)], "ids are one column"),
    ],
)
def test_bad_ids_are_refused(ids, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_arrays(user=ids, item=[1, 2])


def test_columns_of_different_lengths_and_bad_weights_are_refused():
    with pytest.raises(ValueError, match="2 users but 1 items"):
        Dataset.from_arrays(user=[1, 2], item=[1])
    with pytest.raises(ValueError, match="row 1: weight"):
        Dataset.from_arrays(user=[1, 2], item=[1, 2], weight=[1, -1])


def test_networkx_keeps_nodes_edges_weights_and_direction():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 3.0)])
    graph.add_node("alone")
    data = Dataset.from_networkx(graph, weight="weight")
    assert set(data.nodes) == {"a", "b", "c", "alone"} and not data.is_directed
    assert sorted(data.weights().tolist()) == [2.0, 3.0]
    directed = Dataset.from_networkx(nx.DiGraph([(1, 2), (2, 1)]))
    assert directed.is_directed and len(directed) == 2
    karate = Dataset.from_networkx(nx.karate_club_graph())
    assert len(karate) == 78 and karate.nodes.tolist() == list(range(34))


def test_scipy_as_users_and_items_and_as_graph():
    sp = pytest.importorskip("scipy.sparse")
    matrix = sp.csr_matrix(np.array([[1, 0, 2], [0, 0, 0]]))
    data = Dataset.from_scipy(matrix, users=["x", "y"], weighted=True)
    assert data.users.tolist() == ["x", "y"] and sorted(data.items.tolist()) == [0, 1, 2]
    assert pairs_of(data) == [("x", 0), ("x", 2)] and data.weights().tolist() == [1.0, 2.0]
    assert Dataset.from_scipy(matrix).items.tolist() == [0, 1, 2]  # numbers are rows
    ring = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    assert len(Dataset.from_scipy(ring)) == 2
    assert len(Dataset.from_scipy(ring, directed=True)) == 4


def test_polars_and_parquet(tmp_path):
    pl = pytest.importorskip("polars")
    df = pl.DataFrame({"user": ["a", "b"], "item": [3, 4]})
    assert pairs_of(Dataset.from_polars(df)) == [("a", 3), ("b", 4)]
    pytest.importorskip("pyarrow")
    df.write_parquet(tmp_path / "f.parquet")
    data = Dataset.from_parquet(tmp_path / "f.parquet", user="user", item="item")
    assert pairs_of(data) == [("a", 3), ("b", 4)]


def test_edge_index_counts_both_directions_once_and_keeps_isolated_nodes():
    index = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = Dataset.from_edge_index(index, num_nodes=5)
    assert len(data) == 2 and data.nodes.tolist() == [0, 1, 2, 3, 4]
    two = Dataset.from_edge_index(index, bipartite=True, num_users=4, num_items=3)
    assert len(two.users) == 4 and len(two.items) == 3 and len(two) == 4


def test_csv_by_the_readers_of_the_command_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("userId,movieId,rating\nu1,m1,5\nu2,m1,1\nu1,m2,4\n")
    data = Dataset.from_csv(path, columns="user=userId,item=movieId,rating=rating", min_rating=4)
    assert pairs_of(data) == [("u1", "m1"), ("u1", "m2")] and data.is_bipartite
    with pytest.raises(FileNotFoundError, match="No such file"):
        Dataset.from_csv(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="no option 'colums'"):
        Dataset.from_csv(path, colums="user=1")
    path.write_text("1\t2\n1\t2\t3\t4\n")
    with pytest.raises(ValueError, match="r.csv"):
        Dataset.from_csv(path)


def test_core_and_duplicates():
    data = Dataset.from_arrays(user=[0, 0, 1, 1, 2], item=[0, 1, 0, 1, 5], core=2)
    assert len(data) == 4 and data.users.tolist() == [0, 1]
    weighted = Dataset.from_arrays(user=[0, 0], item=[1, 1], weight=[1, 2])
    assert len(weighted) == 1 and weighted.weights().tolist() == [3.0]


@pytest.mark.parametrize("kind", ["random", "leave-one-out", "paper"])
def test_splits_of_pairs_are_parts_of_all(data, kind):
    train, valid, test = data.split(kind, seed=2)
    parts = [set(pairs_of(p)) for p in (train, valid, test)]
    assert set.union(*parts) == set(pairs_of(data))
    assert sum(map(len, parts)) == len(data) and all(parts)
    assert [len(p) for p in data.split(kind, seed=2)] == [len(p) for p in (train, valid, test)]


def test_split_by_time_needs_times_and_follows_them(data, pairs):
    with pytest.raises(ValueError, match="needs times"):
        data.split("time")
    timed = Dataset.from_arrays(pairs[:, 0], pairs[:, 1], time=np.arange(len(pairs)))
    train, valid, test = timed.split("time", valid=0.1, test=0.1)
    late = {tuple(p) for p in pairs[-len(test) :].tolist()}
    assert set(pairs_of(test)) == late


@pytest.mark.parametrize("kind", ["random", "leave-one-out", "time"])
def test_parts_of_a_split_have_all_ids_and_their_times(pairs, kind):
    rng = np.random.default_rng(0)
    names = [f"u{u}" for u in pairs[:60, 0]]
    when = rng.permutation(60).astype(float)
    data = Dataset.from_arrays(names, pairs[:60, 1], time=when)
    at = dict(zip(zip(*(x.tolist() for x in data.to_arrays())), data.times()))
    for part in data.split(kind, valid=0.2, test=0.3):
        assert set(part.users) == set(data.users) and set(part.items) == set(data.items)
        own = zip(zip(*(x.tolist() for x in part.to_arrays())), part.times())
        assert len(part) and all(at[pair] == moment for pair, moment in own)


def common_neighbors(graph, u, v):
    return set(graph[u]) & set(graph[v])


def test_hidden_links_and_kinds_of_non_edges():
    nx = pytest.importorskip("networkx")
    graph = nx.path_graph(60)  # every link holds it together
    data = Dataset.from_networkx(graph)
    train, _, test = data.split("hidden", valid=0, test=0.2)
    assert len(train) == 47 and len(data.split("connected", valid=0, test=0.2)[0]) == 59
    assert set(train.nodes.tolist()) == set(range(60))
    for kind, near in (("two-hop", 1.0), ("uniform", 0.3)):
        _, _, test = data.split("hidden", valid=0, test=0.2, non_edges=kind)
        source, target, labels = test.labelled()
        false = [(u, v) for u, v, label in zip(source, target, labels) if not label]
        assert len(false) == 12 and not any(graph.has_edge(u, v) for u, v in false)
        share = np.mean([bool(common_neighbors(graph, u, v)) for u, v in false])
        assert share == near if kind == "two-hop" else share < near
    with pytest.raises(ValueError, match="non_edges is one of uniform, degree, two-hop"):
        data.split("hidden", non_edges="near")


def test_labels_are_those_given_and_weights_are_none():
    held_out = Dataset.from_arrays(source=[3, 0], target=[1, 1], label=[0, 1])
    assert [x.tolist() for x in held_out.labelled()] == [[3, 0], [1, 1], [0, 1]]
    for other in (
        Dataset.from_arrays(source=[0], target=[1]),
        Dataset.from_arrays(source=[0], target=[1], weight=[1]),
        Dataset.from_arrays(source=[0, 1], target=[1, 2], weight=[0.5, 0]),
    ):
        with pytest.raises(ValueError, match="no labels"):
            other.labelled()


def test_splits_of_links_have_labels():
    nx = pytest.importorskip("networkx")
    data = Dataset.from_networkx(nx.karate_club_graph())
    train, valid, test = data.split("connected", valid=0.1, test=0.2)
    users, items, labels = test.labelled()
    assert labels.tolist().count(1) == labels.tolist().count(0) == 16
    edges = {frozenset(p) for p in nx.karate_club_graph().edges()}
    for u, v, label in zip(users, items, labels):
        assert (frozenset((u, v)) in edges) == (label == 1)
    with pytest.raises(ValueError, match="leave-one-out"):
        data.split("leave-one-out")


def test_leaks_are_found(parts):
    train, valid, test = parts
    assert not [f for f in mcns.check_leaks(train, valid, test) if f["leak"]]
    found = mcns.check_leaks(train, valid, train)
    assert found[0]["kind"] == "shared-pair" and found[0]["count"] == len(train)


def test_numbers_arrive_without_loss_and_fast():
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 1000, (2, 200_000))
    data = Dataset.from_arrays(source, target)
    assert len(data) == len(np.unique(source * 1000 + target))


MEMORY = """
import numpy as np, mcns
source, target = np.random.default_rng(0).integers(0, 200_000, (2, 10_000_000))
peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
before = peak()
data = mcns.Dataset.from_arrays(source, target)
assert len(data) > 9_990_000
print(peak() - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc here")
def test_ten_million_edges_take_one_copy_beside_the_graph():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pairs, nodes = 10_000_000, 400_000
    graph = 2 * 4 * pairs + 2 * 8 * nodes  # neighbours from both sides, and where rows begin
    copy = 2 * 4 * pairs
    assert int(done.stdout) < graph + 1.25 * copy
