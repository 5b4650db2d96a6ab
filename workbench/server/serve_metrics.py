"""Figures of a running service in Prometheus' text format, version 0.0.4.

Source of the format: https://prometheus.io/docs/instrumenting/exposition_formats/. All counts are kept in the thread of
the event loop, so there are no locks. Labels are routes and statuses; no text of a client is part of a figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workbench.core import Usage

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper limits in seconds of the classes that requests are counted in."""


@dataclass
class Histogram:
    """How many requests took up to how many seconds."""

    counts: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    total: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Counts one request."""
        self.total += 1
        self.seconds += seconds
        for place, limit in enumerate(BUCKETS):
            self.counts[place] += seconds <= limit


@dataclass
class ServeMetrics:
    """The figures of one service since its start."""

    latency: dict[tuple[str, int], Histogram] = field(default_factory=dict)
    hung_up: int = 0
    tokens: Counter[str] = field(default_factory=Counter)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Counts a request that has ended; `route` is one of the service's, never a path that a client made up."""
        self.latency.setdefault((route, status), Histogram()).add(seconds)

    def count_tokens(self, usage: Usage) -> None:
        """Counts the tokens of one call of the generator."""
        self.tokens.update(prompt=usage.prompt_tokens, completion=usage.completion_tokens)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All figures; `gauges` are further ones as they are now, by name, with what they are."""
        return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
        yield from _head("mrag_requests_total", "counter", "Requests that have ended, by route and HTTP status.")
        by_label = sorted(self.latency.items(), key=lambda item: item[0])
        for (route, status), histogram in by_label:
            yield f'mrag_requests_total{{route="{route}",status="{status}"}} {histogram.total}'
        yield from _head(
            "mrag_request_seconds",
            "histogram",
            "Seconds from a request's arrival to its end, by route and status.",
        )
        for (route, status), histogram in by_label:
            labels = f'route="{route}",status="{status}"'
            for limit, number in zip(BUCKETS, histogram.counts, strict=True):
                yield f'mrag_request_seconds_bucket{{{labels},le="{limit:g}"}} {number}'
            yield f'mrag_request_seconds_bucket{{{labels},le="+Inf"}} {histogram.total}'
            yield f"mrag_request_seconds_sum{{{labels}}} {histogram.seconds:.6f}"
            yield f"mrag_request_seconds_count{{{labels}}} {histogram.total}"
        yield from _head("mrag_hung_up_total", "counter", "Requests whose client left before the end.")
        yield f"mrag_hung_up_total {self.hung_up}"
        yield from _head(
            "mrag_tokens_total",
            "counter",
            "Tokens that the generator read (prompt) and wrote (completion), those of stopped answers included.",
        )
        for kind in ("completion", "prompt"):
            yield f'mrag_tokens_total{{kind="{kind}"}} {self.tokens[kind]}'
        for name, (meaning, value) in gauges.items():
            yield from _head(name, "gauge", meaning)
            yield f"{name} {value:g}"


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"
