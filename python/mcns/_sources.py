"""Where data come from: tables, graphs and files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from . import _core
from ._columns import as_text, floats, one_direction, rated, times
from ._ids import Ids, array_of


class Sources:
    """What makes a Dataset."""

    def __init__(
        self, edges: _core.EdgeData, numbers: tuple[bool, bool], labelled: bool = False
    ) -> None:
        raise NotImplementedError

    @classmethod
    def from_arrays(
        cls,
        user: Any = None,
        item: Any = None,
        *,
        source: Any = None,
        target: Any = None,
        weight: Any = None,
        rating: Any = None,
        time: Any = None,
        label: Any = None,
        min_rating: float | None = None,
        bipartite: str | None = None,
        directed: bool = False,
        duplicates: str | None = None,
        core: int | None = None,
        users: Any = None,
        items: Any = None,
        nodes: Any = None,
    ) -> Self:
        """Pairs from columns: `user` and `item`, or `source` and `target` of a graph.

        `rating` with `min_rating` keeps the pairs that are rated at least so; ratings are no
        weights. `label` is 1 for a true pair and 0 for a false one (link prediction). `users`,
        `items` and `nodes` have ids that may be without any pair. `bipartite` is "separate"
        (default with user and item), or "shared" where both are of one id space.
        """
        two_sets = user is not None or item is not None
        if two_sets == (source is not None or target is not None):
            raise ValueError("give user and item, or source and target")
        first, second = (user, item) if two_sets else (source, target)
        if first is None or second is None:
            raise ValueError("give both columns of the pairs")
        words = ("user", "item") if two_sets else ("source", "target")
        load: dict[str, str] = {}
        if two_sets:
            load["bipartite"] = bipartite or "separate"
        elif bipartite not in (None, "none"):
            raise ValueError(f"bipartite={bipartite!r} is for user and item")
        if directed:
            load["directed"] = "true"
        if duplicates is not None:
            load["duplicates"] = duplicates
        if core is not None:
            load["core"] = str(core)
        values = [Ids(first, words[0]), Ids(second, words[1])]
        if len(values[0]) != len(values[1]):
            raise ValueError(f"{len(values[0])} {words[0]}s but {len(values[1])} {words[1]}s")
        extra = [users if two_sets else nodes, items]
        more = [None if e is None else Ids(e, w) for e, w in zip(extra, ("users", "items"))]
        weights = floats(label if label is not None else weight, "weight")
        when = times(time)
        keep = rated(rating, min_rating)
        if keep is not None:
            values = [_selected(v, keep) for v in values]
            weights = None if weights is None else weights[keep]
            when = None if when is None else when[keep]
        edges, numbers = _edges(values, more, weights, when, load)
        return cls(edges, numbers, label is not None)

    @classmethod
    def _from_frame(cls, frame: Any, columns: dict[str, str | None], more: dict[str, Any]) -> Self:
        names = list(frame.columns)
        if all(columns[c] is None for c in ("user", "item", "source", "target")):
            ends = ("user", "item") if {"user", "item"} <= set(names) else ("source", "target")
            columns = {**columns, ends[0]: ends[0], ends[1]: ends[1]}
        given = {}
        for role, name in columns.items():
            if name is None:
                continue
            if name not in names:
                raise ValueError(f"{role}: there is no column {name!r}; there are {names}")
            given[role] = frame[name]
        return cls.from_arrays(**given, **more)

    @classmethod
    def from_pandas(
        cls,
        df: Any,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        time: str | None = None,
        weight: str | None = None,
        min_rating: float | None = None,
        *,
        source: str | None = None,
        target: str | None = None,
        label: str | None = None,
        **more: Any,
    ) -> Self:
        """Pairs from a pandas DataFrame; arguments name its columns, see :meth:`from_arrays`.

        >>> import mcns, pandas as pd
        >>> df = pd.DataFrame({"who": [1, 1, 2], "what": ["a", "b", "a"], "stars": [5, 2, 4]})
        >>> mcns.Dataset.from_pandas(df, user="who", item="what", rating="stars", min_rating=4)
        Dataset(2 users, 1 items, 2 pairs)
        """
        columns = dict(user=user, item=item, rating=rating, time=time, weight=weight)
        columns.update(source=source, target=target, label=label)
        return cls._from_frame(df, columns, dict(more, min_rating=min_rating))

    from_polars = from_pandas

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Self:
        """Pairs from a Parquet file by pyarrow; arguments as of :meth:`from_pandas`."""
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(os.fspath(path))
        return cls.from_pandas(_ArrowFrame(table), *args, **kwargs)

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], **reading: Any) -> Self:
        """Pairs from a text file or any other format that the command line reads.

        Keywords are its options: columns="user=userId,item=movieId", sep, header, format,
        bipartite, directed, min_rating, core, duplicates, self_loops.
        """
        load = {name.replace("_", "-"): as_text(v) for name, v in reading.items() if v is not None}
        known = {option["name"] for option in _core.load_options()}
        for name in load:
            if name not in known:
                raise TypeError(f"from_csv() has no option {name.replace('-', '_')!r}")
        edges = _core.edges_from_file(os.fspath(path), load)
        numbers = tuple(not isinstance(ids, list) for ids in (edges.ids(), edges.item_ids()))
        return cls(edges, (numbers[0], numbers[1]))

    @classmethod
    def from_name(cls, name: str, task: str = "recommend") -> Self:
        """The training pairs of a dataset that `mcns data list` shows, read as the task reads them.

        >>> import mcns
        >>> mcns.Dataset.from_name("debian").is_bipartite
        True
        """
        files = _core.dataset_files(name, task)
        return cls.from_csv(files["train"], bipartite=files["bipartite"] or None)

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        bipartite: bool | None = None,
        directed: bool = False,
        weighted: bool = False,
        users: Any = None,
        items: Any = None,
        **more: Any,
    ) -> Self:
        """Pairs from the non-zero entries of a sparse matrix.

        Rows are users and columns items where the matrix is not square or `bipartite` is true; else
        it is the adjacency matrix of a graph. `users` and `items` have the ids of rows and columns,
        which are their numbers otherwise.
        """
        entries = matrix.tocoo()
        first, second = entries.shape
        there = entries.data != 0  # zeros may be stored
        row, column, data = entries.row[there], entries.col[there], entries.data[there]
        if bipartite is None:
            bipartite = first != second
        if not bipartite and first != second:
            raise ValueError(f"an adjacency matrix is square, got {first} x {second}")
        if not bipartite and not directed and abs(matrix - matrix.T).sum() == 0:
            keep = row <= column  # both triangles say the same
            row, column, data = row[keep], column[keep], data[keep]
        rows = np.arange(first) if users is None else array_of(users)
        columns = np.arange(second) if items is None else array_of(items)
        weight = data if weighted else None
        if bipartite:
            return cls.from_arrays(
                rows[row], columns[column], weight=weight, users=rows, items=columns, **more
            )
        return cls.from_arrays(
            source=rows[row],
            target=rows[column],
            weight=weight,
            nodes=rows,
            directed=directed,
            **more,
        )

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = None, **more: Any) -> Self:
        """The edges of a networkx graph, whose nodes are whole numbers or text.

        `weight` names an attribute.
        """
        edges = list(graph.edges(data=weight, default=1.0)) if weight else list(graph.edges())
        return cls.from_arrays(
            source=_objects(edge[0] for edge in edges),
            target=_objects(edge[1] for edge in edges),
            weight=[edge[2] for edge in edges] if weight else None,
            nodes=_objects(graph.nodes()),
            directed=graph.is_directed(),
            **more,
        )

    @classmethod
    def from_edge_index(
        cls,
        edge_index: Any,
        num_nodes: int | None = None,
        *,
        bipartite: bool = False,
        num_users: int | None = None,
        num_items: int | None = None,
        directed: bool = False,
        weight: Any = None,
        **more: Any,
    ) -> Self:
        """Edges as an array [2, n] of row numbers, numpy or torch, as PyG has them.

        An edge that stands in both directions counts once, unless `directed`: the weight of the one
        with source <= target is taken.
        """
        index = array_of(edge_index)
        if index.ndim != 2 or index.shape[0] != 2:
            raise ValueError(f"edge_index has the shape [2, n], got {list(index.shape)}")
        if bipartite:
            return cls.from_arrays(
                index[0],
                index[1],
                weight=weight,
                users=_range(num_users),
                items=_range(num_items),
                **more,
            )
        first, second = index
        if not directed and weight is not None:  # without weights they are merged anyway
            keep = one_direction(first, second)
            first, second, weight = first[keep], second[keep], array_of(weight)[keep]
        return cls.from_arrays(
            source=first,
            target=second,
            weight=weight,
            nodes=_range(num_nodes),
            directed=directed,
            **more,
        )

    @classmethod
    def from_pyg(cls, data: Any, edge_type: Any = None, **more: Any) -> Self:
        """A graph of PyTorch Geometric; of a HeteroData the pairs of one edge type."""
        if edge_type is not None:
            return cls.from_edge_index(
                data[edge_type].edge_index,
                bipartite=True,
                num_users=data[edge_type[0]].num_nodes,
                num_items=data[edge_type[2]].num_nodes,
                **more,
            )
        directed = more.pop("directed", None)
        if directed is None:
            directed = not data.is_undirected()
        return cls.from_edge_index(data.edge_index, data.num_nodes, directed=directed, **more)

    @classmethod
    def from_dgl(cls, graph: Any, *, directed: bool = True, **more: Any) -> Self:
        """A homogeneous graph of DGL, whose edges have a direction unless `directed` is false."""
        source, target = graph.edges()
        index = np.stack([array_of(source), array_of(target)])
        return cls.from_edge_index(index, graph.num_nodes(), directed=directed, **more)


def _edges(
    values: list[Ids],
    more: list[Ids | None],
    weights: Any,
    when: Any,
    load: dict[str, str],
) -> tuple[_core.EdgeData, tuple[bool, bool]]:
    """Edges, and whether ids of each side are numbers; `more` has ids that may have no pair."""
    every = values + [m for m in more if m is not None]
    sides = (values[:1] + [m for m in more[:1] if m], values[1:] + [m for m in more[1:] if m])
    numbers = [all(v.is_number for v in side) for side in sides]
    if load.get("bipartite") != "separate":
        numbers = [all(numbers)] * 2
    if all(v.is_small for v in every):
        edges = _core.edges_from_numbers(
            values[0].numbers,
            values[1].numbers,
            weights,
            when,
            load,
            more[0].numbers if more[0] else None,
            more[1].numbers if more[1] else None,
        )
    else:
        edges = _core.edges_from_names(
            values[0].as_text(),
            values[1].as_text(),
            weights,
            when,
            load,
            more[0].as_text() if more[0] else [],
            more[1].as_text() if more[1] else [],
        )
    return edges, (numbers[0], numbers[1])


class _ArrowFrame:
    """Columns of a table of pyarrow."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = list(table.column_names)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self._table.column(name).to_numpy())


def _objects(values: Iterable[Any]) -> npt.NDArray[Any]:
    listed = list(values)
    out = np.empty(len(listed), dtype=object)
    out[:] = listed
    return out


def _range(count: int | None) -> npt.NDArray[np.int64] | None:
    return None if count is None else np.arange(count)


def _selected(ids: Ids, keep: npt.NDArray[np.bool_]) -> Ids:
    if ids.numbers is not None:
        return Ids(ids.numbers[keep], "")
    return Ids(_objects(t for t, k in zip(ids.texts, keep) if k), "")
