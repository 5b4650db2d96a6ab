"""OpenAI-compatible endpoints by name: well-known ones, and those of the workspace.

`openai-like:MODEL@NAME` in a recipe calls the endpoint NAME, `@http://…` an address; without either it is OpenAI. The
workspace's `endpoints.yaml` adds names or replaces ours. It contains addresses and the *names* of the variables that
hold keys, never a key. Several addresses, separated by blanks or `|`, are one endpoint that is served by several hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

import regex
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from workbench.core import DataError, UsageError, shorten, unknown_name
from workbench.models import Endpoint, addresses, check_endpoint
from workbench.workspace import atomic, verb, yaml_files

FILE = "endpoints.yaml"
ADAPTER = "openai-like"
NAME = regex.compile(r"[a-z0-9][a-z0-9-]{0,30}")
AT_ONCE_LIMIT = 1_000
"""Calls that may be allowed at a host at once."""
VARIABLE = regex.compile(r"[A-Z][A-Z0-9_]{0,60}")


class NamedEndpoint(BaseModel):
    """An address up to and with the version, and the name of the variable that holds its key ("" for none).

    `url` may hold several addresses where the same models are. `at_once`: the calls that each host may be at, 0 for the
    usual number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    key: str = ""
    system_role: bool = True
    at_once: int = Field(default=0, ge=0, le=AT_ONCE_LIMIT)

    @field_validator("key")
    @classmethod
    def _names_a_variable(cls, name: str) -> str:
        if name and not VARIABLE.fullmatch(name):
            raise ValueError(
                "the key's place must be the name of an environment variable in capitals, such as MY_API_KEY, "
                "never the key itself"
            )
        return name

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoints to call, one for each address. Raises UsageError for an address that is not one."""
        return tuple(Endpoint(url, self.key) for url in addresses(self.url))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that texts are sent to, without this machine. Raises UsageError."""
        remote = (place.url for place in self.endpoints if not place.is_local)
        return tuple(dict.fromkeys(urlsplit(url).hostname or url for url in remote))


KNOWN: Mapping[str, NamedEndpoint] = {
    "openai": NamedEndpoint(url="https://api.openai.com/v1", key="OPENAI_API_KEY"),
    "groq": NamedEndpoint(url="https://api.groq.com/openai/v1", key="GROQ_API_KEY"),
    "vllm": NamedEndpoint(url="http://localhost:8000/v1"),
    "ollama": NamedEndpoint(url="http://localhost:11434/v1"),
    "lm-studio": NamedEndpoint(url="http://localhost:1234/v1"),
    "llama-cpp": NamedEndpoint(url="http://localhost:8080/v1"),
}
"""Where these programs listen by default, according to their documentation."""
TITLES: Mapping[str, str] = {
    "openai": "OpenAI",
    "groq": "Groq",
    "vllm": "vLLM",
    "ollama": "Ollama",
    "lm-studio": "LM Studio",
    "llama-cpp": "llama.cpp",
}
"""What people call them."""

_FILE_FORM = TypeAdapter(dict[str, NamedEndpoint])
_CHANGING = Lock()
"""Without it, two sessions that change the file at once would lose one of the changes."""


def endpoints(home: Path) -> dict[str, NamedEndpoint]:
    """The shipped endpoints and the workspace's, by name. Raises DataError for a file that cannot be used."""
    return {**KNOWN, **workspace_endpoints(home)}


def workspace_endpoints(home: Path) -> dict[str, NamedEndpoint]:
    """The endpoints that the workspace adds or replaces, by name. Raises DataError for a file that cannot be used."""
    path = home / FILE
    try:
        return _FILE_FORM.validate_python(yaml_files.load(path) or {})
    except FileNotFoundError:
        return {}
    except (yaml.YAMLError, ValueError, OSError) as error:  # ValueError: pydantic's, and those of texts and numbers
        raise DataError(
            f"{FILE} in the workspace cannot be used: expected names with “url” and “key” (the name of a "
            "variable). Fix it or delete it."
        ) from error


@verb("settings.change", "{name}")
def save_endpoint(home: Path, name: str, endpoint: NamedEndpoint) -> None:
    """Adds or replaces an endpoint of the workspace, atomically.

    Raises UsageError for a bad name or address, and for a host or a key that whoever runs the workbench does not allow.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"“{shorten(name)}” cannot name an endpoint. Allowed: up to 31 lower-case letters, digits and “-”. "
            "For example: my-server"
        )
    for place in endpoint.endpoints:
        check_endpoint(place.url, place.key)
    with _CHANGING:
        _write(home, {**workspace_endpoints(home), name: endpoint})


@verb("settings.change", "{name}")
def remove_endpoint(home: Path, name: str) -> None:
    """Removes an endpoint from the workspace, atomically; a shipped one that it replaced is back.

    Raises UsageError for one that the workspace did not add.
    """
    with _CHANGING:
        stored = workspace_endpoints(home)
        if name not in stored:
            hint = "Those that come with the workbench cannot be removed." if name in KNOWN else ""
            raise unknown_name("endpoint of this workspace", name, stored, hint)
        _write(home, {key: place for key, place in stored.items() if key != name})


def endpoint_named_in(name: str, home: Path) -> NamedEndpoint | None:
    """The endpoint that a component's name (`llm:openai-like:MODEL@NAME`) now calls; None where it calls none.

    Raises UsageError for one that does not exist.
    """
    at = name.casefold().rfind(f"{ADAPTER}:")
    return None if at < 0 else split_model(name[at + len(ADAPTER) + 1 :].strip(), home)[1]


def split_model(model: str, home: Path) -> tuple[str, NamedEndpoint]:
    """`MODEL@NAME`, `MODEL@URL` or `MODEL` as the model's name and the endpoint that serves it. Raises UsageError."""
    plain, at, place = model.rpartition("@")
    if not at:
        return model, KNOWN["openai"]
    if place.startswith(("http://", "https://")):
        return plain, NamedEndpoint(url=place)
    known = endpoints(home)
    if place not in known:
        raise unknown_name("endpoint", place, known, f"Or an address: openai-like:{plain}@http://127.0.0.1:8000/v1")
    return plain, known[place]


def _write(home: Path, stored: Mapping[str, NamedEndpoint]) -> None:
    plain = {name: place.model_dump() for name, place in stored.items()}
    atomic.write_text(home / FILE, yaml.safe_dump(plain, sort_keys=True, allow_unicode=True))
