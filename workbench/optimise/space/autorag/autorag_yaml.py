"""AutoRAG's YAML as a search space, with a note on every module: taken over, left out, or refused, in a sentence.

The format is AutoRAG's (Kim et al. 2024): node lines with nodes, each with a strategy, node parameters and modules,
whose parameters may be lists of values to try. A strategy's metrics, limits and rule of selection are put in our names.
A name that AutoRAG does not have is an error with file and line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.components import check_name
from workbench.core import UsageError, shorten, unknown_name
from workbench.optimise.space.autorag.autorag_file import (
    TEXT_LIMIT,
    AutoragFile,
    AutoragNote,
    MetricRule,
    NodeRule,
    Place,
    RawNode,
    registry,
)
from workbench.optimise.space.autorag.autorag_module import ModuleRefused, encoder, encoders, module_values, plain_name
from workbench.optimise.space.search_space import SearchSpace, SpaceModule
from workbench.optimise.space.space_files import space_from_file, space_from_text
from workbench.pipeline import make_recipe, nested, recipe_field
from workbench.workspace import PASSAGES_LIMIT, read_text

DEFAULT_DEPTH = 10
OF_CANDIDATES = ("query-expansion", "retrieval", "augmenter")
"""Nodes whose metrics look at the candidates, by the nodes' names here."""
LIMITS = {"speed_threshold": "max_seconds", "token_threshold": "max_tokens"}
METRIC_KEYS = ("metric_name", "embedding_model", "model", "lang", "batch_size")
LEFT_OUT_KEYS = {"lang": "The language is that of the question.", "batch_size": "It does not change a score."}


@dataclass
class StrategyReading:
    """What a strategy says: `judging` are keys of a node of a search space; `answers`: its metrics look at answers.

    `judge` and `encoder` are what judged metrics and semscore need, "" for none; `objective` is its first metric.
    """

    judging: dict[str, Any] = field(default_factory=dict)
    answers: bool = False
    judge: str = ""
    encoder: str = ""

    @property
    def objective(self) -> str:
        """The first metric, "" where there is none."""
        metrics = self.judging.get("metrics", [])
        return str(metrics[0]) if metrics else ""


def read_strategy(file: AutoragFile, raw: RawNode, rule: NodeRule) -> StrategyReading:
    """The strategy of a node. Raises UsageError, with file and line, for a name that AutoRAG does not have."""
    reading = StrategyReading()
    place: Place = (*raw.place, "strategy")
    facts = registry()
    for key, value in raw.strategy.items():
        where: Place = (*place, key)
        if key == "metrics":
            items = value if isinstance(value, list) else [value]
            names = [
                name
                for number, item in enumerate(items)
                if (name := _metric(file, raw, rule, item, (*where, number), reading))
            ]
            if names:
                reading.judging["metrics"] = list(dict.fromkeys(names))
        elif key == "strategy":
            if str(value) not in facts.strategies:
                raise file.error(where, unknown_name("AutoRAG strategy", value, facts.strategies).on_screen)
            reading.judging["selection"] = facts.strategies[str(value)]
        elif key in LIMITS:
            if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
                raise file.error(where, f"{key} is “{shorten(value)}”; it must be a number above 0.")
            reading.judging[LIMITS[key]] = value
        elif key in facts.strategy:
            file.note(where, f"{raw.type} / strategy / {key}", "left out", facts.strategy[key])
        else:
            allowed = {"metrics", "strategy", *LIMITS, *facts.strategy}
            raise file.error(where, unknown_name("key of an AutoRAG strategy", key, allowed).on_screen)
    return reading


def _metric(file: AutoragFile, raw: RawNode, rule: NodeRule, item: Any, place: Place, reading: StrategyReading) -> str:
    """Our name of a metric, "" where it is left out."""
    options = item if isinstance(item, dict) else {"metric_name": item}
    for key in options:
        if key not in METRIC_KEYS:
            raise file.error((*place, key), unknown_name("key of an AutoRAG metric", key, METRIC_KEYS).on_screen)
    name = str(options.get("metric_name", ""))
    if name not in registry().metrics:
        raise file.error(place, unknown_name("AutoRAG metric", name, registry().metrics).on_screen)
    subject = f"{raw.type} / {name}"
    for key in LEFT_OUT_KEYS.keys() & options.keys():
        file.note((*place, key), f"{subject} / {key}", "left out", LEFT_OUT_KEYS[key])
    entry = registry().metrics[name]
    metric, reason = _name(entry, raw, rule, options, reading)
    file.note(place, subject, "taken over" if metric else "left out", reason)
    return metric


