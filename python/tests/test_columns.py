"""Columns of other libraries: missing values, times with zones, memory that is shared."""

import copy
import datetime
import pickle
import threading
import time

import numpy as np
import pytest
from mcns._functions import on_cpu, rows_of
from mcns._ids import array_of

import mcns
from mcns import Dataset
from mcns.samplers import _table


class Exported:
    """An array that is known by DLPack alone."""

    def __init__(self, array, device=None):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device or self.array.__dlpack_device__()


def test_dlpack_shares_memory():
    rows, table = np.arange(6), np.ones((3, 16), "f4")
    assert np.shares_memory(array_of(Exported(rows)), rows)
    assert np.shares_memory(rows_of(Exported(rows), "users"), rows)
    assert np.shares_memory(rows_of(rows, "users"), rows)
    assert np.shares_memory(_table(Exported(table), "table"), table)
    with pytest.raises(ValueError, match="users is on a GPU"):
        on_cpu(Exported(rows, device=(2, 0)), "users")


def test_dlpack_makes_data_and_draws(data, tables):
    users, items = (np.ascontiguousarray(column) for column in data.pairs().T)
    again = Dataset.from_arrays(Exported(users), Exported(items))
    assert (again.pairs() == data.pairs()).all()
    by_numpy = mcns.samplers.DNS(data).sample(users[:9], items[:9], k=2, tables=tables)
    by_dlpack = mcns.samplers.DNS(data).sample(
        Exported(users[:9]), Exported(items[:9]), k=2, tables=tuple(map(Exported, tables))
    )
    assert (by_numpy == by_dlpack).all()


def test_missing_ids_of_pandas_are_named():
    pd = pytest.importorskip("pandas")
    for column in (
        pd.array([1, None], dtype="Int64"),
        pd.Series(["a", pd.NA], dtype="string"),
        pd.Series(["a", pd.NA], dtype=object),
    ):
        with pytest.raises(ValueError, match="user: the id of row 1 is missing"):
            Dataset.from_arrays(user=column, item=[1, 2])


def test_times_that_are_missing_are_refused():
    for missing in (
        np.array(["2020-01-01", "NaT"], dtype="datetime64[s]"),
        [1.0, float("nan")],
        [datetime.date(2020, 1, 1), None],
    ):
        with pytest.raises(ValueError, match="time: row 1 has none"):
            Dataset.from_arrays(user=[1, 2], item=[1, 2], time=missing)
    with pytest.raises(ValueError, match="numbers or dates, got 'noon'"):
        Dataset.from_arrays(user=[1], item=[1], time=np.array(["noon"], object))


def test_times_with_a_zone_are_seconds_of_utc():
    pd = pytest.importorskip("pandas")
    east = datetime.timezone(datetime.timedelta(hours=2))
    zoned = pd.Series(pd.to_datetime(["2020-01-01 02:00", "2020-01-02 02:00"])).dt.tz_localize(east)
    naive = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]
    aware = [moment.replace(hour=2, tzinfo=east) for moment in naive]
    dates = [moment.date() for moment in naive]
    for when in (zoned, naive, aware, dates, np.array(naive, dtype="datetime64[ns]")):
        data = Dataset.from_arrays(user=[1, 2], item=[1, 2], time=when)
        assert data.times().tolist() == [1577836800.0, 1577923200.0]


def test_zeros_that_scipy_stores_are_no_edges():
    sp = pytest.importorskip("scipy.sparse")
    matrix = sp.coo_matrix(([1.0, 0.0, 2.0], ([0, 0, 1], [0, 1, 2])), shape=(2, 3))
    assert matrix.nnz == 3
    data = Dataset.from_scipy(matrix)
    assert sorted(zip(*(x.tolist() for x in data.to_arrays()))) == [(0, 0), (1, 2)]


def test_weights_of_an_edge_index_in_one_direction_or_both():
    index = np.array([[0, 1, 2, 3], [1, 0, 1, 2]])  # 0-1 twice, 2-1 and 3-2 backwards
    data = Dataset.from_edge_index(index, weight=[5.0, 5.0, 7.0, 9.0])
    found = dict(zip(map(tuple, data.pairs().tolist()), data.weights().tolist()))
    assert found == {(0, 1): 5.0, (1, 2): 7.0, (2, 3): 9.0}


def test_graphs_of_dgl_are_not_taken_for_those_of_networkx():
    class Graph:
        """What DGL has: methods of networkx by other rules."""

        def is_multigraph(self):
            return False

        def edges(self):
            return np.array([0, 1]), np.array([1, 2])

        def num_nodes(self):
            return 4

    Graph.__module__ = "dgl.heterograph"
    data = mcns._data.as_dataset(Graph())
    assert data.is_directed and data.pairs().tolist() == [[0, 1], [1, 2]] and len(data.nodes) == 4


@pytest.mark.parametrize("text", [False, True])
def test_datasets_are_pickled_and_copied(text):
    ids = (lambda x: f"n{x}") if text else (lambda x: x)
    data = Dataset.from_arrays(
        user=[ids(3), ids(1), ids(1)],
        item=[ids(2), ids(2), ids(5)],
        weight=[1.5, 2, 3],
        time=[10, 20, 30],
        users=[ids(9)],
        duplicates="last",
    )
    for other in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data), copy.copy(data)):
        assert other.users.tolist() == data.users.tolist() and len(other.users) == 3
        assert other.items.tolist() == data.items.tolist()
        for name in ("pairs", "weights", "times"):
            assert getattr(other, name)().tolist() == getattr(data, name)().tolist()
    graph = Dataset.from_arrays(source=[0, 1], target=[1, 0], directed=True)
    assert len(pickle.loads(pickle.dumps(graph))) == 2
    held_out = Dataset.from_arrays(source=[0, 1], target=[1, 2], label=[1, 1])
    assert pickle.loads(pickle.dumps(held_out)).labelled()[2].tolist() == [1, 1]


def ticks_during(work):
    """How often another thread woke up meanwhile; at most twice where it had to wait."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    try:
        work()
    finally:
        stop.set()
        thread.join()
    end = time.monotonic()
    return sum(start < t < end for t in ticks)


def test_other_threads_run_while_graphs_are_built_and_checked():
    source, target = np.random.default_rng(0).integers(0, 100_000, (2, 1_000_000))
    few = Dataset.from_arrays(source[:100_000], target[:100_000])

    def best(work):  # of three: the machine may be busy
        made = [Dataset.from_arrays(source, target) for _ in range(3)]
        return max(ticks_during(lambda: work(made.pop())) for _ in range(3))

    assert best(lambda data: len(data)) > 4
    assert best(lambda data: mcns.samplers.RNS(data).sample([0], [0], k=1)) > 4
    assert best(lambda data: mcns.check_leaks(few, test=few)) > 4
