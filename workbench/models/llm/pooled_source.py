"""One model at several OpenAI-compatible endpoints: each call goes to the least busy one.

Its identity is that of its first address, which names it: others can be added, removed and put in another order, and
what was cached and measured stays valid, since the model is the same. Which host answered is kept with each answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

from workbench.models.host_turns import AT_ONCE, REST, TURNS, HostTurns, host_and_port
from workbench.models.key_policy import check_endpoint
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.failures import CallTarget
from workbench.models.llm.retrying import CallError, Deadline, StreamStopped, TimedOutError
from workbench.models.llm.sources import LLMSource, OpenAILikeSource, OpenLLM, ServerQuirk


@dataclass(frozen=True)
class PooledSource:
    """Implements `LLMSource` over endpoints of one model, at least one.

    `limit` is the number of calls under way at each host, 0 for the usual one; `turns` are shared by all of a process.
    """

    model: str
    endpoints: Sequence[Endpoint]
    limit: int = 0
    turns: HostTurns = TURNS
    reports_ending: bool = True
    server: str = ""

    @property
    def members(self) -> Sequence[OpenAILikeSource]:
        """One source for each address."""
        several = len(self.endpoints) > 1
        return [
            OpenAILikeSource(self.model, place, server=host_and_port(place.url) if several else "")
            for place in self.endpoints
        ]

    @property
    def identity(self) -> str:
        """That of the first address."""
        return self.members[0].identity

    @property
    def at_once(self) -> int:
        """As many as all hosts together take; 0, as is usual, for a single one without a limit of its own."""
        if len(self.endpoints) == 1:
            return self.limit
        return len({host_and_port(place.url) for place in self.endpoints}) * (self.limit or AT_ONCE)

    def target(self) -> CallTarget:
        """That of the first address: messages about a call name the one that was called."""
        return self.members[0].target()

    def open(self, tokens: int, seconds: float, quirks: frozenset[ServerQuirk]) -> OpenLLM:
        """An LLM at the first address. Raises as `OpenAILikeSource.open`."""
        return self.members[0].open(tokens, seconds, quirks)

    @contextmanager
    def turn(self, deadline: Deadline, stop: Event | None = None) -> Iterator[OpenAILikeSource]:
        """The least busy member. Raises StreamStopped, TimedOutError, and UsageError where a host is not allowed."""
        for place in self.endpoints:
            check_endpoint(place.url, place.key)
        began = time.monotonic()

        def check() -> None:
            if stop is not None and stop.is_set():
                raise StreamStopped
            if time.monotonic() - began > deadline.seconds:
                raise TimedOutError(deadline.seconds, in_total=True)

        members = {member.endpoint.url: member for member in self.members}
        with self.turns.turn(tuple(members), self.limit or AT_ONCE, check) as url:
            deadline.waited += time.monotonic() - began
            yield members[url]

    def after_failure(self, member: LLMSource, failure: CallError) -> CallError:
        """Retryable at once where the host failed and another one is awake; the host then rests."""
        if not failure.host_failed or len(self.endpoints) == 1 or not isinstance(member, OpenAILikeSource):
            return failure
        rest = REST if failure.wait_seconds is None else failure.wait_seconds
        if not self.turns.rest(member.endpoint.url, [place.url for place in self.endpoints], rest):
            return failure
        return CallError(str(failure), retryable=True, wait_seconds=0.0, empty=failure.empty)
