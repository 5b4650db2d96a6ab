"""What AutoRAG's configuration may name, from `modules.yaml`: nodes, modules, parameters, strategies and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

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
    """What becomes of a metric: one of `ranking` at one of `depths`, of an `answer`, or `judged`; or it is left out."""

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
