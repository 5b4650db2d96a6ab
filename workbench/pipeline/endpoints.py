"""OpenAI-compatible endpoints by name: some well known ones, and a workspace's own.

`openai-like:MODEL@NAME` in a recipe asks the endpoint NAME; `@http://…` an address; without either it is OpenAI. The
workspace's `endpoints.yaml` adds names or replaces ours. It holds addresses and the *names* of the variables in which
keys lie, never a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import regex
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, field_validator

from workbench.errors import DataError, UsageError, shorten, unknown
from workbench.generation.endpoint import Endpoint
from workbench.storage import atomic

FILE = "endpoints.yaml"
NAME = regex.compile(r"[a-z0-9][a-z0-9-]{0,30}")
VARIABLE = regex.compile(r"[A-Z][A-Z0-9_]{0,60}")


class NamedEndpoint(BaseModel):
    """An address up to and with the version, and the name of the variable that holds its key ("" for none)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    key: str = ""
    system_role: bool = True

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
    def endpoint(self) -> Endpoint:
        """The endpoint to call. Raises UsageError for an address that is none."""
        return Endpoint(self.url, self.key)


KNOWN: Mapping[str, NamedEndpoint] = {
    "openai": NamedEndpoint(url="https://api.openai.com/v1", key="OPENAI_API_KEY"),
    "groq": NamedEndpoint(url="https://api.groq.com/openai/v1", key="GROQ_API_KEY"),
    "vllm": NamedEndpoint(url="http://localhost:8000/v1"),
    "ollama": NamedEndpoint(url="http://localhost:11434/v1"),
    "lm-studio": NamedEndpoint(url="http://localhost:1234/v1"),
}
"""Where these programs listen unless told otherwise, by their own documentation."""

_FILE_FORM = TypeAdapter(dict[str, NamedEndpoint])


def endpoints(home: Path) -> dict[str, NamedEndpoint]:
    """Ours and the workspace's, by name. Raises DataError for a file that cannot be used."""
    return {**KNOWN, **_own(home)}


def save_endpoint(home: Path, name: str, endpoint: NamedEndpoint) -> None:
    """Adds or replaces an endpoint of the workspace, atomically. Raises UsageError for a bad name or address."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"“{shorten(name)}” cannot name an endpoint. Allowed: up to 31 lower-case letters, digits and “-”. "
            "For example: my-server"
        )
    endpoint.endpoint  # noqa: B018 — checks the address
    own = {**_own(home), name: endpoint}
    plain = {key: item.model_dump() for key, item in own.items()}
    atomic.write_text(home / FILE, yaml.safe_dump(plain, sort_keys=True, allow_unicode=True))


def split_model(model: str, home: Path) -> tuple[str, NamedEndpoint]:
    """`MODEL@NAME`, `MODEL@URL` or `MODEL` as the model's name and the endpoint that serves it. Raises UsageError."""
    plain, at, place = model.rpartition("@")
    if not at:
        return model, KNOWN["openai"]
    if place.startswith(("http://", "https://")):
        return plain, NamedEndpoint(url=place)
    known = endpoints(home)
    if place not in known:
        raise unknown("endpoint", place, known, f"Or an address: openai-like:{plain}@http://127.0.0.1:8000/v1")
    return plain, known[place]


def _own(home: Path) -> dict[str, NamedEndpoint]:
    path = home / FILE
    try:
        return _FILE_FORM.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except FileNotFoundError:
        return {}
    except (ValidationError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(
            f"{FILE} in the workspace cannot be used: expected names with “url” and “key” (the name of a "
            "variable). Mend it or delete it."
        ) from error
