"""Your models: what servers of models hold, and which model generates where a recipe names no generator.

A look asks the named endpoints that are on this machine, or one that is given, and no other host. Where the screens are
served to others, `key_policy` decides as for every endpoint. What the latest look showed is kept in this process, for
the lists of the screens; only the workspace's default is stored, in `settings.yaml`. A recipe never holds “the
default”: it is resolved when the recipe is made, so that a stored one keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import regex

from workbench.components.adapter import HOSTS
from workbench.components.endpoint_file import ADAPTER, TITLES, NamedEndpoint, endpoints, split_model
from workbench.components.identifiers import store_settings, stored_settings
from workbench.components.references import check_name, reference
from workbench.core import MissingError, UsageError, shorten
from workbench.models import MOMENT, check_endpoint, host_and_port, in_parallel, served_models
from workbench.pipeline import EXTRACTIVE, Recipe
from workbench.workspace import verb

ELSEWHERE = 3.0
"""Seconds that a server on another machine has for its answer."""
SIGNS: Mapping[str, str] = {"vllm": "vllm", "llama-cpp": "llamacpp"}
"""The endpoints at whose ports many programs listen, and who these say that their models are owned by."""
OURS = "mrag-workbench"
"""Who `mrag serve` says that its recipe is owned by."""
WRITES_NOTHING = regex.compile(r"(?i)embed|rerank|whisper|bert\b|minilm|\bbge\b|\be5\b|-tts\b")
"""In the names of models that encode, rank, hear or speak."""


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A model on a server: its name there, what a recipe calls it, what people call it, and bytes (0: unknown).

    `host` is where texts are sent to, "" for this machine.
    """

    name: str
    reference: str
    title: str
    size: int = 0
    host: str = ""

    @property
    def writes(self) -> bool:
        """Whether it may be a generator: servers hold encoders too, and do not tell which models those are."""
        return WRITES_NOTHING.search(self.name) is None


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server that was asked: its name, its address, and its models, or why there are none, in a clause."""

    title: str
    url: str
    models: tuple[ServerModel, ...] = ()
    problem: str = ""

    @property
    def summary(self) -> str:
        """How many models, or why none."""
        return self.problem or f"{len(self.models):,} {'model' if len(self.models) == 1 else 'models'}"


_latest: dict[Path, tuple[ModelServer, ...]] = {}
"""What the latest look from each workspace showed."""


@verb("models.use", "servers of models")
def find_models(home: Path, address: str = "") -> tuple[ModelServer, ...]:
    """The servers of models on this machine, or the one at an address or an endpoint's name; all are asked at once.

    Raises UsageError for an address that is not one or may not be called, DataError for a damaged endpoints.yaml.
    """
    places = _places(home, address)
    replies = in_parallel(lambda name: _reply(name, places[name]), tuple(places), len(places))
    if address and isinstance(replies[0], UsageError):
        raise replies[0]
    servers = [item for item in replies if isinstance(item, ModelServer)]
    before = _latest.get(home, ()) if address else ()
    # A server that has two names is shown once.
    _latest[home] = tuple({item.url: item for item in (*before, *servers)}.values())
    return tuple({item.url: item for item in servers}.values())


def refusal(home: Path) -> str:
    """Why no server on this machine may be asked, in a sentence; "" where one may."""
    reason = ""
    for place in _places(home, "").values():
        try:
            check_endpoint(place.endpoints[0].url, place.key)
        except UsageError as error:
            reason = str(error)
        else:
            return ""
    return reason


def server_models(home: Path) -> tuple[ServerModel, ...]:
    """The models to choose from: the workspace's default, then what writes on the servers of the latest look."""
    default = default_generator(home)
    models = [model for server in _latest.get(home, ()) for model in server.models if model.writes]
    if default.startswith(f"{ADAPTER}:"):
        models.insert(0, next((item for item in models if item.reference == default), _named(default, home)))
    return tuple(dict.fromkeys(models))


