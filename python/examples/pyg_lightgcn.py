"""LightGCN of PyTorch Geometric with negatives from a sampler of mcns.

python pyg_lightgcn.py TRAIN TEST
"""

import sys

import torch
from torch_geometric.nn import LightGCN  # type: ignore[import-untyped]

import mcns


def fit(
    data: mcns.Dataset, sampler: str = "mcns", epochs: int = 20, *, dim: int = 32, batch: int = 1024
) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors of users and of items."""
    torch.manual_seed(1)
    users = len(data.users)
    pairs = torch.from_numpy(data.pairs())
    model = LightGCN(users + len(data.items), dim, num_layers=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    negatives_of = mcns.samplers.make(sampler, data, seed=1)
    forth = torch.stack([pairs[:, 0], pairs[:, 1] + users])
    edges = torch.cat([forth, forth.flip(0)], dim=1)
    for _ in range(epochs):
        for rows in torch.split(torch.randperm(len(pairs)), batch):
            vectors = model.get_embedding(edges)
            u, i = pairs[rows].T.contiguous()
            tables = vectors[:users].contiguous(), vectors[users:].contiguous()
            j = negatives_of.sample(u, i, k=1, tables=tables)[:, 0]
            true = (vectors[u] * vectors[i + users]).sum(-1)
            false = (vectors[u] * vectors[j + users]).sum(-1)
            nodes = torch.cat([u, i + users, j + users])
            loss = model.recommendation_loss(true, false, node_id=nodes, lambda_reg=1e-4)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        vectors = model.get_embedding(edges)
    return vectors[:users], vectors[users:]


if __name__ == "__main__":
    train, test = (mcns.Dataset.from_csv(path, bipartite="separate") for path in sys.argv[1:3])
    print(mcns.evaluate.recommend(fit(train), train, test))
