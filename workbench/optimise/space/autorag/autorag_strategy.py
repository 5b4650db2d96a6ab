"""How AutoRAG judges a node: metrics, limits and the rule of selection, in our names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workbench.core import shorten, unknown_name
from workbench.optimise.space.autorag.autorag_file import AutoragFile, Place, RawNode
from workbench.optimise.space.autorag.autorag_registry import MetricRule, NodeRule, registry
from workbench.optimise.space.autorag.autorag_values import ModuleRefused, encoder

DEFAULT_DEPTH = 10
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
        metric = _at_depth(entry, raw) + ("_reranked" if rule.ranking == "reranked" else "")
        return metric, f"As {metric}."
    if entry.judged:
        if "model" not in options:
            return (
                "",
                "A judge costs calls, and the file names none: add “model:” to the metric, or a judge to the space.",
            )
        reading.judge = reading.judge or f"openai-like:{options['model']}"
        reading.answers = reading.answers or entry.judged == "g_eval"
        return entry.judged, f"As {entry.judged}, judged by {reading.judge}."
    if entry.answer == "semscore":
        try:
            reading.encoder = reading.encoder or encoder(options.get("embedding_model", "openai"))
        except ModuleRefused as refusal:
            return "", str(refusal)
    reading.answers = True
    return entry.answer, f"As {entry.answer}."


def _at_depth(entry: MetricRule, raw: RawNode) -> str:
    """A metric of a ranking at the greatest depth that is not below the node's top_k, or the least there is."""
    if not entry.depths:
        return entry.ranking
    top = raw.parameters.get("top_k", raw.strategy.get("top_k", DEFAULT_DEPTH))
    top = top[0] if isinstance(top, list) and top else top
    top = top if isinstance(top, int) else DEFAULT_DEPTH
    return f"{entry.ranking}@{max((depth for depth in entry.depths if depth <= top), default=entry.depths[0])}"
