"""A two-tower model in PyTorch: sampled softmax with the correction by log q.

    python torch_two_tower.py TRAIN TEST

The score is a dot product of two small networks, so negatives are drawn against their outputs. A
negative that is drawn often must not count more often: its score is lowered by log(k q), which the
sampler tells.
"""

import math
import sys

import torch

import mcns


def tower(rows: int, dim: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Embedding(rows, dim), torch.nn.Linear(dim, dim), torch.nn.ReLU(),
        torch.nn.Linear(dim, dim),
    )  # fmt: skip


def fit(
    data: mcns.Dataset, sampler: str = "degree", epochs: int = 5, *, dim: int = 32, k: int = 20,
    batch: int = 1024, lr: float = 0.003
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Vectors of users and of items."""
    torch.manual_seed(1)
    users_tower, items_tower = tower(len(data.users), dim), tower(len(data.items), dim)
    optimizer = torch.optim.Adam([*users_tower.parameters(), *items_tower.parameters()], lr=lr)
    negatives_of = mcns.samplers.make(sampler, data, seed=1)
    pairs = torch.from_numpy(data.pairs())
    everyone, everything = torch.arange(len(data.users)), torch.arange(len(data.items))
    for _ in range(epochs):
        with torch.no_grad():  # once an epoch is enough for samplers that look at scores
            tables = users_tower(everyone), items_tower(everything)
        for rows in torch.split(torch.randperm(len(pairs)), batch):
            users, items = pairs[rows].T.contiguous()
            negatives = negatives_of.sample(users, items, k=k, tables=tables)
            log_q = negatives_of.log_q(users, negatives).float()
            u = users_tower(users)
            positive = (u * items_tower(items)).sum(-1, keepdim=True)
            negative = (u[:, None] * items_tower(negatives)).sum(-1) - log_q - math.log(k)
            loss = -torch.log_softmax(torch.cat([positive, negative], dim=1), dim=1)[:, 0].mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    with torch.no_grad():
        return users_tower(everyone), items_tower(everything)


if __name__ == "__main__":
    train, test = (mcns.Dataset.from_csv(path, bipartite="separate") for path in sys.argv[1:3])
    print(mcns.evaluate.recommend(fit(train), train, test))
