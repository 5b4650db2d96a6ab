"""Where a LlamaIndex LLM comes from: OpenAI-compatible endpoints, or any LlamaIndex class by its name.

A source opens one call's LLM: greedy, with its limit of tokens, without the library's retries (ours are in `retrying`).

The identity of a model at several endpoints is that of its first address, which names it: others can be added, removed
and put in another order, and what was cached and measured stays valid, since the model is the same. Which host answered
is kept with each answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from inspect import Parameter, signature
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from workbench.core import MissingError, UsageError, component, package_version, shorten
from workbench.models.key_policy import check_endpoint, key_for
from workbench.models.llama_classes import LLM as LLAMA_LLM, LlamaClass
from workbench.models.llm.endpoint import AT_ONCE, REST, TURNS, Endpoint, EndpointConnection, HostTurns, host_and_port
from workbench.models.llm.failures import CallTarget
from workbench.models.llm.retrying import CallError, Deadline, StreamStopped, TimedOutError
from workbench.workspace import settings

if TYPE_CHECKING:
    from llama_index.core.llms import LLM


ServerQuirk = Literal["no usage in streams", "max_completion_tokens", "fixed temperature", "no system role"]
"""What a server turned out not to accept. `max_completion_tokens`: it takes the limit only under that name; `fixed
temperature`: it samples as it likes, not greedily."""

Parameters = Mapping[str, str | int | float | bool]
CONNECT_SECONDS = 10.0
SPARE_SECONDS = 1.0
"""How much later the client's own timeout comes than ours."""


@dataclass(frozen=True)
class OpenLLM:
    """An LLM for one call. `hang_up` ends the call from another thread; `close` releases what it used."""

    llm: LLM
    hang_up: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None


class LLMSource(Protocol):
    """A model that can be called, wherever it runs; `SingleSource` has what is the same for those in one place."""

    @property
    def identity(self) -> str:
        """Everything about the source that affects its answers, as text."""
        ...

    @property
    def reports_ending(self) -> bool:
        """Whether every complete answer states why it ended, so that one which does not was cut off."""
        ...

    def target(self) -> CallTarget:
        """What messages about a failed call name."""
        ...

    def open(self, tokens: int, seconds: float, quirks: frozenset[ServerQuirk]) -> OpenLLM:
        """The LLM for one call of at most `tokens` new tokens and `seconds` of silence; it avoids `quirks`.

        Raises MissingError for a key or a package that is missing, UsageError for parameters that the LLM refuses.
        """
        ...

    @property
    def server(self) -> str:
        """The host, where it is one of several; "" otherwise."""
        ...

    @property
    def members(self) -> Sequence[LLMSource]:
        """The places of the model, at least one."""
        ...

    @property
    def at_once(self) -> int:
        """Calls of a batch that may be made at once, 0 for as many as is usual."""
        ...

    def turn(self, deadline: Deadline, stop: Event | None = None) -> AbstractContextManager[LLMSource]:
        """Where to make one call, for the length of the block; the wait for it is added to the deadline.

        Raises StreamStopped.
        """
        ...

    def after_failure(self, member: LLMSource, failure: CallError) -> CallError:
        """The failure of a call to a member, as it is for all of them: retryable where another one may do better."""
        ...


class SingleSource:
    """What an `LLMSource` in one place need not say."""

    server: str = ""
    at_once: int = 0

    @property
    def members(self) -> Sequence[Self]:
        """Itself."""
        return (self,)

    @contextmanager
    def turn(self, deadline: Deadline, stop: Event | None = None) -> Iterator[Self]:
        """Itself, at once."""
        yield self

    def after_failure(self, member: LLMSource, failure: CallError) -> CallError:
        """The failure as it is."""
        return failure