def _name(
    entry: MetricRule, raw: RawNode, rule: NodeRule, options: dict[str, Any], reading: StrategyReading
) -> tuple[str, str]:
    """Our name of a metric and what became of it; "" and why where it is left out."""
    if entry.left_out:
        return "", entry.left_out
    if entry.ranking:
        if rule.ranking == "none":
            return "", "A filter changes what is read, not the ranking: the next node's metrics judge it."
        depth = f"@{_depth(entry, raw)}" if entry.depths else ""
        metric = f"{entry.ranking}{depth}" + ("_reranked" if rule.ranking == "reranked" else "")
        return metric, f"As {metric}."
    if entry.judged:
        if "model" not in options:
            return (
                "",
                "A judge costs calls, and the file names none: add “model:” to the metric, or a judge to the space.",
            )
        reading.judge = reading.judge or f"openai-like:{options['model']}"
        reading.answers = reading.answers or entry.judged == "g_eval"
        if entry.depths and rule.node in OF_CANDIDATES:
            metric = f"{entry.judged}_{_depth(entry, raw)}"
            return metric, f"As {metric}, of the candidates that this node gives, judged by {reading.judge}."
        what = ", of the passages that are read" if entry.depths else ""
        return entry.judged, f"As {entry.judged}{what}, judged by {reading.judge}."
    if entry.answer == "semscore":
        try:
            reading.encoder = reading.encoder or encoder(options.get("embedding_model", "openai"))
        except ModuleRefused as refusal:
            return "", str(refusal)
    reading.answers = True
    return entry.answer, f"As {entry.answer}."


def _depth(entry: MetricRule, raw: RawNode) -> int:
    """The greatest depth of a metric that is not above the node's top_k, or the least there is."""
    top = raw.parameters.get("top_k", raw.strategy.get("top_k", DEFAULT_DEPTH))
    top = top[0] if isinstance(top, list) and top else top
    top = top if isinstance(top, int) else DEFAULT_DEPTH
    return max((depth for depth in entry.depths if depth <= top), default=entry.depths[0])


DEFAULT_OBJECTIVE = "char3_recall"


@dataclass(frozen=True, slots=True)
class AutoragReading:
    """The search space that a configuration stands for, and what became of each of its parts, by line."""

    space: SearchSpace
    notes: tuple[AutoragNote, ...]


def is_autorag(text: str) -> bool:
    """Whether a YAML text is an AutoRAG configuration rather than a search space of ours."""
    return any(line.startswith("node_lines:") for line in text.splitlines())


def read_space(text: str, name: str) -> AutoragReading:
    """A search space of ours, without notes, or an AutoRAG configuration, whichever the text is. Raises UsageError."""
    return autorag_from_text(text, name) if is_autorag(text) else AutoragReading(space_from_text(text, name), ())


def autorag_from_text(text: str, name: str) -> AutoragReading:
    """The search space of a configuration, called `name` in messages, over the sample; change `datasets` for yours.

    Raises UsageError, one sentence with file and line.
    """
    file = AutoragFile(text, name)
    raw_nodes, databases = file.read()
    nodes: dict[str, dict[str, Any]] = {}
    shared: dict[str, Any] = {"mode": "multirag"}
    strategies: list[StrategyReading] = []
    named = _encoders(raw_nodes, databases)
    for raw in raw_nodes:
        rule = _rule(file, raw)
        strategy = read_strategy(file, raw, rule)
        modules = _modules(file, raw, rule, databases, named)
        strategies.append(strategy)
        if modules:
            node = nodes.setdefault(rule.node, {"node": rule.node, "modules": []})
            if node["modules"]:
                file.note(raw.place, raw.type, "taken over", "Kinds of retrieval are modules of one node here.")
            node["modules"] += _distinct(modules, node["modules"])
            node.update(strategy.judging)
        else:
            file.note(raw.place, raw.type, "refused", "None of its modules can be taken over, so the node is left out.")
    if not nodes:
        raise file.error((), "No module of this configuration can be taken over.")
    _share_k(file, raw_nodes, nodes, shared)
    space = _space(name, nodes, shared, strategies)
    return AutoragReading(space, tuple(sorted(file.notes, key=lambda note: note.line)))


def read_space_file(path: Path) -> AutoragReading:
    """What `read_space` makes of a file. Raises UsageError."""
    try:
        text = read_text(path, TEXT_LIMIT)
    except (OSError, UnicodeDecodeError):
        return AutoragReading(space_from_file(path), ())  # says what is wrong with the file
    return read_space(text, path.name)


def _rule(file: AutoragFile, raw: RawNode) -> NodeRule:
    nodes = registry().nodes
    if raw.type not in nodes:
        raise file.error((*raw.place, "node_type"), unknown_name("AutoRAG node", raw.type, nodes).on_screen)
    return nodes[raw.type]


