"""One index as a collection of Milvus: a row per passage with its number, its language and its vector.

Vectors are compared by inner product. Dense ones are searched exhaustively in a Milvus Lite file and, on a server, up
to EXACT_ROWS rows; above that by HNSW. Sparse ones are in an inverted index, which is exact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.retrieval.milvus import connection
from workbench.retrieval.milvus.connection import CollectionReleased, MilvusAddress, translating

if TYPE_CHECKING:
    from pymilvus import CollectionSchema, MilvusClient
    from pymilvus.milvus_client.index import IndexParams


ROW, LANGUAGE, VECTOR = "row", "language", "vector"
LANGUAGE_BYTES = 16
EXACT_ROWS = 200_000
"""Rows up to which a server searches all vectors, too."""
HNSW_LINKS, HNSW_BUILD = 16, 200
"""M and efConstruction."""
HNSW_FEWEST, HNSW_TIMES = 128, 2
"""ef: the candidates times HNSW_TIMES, at least HNSW_FEWEST."""
MOST_CANDIDATES = 16_384
"""What a server returns at most for one vector."""
QUERIES = 64
"""Vectors searched for at once."""
SEARCH_SECONDS, CALL_SECONDS, FLUSH_SECONDS = 20.0, 60.0, 600.0

SparseVector = Mapping[int, float]
"""Weights by dimension, from 0 to 2**32 - 2."""


@dataclass(frozen=True, slots=True)
class MilvusHit:
    """A passage that Milvus returned: its row in the corpus, its language and the inner product."""

    row: int
    language: str
    score: float


@dataclass(frozen=True, slots=True)
class MilvusCollection:
    """A collection by its name; nothing is connected before it is used.

    `exact`: whether its index is. `remedy` is the sentence with the command that fills it anew.
    """

    address: MilvusAddress
    name: str
    exact: bool = True
    remedy: str = ""

    def create(self, dimensions: int | None) -> bool:
        """Creates what is missing of the collection; returns whether it existed. `dimensions`: None for sparse vectors.

        Raises MilvusUnreachable, WorkbenchError.
        """
        client = self._client()
        with self._translating():
            existed = bool(client.has_collection(self.name, timeout=CALL_SECONDS))
            if not existed:
                schema = self._schema(dimensions)
                client.create_collection(
                    self.name, schema=schema, num_shards=1, consistency_level="Bounded", timeout=CALL_SECONDS
                )
            if VECTOR not in client.list_indexes(self.name, timeout=CALL_SECONDS):
                # An empty collection has nothing to wait for.
                client.create_index(self.name, self._indexes(dimensions), timeout=CALL_SECONDS, sync=False)
            client.load_collection(self.name, timeout=FLUSH_SECONDS)
        return existed

    def _schema(self, dimensions: int | None) -> CollectionSchema:
        from pymilvus import DataType

        schema = self._client().create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(ROW, DataType.INT64, is_primary=True)
        schema.add_field(LANGUAGE, DataType.VARCHAR, max_length=LANGUAGE_BYTES)
        if dimensions is None:
            schema.add_field(VECTOR, DataType.SPARSE_FLOAT_VECTOR)
        else:
            schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=dimensions)
        return schema

    def _indexes(self, dimensions: int | None) -> IndexParams:
        indexes = self._client().prepare_index_params()
        if self.address.file is None:
            indexes.add_index(LANGUAGE, index_name=LANGUAGE, index_type="INVERTED")
        links = {"M": HNSW_LINKS, "efConstruction": HNSW_BUILD}
        kind = "SPARSE_INVERTED_INDEX" if dimensions is None else "FLAT" if self.exact else "HNSW"
        parameters = links if kind == "HNSW" else {}
        indexes.add_index(VECTOR, index_name=VECTOR, index_type=kind, metric_type="IP", params=parameters)
        return indexes

    def present(self, rows: Sequence[int]) -> set[int]:
        """Those of the rows that the collection has."""
        with self._translating():
            items = self._client().query(
                self.name,
                filter=f"{ROW} in {json.dumps(list(rows))}",
                output_fields=[ROW],
                consistency_level="Strong",
                timeout=CALL_SECONDS,
            )
        return {int(item[ROW]) for item in items}

    def put(self, items: Sequence[tuple[str, int, Any]]) -> None:
        """Writes passages, each by its language, its row and its vector, replacing those that it has."""
        data = [{ROW: row, LANGUAGE: language, VECTOR: vector} for language, row, vector in items]
        with self._translating():
            self._client().upsert(self.name, data, timeout=CALL_SECONDS)

    def finish(self) -> int:
        """Writes what is in Milvus's memory, and returns the number of rows."""
        client = self._client()
        with self._translating():
            client.flush(self.name, timeout=FLUSH_SECONDS)
            client.load_collection(self.name, timeout=FLUSH_SECONDS)
            (count,) = client.query(
                self.name,
                filter="",
                output_fields=["count(*)"],
                consistency_level="Strong",
                timeout=CALL_SECONDS,
            )
        return int(count["count(*)"])

    def search(self, vectors: Sequence[Any], languages: Sequence[str], limit: int) -> list[list[MilvusHit]]:
        """For each vector at most `limit` rows in these languages, by inner product, best first.

        Raises MilvusUnreachable, MissingError and DataError, see `connection`.
        """
        return [
            [MilvusHit(int(hit[ROW]), str(hit["entity"][LANGUAGE]), float(hit["distance"])) for hit in hits]
            for start in range(0, len(vectors), QUERIES)
            for hits in self._loaded_hits(vectors[start : start + QUERIES], languages, limit)
        ]

    def _loaded_hits(self, vectors: Sequence[Any], languages: Sequence[str], limit: int) -> Any:
        try:
            return self._hits(vectors, languages, limit)
        except CollectionReleased:
            with self._translating():
                self._client().load_collection(self.name, timeout=FLUSH_SECONDS)
            return self._hits(vectors, languages, limit)

    def _hits(self, vectors: Sequence[Any], languages: Sequence[str], limit: int) -> Any:
        ef = {} if self.exact else {"ef": max(HNSW_FEWEST, HNSW_TIMES * limit)}
        with self._translating():
            return self._client().search(
                self.name,
                data=list(vectors),
                anns_field=VECTOR,
                limit=limit,
                filter=f"{LANGUAGE} in {json.dumps(list(languages))}",
                output_fields=[LANGUAGE],
                search_params={"metric_type": "IP", "params": ef},
                timeout=SEARCH_SECONDS,
            )

    def drop(self) -> None:
        """Drops the collection, if it exists. Raises MilvusUnreachable."""
        if self.address.file is not None and not self.address.file.exists():
            return
        with self._translating():
            self._client().drop_collection(self.name, timeout=CALL_SECONDS)

    def _client(self) -> MilvusClient:
        return connection.client(self.address)

    def _translating(self) -> AbstractContextManager[None]:
        return translating(self.address, self.name, self.remedy)
