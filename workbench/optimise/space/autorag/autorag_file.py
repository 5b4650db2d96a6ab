"""An AutoRAG configuration as it is written, and what it may name: nodes, modules, parameters, strategies and metrics.

Nodes are in order, each value with its line, variables filled in. The names are those of `modules.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import regex
import yaml
from pydantic import BaseModel, ConfigDict, Field

from workbench.core import UsageError, shorten
from workbench.optimise.space.space_files import line_of
from workbench.workspace import YamlForm

TEXT_LIMIT = 64_000
PLACEHOLDER = regex.compile(r"\$\{(\w+)\}")
Place = tuple[int | str, ...]
Fate = Literal["taken over", "left out", "refused"]


class AutoragForm(BaseModel):
    """The keys of a configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    node_lines: list[dict[str, Any]] = Field(min_length=1)
    vectordb: list[dict[str, Any]] = Field(default_factory=list)
    vars: dict[str, Any] = Field(default_factory=dict)


FORM = YamlForm(
    AutoragForm,
    noun="AutoRAG configuration",
    example="node_lines:",
    command="mrag optimise autorag.yaml",
    limit=TEXT_LIMIT,
)


@dataclass(frozen=True, slots=True)
class AutoragNote:
    """What became of a part of the file: `subject` as “node / module”, in a sentence. `line` counts from 1."""

    line: int
    subject: str
    fate: Fate
    sentence: str


@dataclass(frozen=True, slots=True)
class RawNode:
    """A node as written. `strategy`, and each of `modules`, is a mapping; `parameters` are those of the node."""

    type: str
    place: Place
    strategy: dict[str, Any]
    modules: list[dict[str, Any]]
    parameters: dict[str, Any]


@dataclass
class AutoragFile:
    """The text of a configuration, called `name` in messages, with notes on what became of its parts."""

    text: str
    name: str
    notes: list[AutoragNote] = field(default_factory=list)

    def error(self, place: Place, message: str) -> UsageError:
        """The error for what stands at a place, in one sentence with file and line."""
        return UsageError(f"“{shorten(self.name)}”, line {line_of(self.text, place)}: {message}")

    def note(self, place: Place, subject: str, fate: Fate, sentence: str) -> None:
        """Notes what became of a part; the same of one subject once."""
        note = AutoragNote(line_of(self.text, place), subject, fate, sentence)
        if not any((item.subject, item.sentence) == (subject, sentence) for item in self.notes):
            self.notes.append(note)

    def read(self) -> tuple[list[RawNode], dict[str, Any]]:
        """The nodes of all node lines in order, and the embedding model of each vector database. Raises UsageError."""
        form = FORM.read(self.text, self.name)
        databases = {}
        for number, item in enumerate(form.vectordb):
            if "name" not in item or "embedding_model" not in item:
                raise self.error(("vectordb", number), "A vector database needs a name and an embedding_model.")
            databases[str(item["name"])] = item["embedding_model"]
        nodes = []
        for number, line in enumerate(form.node_lines):
            place: Place = ("node_lines", number)
            if unknown := set(line) - {"node_line_name", "nodes"}:
                key = min(unknown)
                raise self.error((*place, key), f"A node line has no “{key}”: allowed are node_line_name and nodes.")
            items = line.get("nodes") or []
            if not isinstance(items, list):
                raise self.error((*place, "nodes"), "“nodes” must be a list of nodes.")
            nodes += [self._node(item, (*place, "nodes", order), form.vars) for order, item in enumerate(items)]
        return nodes, databases

    def _node(self, raw: Any, place: Place, variables: Mapping[str, Any]) -> RawNode:
        if not isinstance(raw, dict) or "node_type" not in raw:
            raise self.error(place, "A node needs a node_type, for example: node_type: retrieval")
        node = {key: self._filled(value, (*place, key), variables) for key, value in raw.items()}
        modules, strategy = node.get("modules") or [], node.get("strategy") or {}
        if not isinstance(modules, list) or not modules:
            raise self.error(place, f"The node {shorten(node['node_type'])} needs a list of modules.")
        for number, module in enumerate(modules):
            if not isinstance(module, dict) or "module_type" not in module:
                raise self.error((*place, "modules", number), "A module needs a module_type, for example: bm25")
        if not isinstance(strategy, dict):
            raise self.error((*place, "strategy"), "“strategy” must hold keys such as metrics.")
        others = {key: value for key, value in node.items() if key not in ("node_type", "strategy", "modules")}
        return RawNode(str(node["node_type"]), place, strategy, modules, others)

    def _filled(self, value: Any, place: Place, variables: Mapping[str, Any]) -> Any:
        """A value with ${NAME} replaced by the file's `vars`; the environment is not read: it may hold keys."""
        if isinstance(value, dict):
            return {key: self._filled(item, (*place, key), variables) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item, (*place, number), variables) for number, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        for name in PLACEHOLDER.findall(value):
            if name not in variables:
                raise self.error(place, f"“${{{name}}}” has no value: write it below vars, as “{name}: …”.")
        complete = PLACEHOLDER.fullmatch(value)
        if complete:
            return variables[complete[1]]
        return PLACEHOLDER.sub(lambda match: str(variables[match[1]]), value)


