"""Figures of a running service, for Prometheus.

Labels are routes and statuses; no text of a client is part of a figure.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from workbench.core import Usage
from workbench.server.worker_pool import WorkerPool

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper limits in seconds of the classes that requests are counted in."""
LABELS = ("route", "status")

# Otherwise every figure has a second one with the time at which it was first counted.
disable_created_metrics()  # type: ignore[no-untyped-call]


class ServeMetrics:
    """The figures of one service since its start, in a registry of its own: a process may have two services."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self._requests = Counter(
            "mrag_requests", "Requests that have ended, by route and HTTP status.", LABELS, registry=registry
        )
        meaning = "Seconds from a request's arrival to its end, by route and status."
        self._seconds = Histogram("mrag_request_seconds", meaning, LABELS, registry=registry, buckets=BUCKETS)
        self.hung_up = Counter("mrag_hung_up", "Requests whose client left before the end.", registry=registry)
        meaning = "Tokens that the generator read (prompt) and wrote (completion), those of stopped answers included."
        self._tokens = Counter("mrag_tokens", meaning, ("kind",), registry=registry)
        self.count_tokens(Usage(0, 0, estimated=False))

    def watch(self, pool: WorkerPool) -> None:
        """Adds what `pool` does at the moment at which the figures are read."""
        Gauge("mrag_running", "Answers that workers are at.", registry=self.registry).set_function(lambda: pool.running)
        Gauge("mrag_waiting", "Requests in the queue.", registry=self.registry).set_function(lambda: pool.waiting)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Counts a request that has ended; `route` is one of the service's, never a path that a client made up."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route, status).observe(seconds)

    def count_tokens(self, usage: Usage) -> None:
        """Counts the tokens of one call of the generator."""
        self._tokens.labels("prompt").inc(usage.prompt_tokens)
        self._tokens.labels("completion").inc(usage.completion_tokens)

    def text(self) -> str:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry).decode()
