"""Where a LlamaIndex LLM comes from: an OpenAI-compatible endpoint, or any LlamaIndex class by its name.

A source opens one call's LLM: greedy, with its limit of tokens, without retries of its own (ours are in `calling`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Literal, Protocol

from workbench import settings
from workbench.errors import MissingError, UsageError, shorten
from workbench.identity import component, package_version
from workbench.llm.endpoint import Endpoint, EndpointConnection
from workbench.llm.failures import Place
from workbench.models.llama_classes import LLM as LLAMA_LLM
from workbench.models.llama_classes import LlamaClass

if TYPE_CHECKING:
    from llama_index.core.llms import LLM

Quirk = Literal["no usage in streams", "max_completion_tokens", "own temperature", "no system role"]
"""What a server turned out not to take. `own temperature`: it samples as it likes, not greedily."""

Parameters = Mapping[str, str | int | float | bool]
CONNECT_SECONDS = 10.0
SPARE_SECONDS = 1.0
"""The client's own time-out comes later than ours by so much."""


@dataclass(frozen=True)
class Opened:
    """An LLM for one call. `hang_up` ends the call from another thread; `close` tidies up after it."""

    llm: LLM
    hang_up: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None


class Source(Protocol):
    """`says_ending`: whether every whole answer says why it ended, so that one which does not was cut."""

    @property
    def identity(self) -> str: ...

    @property
    def says_ending(self) -> bool: ...

    def place(self) -> Place: ...

    def open(self, tokens: int, seconds: float, quirks: frozenset[Quirk]) -> Opened: ...


@dataclass(frozen=True)
class OpenAILikeSource:
    """Any OpenAI-compatible endpoint (OpenAI, vLLM, Ollama, LM Studio, Groq …), by LlamaIndex's OpenAILike."""

    model: str
    endpoint: Endpoint = field(default_factory=Endpoint)
    says_ending: bool = True

    @property
    def identity(self) -> str:
        return component(
            "openai-like",
            model=self.model,
            url=self.endpoint.url,
            library=package_version("llama-index-llms-openai-like"),
        )

    def place(self) -> Place:
        return Place(self.model, self.endpoint.url, self.endpoint.key, (self._key() or "",))

    def open(self, tokens: int, seconds: float, quirks: frozenset[Quirk]) -> Opened:
        from llama_index.llms.openai_like import OpenAILike
        from openai import omit

        key = self._key()
        line = EndpointConnection(self.endpoint, keyed=key is not None)
        http = line.client(min(CONNECT_SECONDS, seconds + SPARE_SECONDS), seconds + SPARE_SECONDS)
        changes: dict[str, Any] = {}
        if "no usage in streams" not in quirks:
            changes["stream_options"] = {"include_usage": True}
        if "max_completion_tokens" in quirks:
            changes["max_completion_tokens"] = tokens
        if "own temperature" in quirks:
            changes["temperature"] = omit
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
            additional_kwargs=changes,
        )
        return Opened(llm, line.hang_up, http.close)

    def _key(self) -> str | None:
        """The key, None where the endpoint needs none. Raises MissingError where it is not set."""
        if not self.endpoint.key:
            return None
        key = settings.secret(self.endpoint.key)
        if key:
            return key
        raise MissingError(
            f"“{shorten(self.model)}” at {self.endpoint.url} needs a key: set the environment variable "
            f"{self.endpoint.key}, or enter it in .streamlit/secrets.toml"
        )


class LlamaIndexSource:
    """Any other LlamaIndex LLM by class name, as in `llama_index.llms.anthropic:Anthropic`.

    The class finds its key as its own documentation says; with `key`, the name of an environment variable (or
    Streamlit secret), it is given as `api_key`. `parameters` are the class's own, and outweigh what we set.
    """

    says_ending = False

    def __init__(self, name: str, model: str = "", *, key: str = "", parameters: Parameters | None = None) -> None:
        """Raises UsageError for a name that is not of LlamaIndex's packages."""
        self._class = LlamaClass(name, LLAMA_LLM)
        self._name, self._model, self._key = name, model, key
        self._parameters = dict(parameters or {})

    @property
    def identity(self) -> str:
        return component(
            "llama-index",
            llm=self._name,
            model=self._model,
            library=package_version(self._class.package),
            parameters=self._parameters,
        )

    def place(self) -> Place:
        secret = settings.secret(self._key) if self._key else None
        return Place(self._model or self._class.title, self._name, self._key, (secret or "",), compatible=False)

    def open(self, tokens: int, seconds: float, quirks: frozenset[Quirk]) -> Opened:
        kind = self._class.load()
        wanted: dict[str, Any] = {
            "model": self._model or None,
            "model_name": self._model or None,
            "temperature": None if "own temperature" in quirks else 0.0,
            "max_tokens": tokens,
            "max_new_tokens": tokens,
            "max_retries": 0,
            "timeout": seconds,
            "request_timeout": seconds,
            "api_key": settings.secret(self._key) if self._key else None,
        }
        taken = _taken(kind)
        given = {name: value for name, value in wanted.items() if value is not None and name in taken}
        try:
            return Opened(kind(**{**given, **self._parameters}))
        except ImportError:
            needs = self._class.package
        except (TypeError, ValueError) as error:
            reason = self.place().clean(str(error))
            raise UsageError(f"{self._name} cannot be made with these parameters: {reason}.") from None
        raise MissingError(f"{self._name} needs a package that is not here; type: python -m pip install {needs}")


def _taken(kind: type[LLM]) -> frozenset[str]:
    """The parameters that a class takes: those it names, and its fields where it passes others on."""
    named = signature(kind).parameters
    passes_on = any(one.kind is Parameter.VAR_KEYWORD for one in signature(kind.__init__).parameters.values())
    return frozenset(named) | (frozenset(kind.model_fields) if passes_on else frozenset())