_FORM = ConfigDict(frozen=True, extra="forbid")


class ParameterRule(BaseModel):
    """What becomes of a parameter: `field` takes its values, or `read` names a reader.

    `left_out` is why it does nothing; `words` are AutoRAG's values and ours; `prefix` is put before a value.
    """

    model_config = _FORM

    field: str = ""
    words: Mapping[str, str] = Field(default_factory=dict)
    prefix: str = ""
    read: str = ""
    left_out: str = ""


class ModuleRule(BaseModel):
    """What becomes of a module: `values` are the choices that it stands for; `refused` is why it cannot be taken over.

    `model` is the field that names its language model, with `prefix` before it; `interface` is the module type that its
    name is read as; `encoders`: the encoders that the file names belong to it.
    """

    model_config = _FORM

    values: Mapping[str, Any] = Field(default_factory=dict)
    defaults: Mapping[str, Any] = Field(default_factory=dict)
    parameters: Mapping[str, ParameterRule] = Field(default_factory=dict)
    uses: tuple[str, ...] = ()
    model: str = ""
    prefix: str = ""
    interface: str = "llama_index_llm"
    encoders: bool = False
    refused: str = ""
    note: str = ""


class NodeRule(BaseModel):
    """What becomes of a node: the `node` that it is here, and its modules by their type.

    `top_k` is the field that its top_k sets; `ranking` says which ranking its metrics look at, "none" where it changes
    none.
    """

    model_config = _FORM

    node: str
    top_k: str = ""
    ranking: Literal["retrieved", "reranked", "none"] = "retrieved"
    parameters: Mapping[str, ParameterRule] = Field(default_factory=dict)
    modules: Mapping[str, ModuleRule]


class MetricRule(BaseModel):
    """What becomes of a metric: of a `ranking` or `judged`, both at one of `depths`, or of an `answer`; or left out."""

    model_config = _FORM

    ranking: str = ""
    depths: tuple[int, ...] = ()
    answer: str = ""
    judged: str = ""
    left_out: str = ""


class AutoragRegistry(BaseModel):
    """All of `modules.yaml`."""

    model_config = _FORM

    groups: Mapping[str, Mapping[str, ParameterRule]]
    nodes: Mapping[str, NodeRule]
    stages_before: Mapping[str, str]
    strategies: Mapping[str, str]
    strategy: Mapping[str, str]
    metrics: Mapping[str, MetricRule]
    embedding_models: Mapping[str, str]

    def parameters(self, rule: ModuleRule) -> dict[str, ParameterRule]:
        """All parameters of a module, those of its groups included."""
        grouped = {name: item for group in rule.uses for name, item in self.groups[group].items()}
        return {**grouped, **rule.parameters}


@cache
def registry() -> AutoragRegistry:
    """The shipped registry."""
    text = (files("workbench.optimise.space.autorag") / "modules.yaml").read_text(encoding="utf-8")
    return AutoragRegistry.model_validate(yaml.safe_load(text))
