"""One module of AutoRAG as a module of a search space: its parameters as values of a recipe's fields."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core import UsageError, shorten, unknown_name
from workbench.models import known_models
from workbench.optimise.space.autorag.autorag_file import (
    AutoragFile,
    ModuleRule,
    NodeRule,
    ParameterRule,
    Place,
    RawNode,
    registry,
)

Options = Mapping[str, Sequence[Any]]
"""The values to try by parameter, as a module of AutoRAG lists them."""
PARTS = {"bm25", "vectordb"}
DEFAULT_LANGUAGE_MODEL = "gpt-3.5-turbo"
"""What AutoRAG calls where a module names no model."""
WEIGHTS_LIMIT = 200


class ModuleRefused(Exception):
    """A module cannot be taken over; the message is a sentence."""


def language_models(rule: ModuleRule, options: Options) -> list[str]:
    """The references of the language models that a module names. Raises ModuleRefused."""
    interfaces = [str(item) for item in options.get("generator_module_type", (rule.interface,))]
    names: dict[str, None] = {}
    for interface in interfaces:
        for provider in options.get("llm", ("openai" if interface == "llama_index_llm" else DEFAULT_LANGUAGE_MODEL,)):
            models = options.get("model") or options.get("model_name") or ("",)
            names.update((_language_model(interface, str(provider), str(model), options), None) for model in models)
    return [f"{rule.prefix}{name}" for name in names]


def encoders(options: Options, databases: Mapping[str, Any]) -> list[str]:
    """The references of the encoders that a module names, by itself or by its vector database. Raises ModuleRefused.

    `databases` are the file's vector databases: what each names as its embedding model.
    """
    named = list(options.get("embedding_model", ()))
    if not named:
        for database in options.get("vectordb", ()):
            if database not in databases and database != "default":
                raise ModuleRefused(str(unknown_name("vector database", database, databases)))
            named.append(databases.get(database, "default"))
    return list(dict.fromkeys(encoder(item) for item in named))


def encoder(name: Any) -> str:
    """The reference of an embedding model, by AutoRAG's name or as a mapping of type and model_name."""
    known = registry().embedding_models
    if isinstance(name, list) and len(name) == 1:
        name = name[0]
    if isinstance(name, Mapping) and {"type", "model_name"} <= name.keys():
        adapters = {
            "huggingface": "sentence-transformers:{}",
            "openai": "openai-like:{}",
            "ollama": "openai-like:{}@ollama",
        }
        if (form := adapters.get(str(name["type"]))) is not None:
            return _known(form.format(name["model_name"]))
    if str(name) in known:
        return known[str(name)]
    raise ModuleRefused(
        f"There is no encoder for the embedding model “{shorten(name)}”; known are {', '.join(sorted(known))}, and "
        "mappings of type (huggingface, openai, ollama) and model_name."
    )


def rrf_constants(options: Options) -> list[int]:
    """The constants of RRF: as listed, or every whole number of the range. Raises UsageError."""
    if named := [*options.get("rrf_k", ()), *options.get("weight", ())]:
        return [int(item) for item in named]
    low, high = _pair(options["weight_range"][0])
    return list(range(int(low), int(high) + 1))


def lexical_shares(options: Options) -> list[float]:
    """The lexical shares of a convex combination, in [0, 1].

    AutoRAG's `weight`, and the ends of its `weight_range`, are the semantic share; its older `weights` are those of
    `target_modules` in their order. Raises UsageError.
    """
    if "weights" in options:
        pairs = [_pair(option) for option in options["weights"]]
        first = _tuple(options.get("target_modules", ("('bm25', 'vectordb')",))[0])[0]
        return [round(low if first == "bm25" else high, 6) for low, high in pairs]
    if "weight" in options:
        return [round(1 - float(option), 6) for option in options["weight"]]
    if "weight_range" not in options:
        return []
    low, high = _pair(options["weight_range"][0])
    count = int(options.get("test_weight_size", (101,))[0])
    if not 1 <= count <= WEIGHTS_LIMIT:
        raise UsageError(f"test_weight_size is {count}; from 1 to {WEIGHTS_LIMIT} weights are allowed.")
    step = (high - low) / (count - 1) if count > 1 else 0.0
    return [round(1 - (low + step * number), 6) for number in range(count)]


def check_target_modules(options: Options) -> None:
    """Raises ModuleRefused where a hybrid joins anything but BM25 and one vector database."""
    for item in options.get("target_modules", ()):
        if set(_tuple(item)) != PARTS:
            raise ModuleRefused("A hybrid here joins BM25 and one encoder: write target_modules: ('bm25', 'vectordb').")


def _language_model(interface: str, provider: str, model: str, options: Options) -> str:
    address = str(next(iter(options.get("api_base") or options.get("uri") or ("",)), ""))
    if interface == "vllm":
        return _known(f"huggingface:{provider}")
    if interface == "vllm_api":
        base = f"{address.rstrip('/')}/v1" if address and not address.rstrip("/").endswith("/v1") else address
        return f"openai-like:{provider}@{base or 'vllm'}"
    if interface == "openai_llm":
        return _known(f"openai-like:{provider}")
    if interface != "llama_index_llm":
        raise ModuleRefused(f"There is no generator module “{shorten(interface)}” here: take llama_index_llm.")
    match provider.casefold():
        case "openai":
            return _known(f"openai-like:{model or DEFAULT_LANGUAGE_MODEL}")
        case "openailike" if model and address:
            return f"openai-like:{model}@{address}"
        case "ollama" if model:
            return f"openai-like:{model}@ollama"
        case "huggingfacellm" | "huggingface_llm" if model:
            return _known(f"huggingface:{model}")
    raise ModuleRefused(
        f"The language model “{shorten(provider)}” with model “{shorten(model)}” cannot be taken over: allowed are "
        "openai, openailike with model and api_base, ollama with model, and huggingfacellm with model_name."
    )


def _known(name: str) -> str:
    """The short name of a known model, where `name` is its adapter and model; else `name`."""
    for model in known_models():
        if name == f"{model.adapter}:{model.model}":
            return model.name
    return name


def _pair(value: Any) -> tuple[float, float]:
    items = _tuple(value)
    if len(items) != 2 or not all(isinstance(item, int | float) for item in items):
        raise UsageError(f"“{shorten(value)}” is not a pair of numbers, such as (0.3, 0.7).")
    return float(items[0]), float(items[1])


def _tuple(value: Any) -> tuple[Any, ...]:
    """AutoRAG writes tuples as Python does, as a text."""
    if isinstance(value, list | tuple):
        return tuple(value)
    try:
        items = ast.literal_eval(str(value)[:500])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        items = None
    if not isinstance(items, tuple):
        raise UsageError(f"“{shorten(value)}” is not a tuple, such as (0.3, 0.7) or ('bm25', 'vectordb').")
    return items


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
