"""One module of AutoRAG as a module of a search space: its parameters as values of a recipe's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core import UsageError, shorten, unknown_name
from workbench.optimise.space.autorag.autorag_file import AutoragFile, Place, RawNode
from workbench.optimise.space.autorag.autorag_registry import ModuleRule, NodeRule, ParameterRule, registry
from workbench.optimise.space.autorag.autorag_values import (
    ModuleRefused,
    check_target_modules,
    encoders,
    language_models,
    lexical_shares,
    rrf_constants,
)

Values = dict[str, list[Any]]


def plain_name(module_type: Any) -> str:
    """A module's type without the spelling of its class.

    >>> plain_name("HybridRRF"), plain_name("pass_reranker"), plain_name("VectorDB")
    ('hybridrrf', 'passreranker', 'vectordb')
    """
    return str(module_type).replace("_", "").casefold()


def module_values(
    file: AutoragFile, raw: RawNode, rule: NodeRule, number: int, databases: Mapping[str, Any], named: list[str]
) -> tuple[str, Values]:
    """The name of the module of that number, and the values of the recipe's fields that it stands for.

    `databases`: the embedding models of vector databases; `named`: the encoders of the whole file. Raises ModuleRefused
    for one that cannot be taken over, and UsageError, with file and line, for a name that AutoRAG does not have.
    """
    module, place = raw.modules[number], (*raw.place, "modules", number)
    name, entry = _entry(file, module, rule, (*place, "module_type"))
    allowed = {**registry().parameters(entry), **rule.parameters}
    written = {
        **_node_parameters(file, raw, rule),
        **{key: value for key, value in module.items() if key != "module_type"},
    }
    if entry.refused:
        raise ModuleRefused(entry.refused)
    options: Values = {key: _options(value) for key, value in {**_defaults(entry, written), **written}.items()}
    for key in written:
        if key not in allowed:
            where: Place = (*place, key) if key in module else (*raw.place, key)
            raise file.error(where, unknown_name(f"parameter of AutoRAG's {name}", key, allowed).on_screen)
        if reason := allowed[key].left_out:
            where = (*place, key) if key in module else (*raw.place, key)
            file.note(where, f"{raw.type} / {name} / {key}", "left out", reason)
    if entry.note:
        file.note(place, f"{raw.type} / {name}", "taken over", entry.note)
    values: Values = {key: [value] for key, value in entry.values.items()}
    if rule.top_k and "top_k" in raw.parameters:
        values[rule.top_k] = _options(raw.parameters["top_k"])
    try:
        values.update(_fields(options, allowed))
        values.update(_read(entry, options, {allowed[key].read for key in options if key in allowed}, databases, named))
    except (UsageError, ValueError, TypeError) as error:
        raise file.error(place, f"The module {name} cannot be read: {error}") from error
    return name, values


def _entry(file: AutoragFile, module: Mapping[str, Any], rule: NodeRule, place: Place) -> tuple[str, ModuleRule]:
    typed = module["module_type"]
    for name, entry in rule.modules.items():
        if plain_name(name) == plain_name(typed):
            return name, entry
    if str(typed) in registry().stages_before:
        raise ModuleRefused(registry().stages_before[str(typed)])
    raise file.error(place, unknown_name("AutoRAG module", typed, rule.modules).on_screen)


def _node_parameters(file: AutoragFile, raw: RawNode, rule: NodeRule) -> dict[str, Any]:
    """The parameters of the node that count for each of its modules. Raises UsageError for one that no module has."""
    shared = {key: value for key, value in raw.parameters.items() if not (key == "top_k" and rule.top_k)}
    known = {name for entry in rule.modules.values() for name in registry().parameters(entry)} | set(rule.parameters)
    for key in shared:
        if key not in known:
            allowed = sorted({*known, *(["top_k"] if rule.top_k else [])})
            raise file.error(
                (*raw.place, key), unknown_name(f"parameter of AutoRAG's node {raw.type}", key, allowed).on_screen
            )
    types = {plain_name(module["module_type"]) for module in raw.modules}
    usable = {
        name for key, entry in rule.modules.items() if plain_name(key) in types for name in registry().parameters(entry)
    }
    return {key: value for key, value in shared.items() if key in usable or key in rule.parameters}


def _defaults(entry: ModuleRule, written: Mapping[str, Any]) -> dict[str, Any]:
    """What AutoRAG takes for parameters that are missing; none where another parameter says the same."""
    instead = {"weight_range": ("weight", "weights", "rrf_k"), "vectordb": ("embedding_model",)}
    return {
        key: value
        for key, value in entry.defaults.items()
        if key not in written and not any(other in written for other in instead.get(key, ()))
    }


def _fields(options: Values, allowed: Mapping[str, ParameterRule]) -> Values:
    """The fields that take a parameter's values as they are, or by another word."""
    values: Values = {}
    for key, items in options.items():
        rule = allowed.get(key)
        if rule is None or not rule.field or rule.read:
            continue
        if rule.words and (strange := [item for item in items if str(item) not in rule.words]):
            raise UsageError(f"{key} is “{shorten(strange[0])}”; allowed are {', '.join(rule.words)}.")
        values[rule.field] = [
            f"{rule.prefix}{item}" if rule.prefix else rule.words.get(str(item), item) for item in items
        ]
    return values


def _read(
    entry: ModuleRule, options: Values, readers: set[str], databases: Mapping[str, Any], named: list[str]
) -> Values:
    """The fields that several parameters make up together."""
    values: Values = {}
    check_target_modules(options)
    if entry.model:
        values[entry.model] = language_models(entry, options)
    if "encoder" in readers:
        values["encoder"] = encoders(options, databases)
    if entry.encoders and named:
        values["encoder"] = list(named)
    if "rrf_weight" in readers or "rrf_k" in options:
        values["rrf_k"] = rrf_constants(options)
    if "cc_weight" in readers:
        values["fusion_weight"] = lexical_shares(options)
    return {field: items for field, items in values.items() if items}


def _options(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
