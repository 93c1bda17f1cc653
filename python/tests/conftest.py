"""Data that the tests share."""

import numpy as np
import pytest

import mcns


def user_item_pairs(seed=1, users=60, items=80, pairs=1200):
    """Two groups of users and items, most pairs within a group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, pairs)
    user = group * (users // 2) + rng.integers(0, users // 2, pairs)
    item = group * (items // 2) + rng.integers(0, items // 2, pairs)
    out = np.unique(np.stack([user, item], axis=1), axis=0)
    return rng.permutation(out)


@pytest.fixture(scope="session")
def pairs():
    return user_item_pairs()


@pytest.fixture(scope="session")
def data(pairs):
    return mcns.Dataset.from_arrays(pairs[:, 0], pairs[:, 1])


@pytest.fixture(scope="session")
def parts(data):
    return data.split("random", valid=0.1, test=0.1, seed=3)


@pytest.fixture(scope="session")
def tables(data):
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(len(x), 32)).astype("f4") for x in (data.users, data.items))