@dataclass(frozen=True)
class OpenAILikeSource(SingleSource):
    """Any OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, LM Studio, Groq …), by LlamaIndex's OpenAILike."""

    model: str
    endpoint: Endpoint = field(default_factory=Endpoint)
    reports_ending: bool = True
    server: str = ""

    @property
    def identity(self) -> str:
        """Model, address and the library's version; not the key."""
        return component(
            "openai-like",
            model=self.model,
            url=self.endpoint.url,
            library=package_version("llama-index-llms-openai-like"),
        )

    def target(self) -> CallTarget:
        """The model at its address; its key is hidden in messages."""
        return CallTarget(self.model, self.endpoint.url, self.endpoint.key, (self._key() or "",))

    def open(self, tokens: int, seconds: float, quirks: frozenset[ServerQuirk]) -> OpenLLM:
        """A client with its own connection. Raises MissingError without the key, UsageError as `key_for` does."""
        from llama_index.llms.openai_like import OpenAILike
        from openai import omit

        key = self._key()
        connection = EndpointConnection(self.endpoint, has_key=key is not None)
        http = connection.client(min(CONNECT_SECONDS, seconds + SPARE_SECONDS), seconds + SPARE_SECONDS)
        extra: dict[str, Any] = {}
        if "no usage in streams" not in quirks:
            extra["stream_options"] = {"include_usage": True}
        if "max_completion_tokens" in quirks:
            extra["max_completion_tokens"] = tokens
        if "fixed temperature" in quirks:
            extra["temperature"] = omit
        llm = OpenAILike(
            model=self.model,
            api_base=self.endpoint.url,
            api_key=key or "none",
            is_chat_model=True,
            temperature=0.0,
            max_tokens=None if "max_completion_tokens" in quirks else tokens,
            max_retries=0,
            timeout=seconds + SPARE_SECONDS,
            http_client=http,
            additional_kwargs=extra,
        )
        return OpenLLM(llm, connection.hang_up, http.close)

    def _key(self) -> str | None:
        """The key, None where the endpoint needs none.

        Raises MissingError where it is needed but not set, UsageError where the endpoint or the key is not allowed.
        """
        key = key_for(self.endpoint.url, self.endpoint.key)
        if key or not self.endpoint.key:
            return key
        raise MissingError(
            f"“{shorten(self.model)}” at {self.endpoint.url} needs a key: set the environment variable "
            f"{self.endpoint.key}, or enter it in .streamlit/secrets.toml"
        )


class LlamaIndexSource(SingleSource):
    """Any other LlamaIndex LLM by class name, as in `llama_index.llms.anthropic:Anthropic`.

    The class finds its key as its own documentation says; with `key`, the name of an environment variable (or
    Streamlit secret), it is passed as `api_key`. `parameters` are the class's own, and override ours.
    """

    reports_ending = False

    def __init__(self, name: str, model: str = "", *, key: str = "", parameters: Parameters | None = None) -> None:
        """Raises UsageError for a name outside LlamaIndex's packages."""
        self._class = LlamaClass(name, LLAMA_LLM)
        self._name, self._model, self._key = name, model, key
        self._parameters = dict(parameters or {})

    @property
    def identity(self) -> str:
        """Class, model, parameters and the library's version; not the key."""
        return component(
            "llama-index",
            llm=self._name,
            model=self._model,
            library=package_version(self._class.package),
            parameters=self._parameters,
        )

    def target(self) -> CallTarget:
        """The model, or the class where none is named; its key is hidden in messages."""
        secret = settings.secret(self._key) if self._key else None
        return CallTarget(self._model or self._class.title, self._name, self._key, (secret or "",), compatible=False)

    def open(self, tokens: int, seconds: float, quirks: frozenset[ServerQuirk]) -> OpenLLM:
        """The class with those of our parameters that it accepts. Raises MissingError, UsageError."""
        llm_class = self._class.load()
        defaults: dict[str, Any] = {
            "model": self._model or None,
            "model_name": self._model or None,
            "temperature": None if "fixed temperature" in quirks else 0.0,
            "max_tokens": tokens,
            "max_new_tokens": tokens,
            "max_retries": 0,
            "timeout": seconds,
            "request_timeout": seconds,
            "api_key": settings.secret(self._key) if self._key else None,
        }
        accepted = _parameters(llm_class)
        ours = {name: value for name, value in defaults.items() if value is not None and name in accepted}
        try:
            return OpenLLM(llm_class(**{**ours, **self._parameters}))
        except ImportError:
            package = self._class.package
        except (TypeError, ValueError) as error:
            reason = self.target().clean(str(error))
            raise UsageError(f"{self._name} does not accept these parameters: {reason}.") from None
        raise MissingError(f"{self._name} needs a package that is not installed; type: python -m pip install {package}")


def _parameters(llm_class: type[LLM]) -> frozenset[str]:
    """The parameters that a class accepts: those it names, and its fields where it passes others on."""
    named = signature(llm_class).parameters
    passes_on = any(one.kind is Parameter.VAR_KEYWORD for one in signature(llm_class.__init__).parameters.values())
    return frozenset(named) | (frozenset(llm_class.model_fields) if passes_on else frozenset())


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