def default_generator(home: Path) -> str:
    """The generator of recipes that name none. Raises UsageError for a settings.yaml that cannot be used."""
    return stored_settings(home).generator or EXTRACTIVE


@verb("settings.change", "{name}")
def choose_generator(home: Path, name: str) -> None:
    """Sets the generator of recipes that name none; nothing is called.

    Raises UsageError for a name that means nothing, or whose server may not be called.
    """
    check_name(name, "generator")
    if reference(name, "generator").adapter == ADAPTER:
        place = split_model(reference(name, "generator").model, home)[1]
        for endpoint in place.endpoints:
            check_endpoint(endpoint.url, endpoint.key)
    store_settings(home, generator="" if name == EXTRACTIVE else name)


def with_default_generator(recipe: Recipe, home: Path) -> Recipe:
    """The recipe; one that was made without a generator gets the workspace's default. Raises UsageError."""
    return recipe if "generator" in recipe.model_fields_set else recipe.with_(generator=default_generator(home))


def model_title(name: str, home: Path) -> str:
    """A model behind an endpoint as people call it, such as “llama3:8b on Ollama, this machine”; other names stay."""
    return _named(name, home).title if name.startswith(f"{ADAPTER}:") else name


def default_problem(home: Path) -> str:
    """Why the default generator cannot answer now, as its server says, in a clause; "" where it can or is no server's.

    Raises UsageError, DataError.
    """
    model, at, place = default_generator(home).removeprefix(f"{ADAPTER}:").rpartition("@")
    if not at:
        return ""
    (server,) = find_models(home, place)
    is_there = model in {item.name for item in server.models}
    return "" if is_there else server.problem or "its server does not hold this model"


def _places(home: Path, address: str) -> dict[str, NamedEndpoint]:
    """What is asked: endpoints by what a recipe calls them."""
    named, typed = endpoints(home), address.strip()
    if not typed:
        return {name: place for name, place in named.items() if not place.hosts}
    if typed in named:
        return {typed: named[typed]}
    url = typed if "://" in typed else f"http://{typed}"
    url = url.rstrip("/") if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"
    place = NamedEndpoint(url=url)
    return {next((name for name, item in named.items() if item.url == place.endpoints[0].url), url): place}


def _reply(name: str, place: NamedEndpoint) -> ModelServer:
    """What a server holds, or why that is not known. Raises UsageError for one that may not be called."""
    endpoint = place.endpoints[0]
    try:
        served = served_models(endpoint, MOMENT if endpoint.is_local else ELSEWHERE)
    except MissingError as error:
        return ModelServer(_server_title(name, place), endpoint.url, problem=str(error))
    owners = {model.owner for model in served}
    at = endpoint.url if name in SIGNS and SIGNS[name] not in owners else name
    problem = "it is a service of this workbench, which answers by a recipe" if OURS in owners else ""
    problem = problem or ("" if served else "it holds no model yet")
    models = () if problem else tuple(
        ServerModel(
            model.name,
            f"{ADAPTER}:{model.name}@{at}",
            f"{model.name} on {_server_title(at, place)}",
            model.size,
            HOSTS.join(place.hosts)
        )
        for model in served
    )  # fmt: skip
    return ModelServer(_server_title(at, place), endpoint.url, models, problem)


def _named(name: str, home: Path) -> ServerModel:
    """A model by the name that a recipe gives it."""
    given = name.removeprefix(f"{ADAPTER}:")
    try:
        model, place = split_model(given, home)
        at = given.rpartition("@")[2] if "@" in given else "openai"
        return ServerModel(model, name, f"{model} on {_server_title(at, place)}", host=HOSTS.join(place.hosts))
    except UsageError:  # an endpoint that was removed: using the model says so
        return ServerModel(given, name, given)


def _server_title(name: str, place: NamedEndpoint) -> str:
    """What people call a server: by its program where that is known, and on which machine."""
    program = TITLES.get(name, shorten(host_and_port(place.endpoints[0].url) if "://" in name else name))
    return program if place.hosts else f"{program}, this machine"
