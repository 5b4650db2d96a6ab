"""A Milvus that is reached by host and port: that of Milvus Lite, behind a gate that fails in the ways of a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from milvus_lite.adapter.grpc.servicer import MilvusServicer
from milvus_lite.db import MilvusLite
from pymilvus.grpc_gen import milvus_pb2_grpc

TOKEN = "root:planted"
ENCODED = "cm9vdDpwbGFudGVk"
"""TOKEN as it is sent."""


@dataclass
class Gate(grpc.ServerInterceptor):  # type: ignore[misc]
    """Lets calls through, unless it is set to fail; `calls` are their names."""

    needs_token: bool = False
    slow: str = ""
    calls: list[str] = field(default_factory=list)

    def intercept_service(self, go_on: Callable[[Any], Any], details: Any) -> Any:
        name = details.method.rsplit("/", 1)[-1]
        self.calls.append(name)
        if self.needs_token and dict(details.invocation_metadata).get("authorization") != ENCODED:
            return _failing(grpc.StatusCode.UNAUTHENTICATED, "auth check failure, please check api key is correct")
        if name == self.slow:
            return _failing(grpc.StatusCode.INTERNAL, "late", seconds=1.0)
        return go_on(details)


def _failing(code: Any, words: str, seconds: float = 0.0) -> Any:
    def fail(_request: Any, context: Any) -> None:
        time.sleep(seconds)
        context.abort(code, words)

    return grpc.unary_unary_rpc_method_handler(fail)


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, Gate]]:
    """The address of a running server, and its gate."""
    gate, database = Gate(), MilvusLite(str(folder))
    running = grpc.server(futures.ThreadPoolExecutor(4), interceptors=[gate])
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(MilvusServicer(database), running)
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    try:
        yield f"milvus://127.0.0.1:{port}", gate
    finally:
        running.stop(0).wait()
        database.close()