def _encoders(raw_nodes: list[RawNode], databases: Mapping[str, Any]) -> list[str]:
    """The encoders of all modules that search a vector database, which hybrids join with BM25."""
    names: dict[str, None] = {}
    for raw in raw_nodes:
        for module in raw.modules:
            if plain_name(module["module_type"]) == "vectordb":
                options = {key: value if isinstance(value, list) else [value] for key, value in module.items()}
                try:
                    names.update(dict.fromkeys(encoders(options, databases)))
                except ModuleRefused:
                    continue  # noted where the module itself is read
    return list(names)


def _modules(
    file: AutoragFile, raw: RawNode, rule: NodeRule, databases: Mapping[str, Any], named: list[str]
) -> list[SpaceModule]:
    """The modules of a node that can be taken over, the others noted."""
    modules = []
    for number, module in enumerate(raw.modules):
        place: Place = (*raw.place, "modules", number)
        subject = f"{raw.type} / {shorten(module['module_type'])}"
        try:
            name, values = module_values(file, raw, rule, number, databases, named)
            item = SpaceModule(name=name, values={field: tuple(items) for field, items in values.items()})
            _check(item)
        except ModuleRefused as refusal:
            file.note(place, subject, "refused", str(refusal))
            continue
        fields = ", ".join(f"{field}: {_listed(items)}" for field, items in item.values.items())
        file.note(place, subject, "taken over", f"As {fields}.")
        modules.append(item)
    return modules


def _check(module: SpaceModule) -> None:
    """Raises ModuleRefused where a recipe, or the components, refuse what the module stands for."""
    try:
        for choices in module.variants():
            make_recipe(nested(choices))
        for name, values in module.values.items():
            role = recipe_field(name).about.role
            for value in values:
                if role and value:
                    check_name(str(value), role)
    except UsageError as error:
        raise ModuleRefused(error.on_screen) from error


def _distinct(modules: list[SpaceModule], others: list[SpaceModule]) -> list[SpaceModule]:
    """The modules, with names that none of the others has; equal ones once."""
    names = {other.name for other in others}
    distinct: list[SpaceModule] = []
    for module in modules:
        if any(module.values == item.values for item in (*others, *distinct)):
            continue
        name, number = module.name, 2
        while name in names:
            name, number = f"{module.name} {number}", number + 1
        names.add(name)
        distinct.append(module.model_copy(update={"name": name}))
    return distinct


def _share_k(file: AutoragFile, raw_nodes: list[RawNode], nodes: Mapping[str, Any], shared: dict[str, Any]) -> None:
    """Without a reranker's top_k the generator reads all that was retrieved, as in AutoRAG; at most PASSAGES_LIMIT."""
    if any("k" in module.values for module in nodes.get("reranker", {}).get("modules", ())):
        return
    tops = [
        (raw, raw.parameters["top_k"])
        for raw in raw_nodes
        if registry().nodes[raw.type].top_k and "top_k" in raw.parameters
    ]
    for raw, top in tops[-1:]:
        first = top[0] if isinstance(top, list) and top else top
        if isinstance(first, int) and first >= 1:
            shared["k"] = min(first, PASSAGES_LIMIT)
            sentence = f"The generator reads k = {shared['k']} passages; at most {PASSAGES_LIMIT} are allowed."
            file.note((*raw.place, "top_k"), f"{raw.type} / top_k", "taken over", sentence)


def _space(
    name: str, nodes: Mapping[str, Any], shared: Mapping[str, Any], strategies: list[StrategyReading]
) -> SearchSpace:
    last = next((strategy for strategy in reversed(strategies) if strategy.answers), strategies[-1])
    choices = {
        "name": f"AutoRAG: {name}",
        "objective": last.objective or DEFAULT_OBJECTIVE,
        "judge": next((strategy.judge for strategy in strategies if strategy.judge), ""),
        "semscore_encoder": next((strategy.encoder for strategy in strategies if strategy.encoder), ""),
        "recipe": shared,
        "nodes": [{**node, "modules": [item.model_dump() for item in node["modules"]]} for node in nodes.values()],
    }
    try:
        return SearchSpace.model_validate(choices)
    except UsageError as error:
        raise UsageError(f"“{shorten(name)}”: {error.on_screen}") from error


def _listed(items: tuple[Any, ...]) -> str:
    """Values for people: a long list by its ends."""
    words = ["none" if item is None else str(item) for item in items]
    return " or ".join(words) if len(words) < 6 else f"{words[0]} to {words[-1]} ({len(words)} values)"
