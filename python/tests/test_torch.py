"""Torch and PyTorch Geometric: tensors in and out, round trips, and the examples. Run by
tools/test_torch.sh; skipped where torch is not installed."""

import importlib.util
import os
import pathlib

import numpy as np
import pytest
from mcns._functions import rows_of

import mcns
from mcns.samplers import _table

torch = pytest.importorskip("torch", reason="torch is not installed; tools/test_torch.sh has it")


def example(name):
    source = os.environ.get("MCNS_SOURCE", pathlib.Path(__file__).parents[2])
    path = pathlib.Path(source) / "python/examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tensors_in_tensors_out(data, tables):
    U, V = (torch.nn.Parameter(torch.from_numpy(t)) for t in tables)
    users, items = torch.from_numpy(data.pairs()[:50].copy()).T
    a = mcns.samplers.MCNS(data, seed=1).sample(users, items, k=3, tables=(U, V))
    b = mcns.samplers.MCNS(data, seed=1).sample(users.numpy(), items.numpy(), k=3, tables=tables)
    assert isinstance(a, torch.Tensor) and a.dtype == torch.int64 and (a.numpy() == b).all()
    log_q = mcns.samplers.RNS(data).log_q(users, a)
    assert isinstance(log_q, torch.Tensor) and log_q.shape == a.shape


def test_tensors_share_their_memory(data):
    rows, table = torch.arange(5), torch.ones(3, 16, requires_grad=True)
    assert rows_of(rows, "users").ctypes.data == rows.data_ptr()
    assert _table(table, "table").ctypes.data == table.data_ptr()
    users, items = torch.from_numpy(data.pairs().copy()).T.contiguous()
    assert (mcns.Dataset.from_arrays(users, items).pairs() == data.pairs()).all()
    again = torch.from_dlpack(mcns.samplers.RNS(data).sample(users[:9].numpy(), k=2))
    assert again.shape == (9, 2)


def test_loaders_give_tensors_where_tables_are(data, tables):
    tensors = tuple(torch.from_numpy(table) for table in tables)
    plain = mcns.loader(data, 300, "dns", 2, tables=lambda: tables, seed=1)
    for kind in (dict(tables=lambda: tensors), dict(tables=lambda: tables, as_torch=True)):
        for batch, expected in zip(mcns.loader(data, 300, "dns", 2, seed=1, **kind), plain):
            assert all(isinstance(column, torch.Tensor) for column in batch)
            assert all((a.numpy() == b).all() for a, b in zip(batch, expected))
        plain.epoch = 0
        plain.sampler = mcns.samplers.make("dns", data, seed=1)


def test_a_tensor_on_a_gpu_is_refused_with_a_word(data, tables):
    class OnGpu:
        is_cuda = True

    with pytest.raises(ValueError, match="is on a GPU"):
        mcns.samplers.MCNS(data).sample(OnGpu(), k=1, tables=tables)


def test_edge_index_and_pyg_round_trip():
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = mcns.Dataset.from_edge_index(index, num_nodes=4)
    assert sorted(map(tuple, data.pairs().tolist())) == [(0, 1), (1, 2)]
    geometric = pytest.importorskip("torch_geometric.data")
    graph = mcns.Dataset.from_pyg(geometric.Data(edge_index=index, num_nodes=4))
    assert len(graph) == 2 and not graph.is_directed and len(graph.nodes) == 4
    hetero = geometric.HeteroData()
    hetero["user"].num_nodes, hetero["film"].num_nodes = 3, 4
    hetero["user", "likes", "film"].edge_index = index
    pairs = mcns.Dataset.from_pyg(hetero, edge_type=("user", "likes", "film"))
    assert len(pairs.users) == 3 and len(pairs.items) == 4 and len(pairs) == 4


def chance(train, valid):
    """MRR of vectors that know nothing, the mean of some."""
    rng = np.random.default_rng(0)
    random = lambda n: rng.normal(size=(n, 16)).astype("f4")
    figures = [
        mcns.evaluate.recommend((random(len(train.users)), random(len(train.items))), train, valid)
        for _ in range(10)
    ]
    return float(np.mean([f["mrr"] for f in figures]))


def test_matrix_factorisation_learns(parts):
    module = example("torch_mf")
    train, valid, _ = parts
    model, seconds = module.fit(train, "mcns:hardness=4", 0.01, 30, dim=16, batch=256)
    assert seconds["steps"] > seconds["sampling"] > 0
    assert module.mrr(model, train, valid) > 1.3 * chance(train, valid)


def test_two_towers_learn_with_the_correction_by_log_q(parts):
    train, valid, _ = parts
    tables = example("torch_two_tower").fit(train, epochs=20, dim=16, batch=256, lr=0.01)
    assert mcns.evaluate.recommend(tables, train, valid)["mrr"] > 1.3 * chance(train, valid)


def test_lightgcn_of_pyg_learns(parts):
    pytest.importorskip("torch_geometric")
    train, valid, _ = parts
    tables = example("pyg_lightgcn").fit(train, "mcns:hardness=4", epochs=20, dim=16, batch=256)
    assert mcns.evaluate.recommend(tables, train, valid)["mrr"] > 1.3 * chance(train, valid)


@pytest.mark.skipif("MCNS_DATA" not in os.environ, reason="MCNS_DATA names no folder of datasets")
@pytest.mark.skipif("MCNS_TORCH" not in os.environ, reason="minutes; tools/test_torch.sh runs it")
def test_negatives_of_mcns_help_matrix_factorisation_on_ml_100k():
    module = example("torch_mf")
    folder = pathlib.Path(os.environ["MCNS_DATA"]) / "ml-100k"
    found = module.race(
        *module.read(*(str(folder / f"mcns_{p}.tsv") for p in ("train", "valid", "test"))),
        epochs=60,
    )
    print(found)
    assert found["mcns"]["test mrr"] >= 1.05 * found["rns"]["test mrr"]
    assert found["mcns"]["sampling over the rest"] < 0.3
    assert np.isfinite(found["mcns"]["test mrr"])
