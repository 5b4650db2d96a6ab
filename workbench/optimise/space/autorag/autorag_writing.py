"""A search space as AutoRAG's YAML: what AutoRAG has a name for, and a note on everything that it has none for.

The table of `modules.yaml` is read backwards. The form is that of AutoRAG 0.3.17 and later: lexical, semantic and
hybrid retrieval are nodes of their own. Prompts and metrics that AutoRAG demands where we name none are its samples'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

import yaml

from workbench.components import reference
from workbench.core import UsageError
from workbench.optimise.space.autorag.autorag_file import AutoragNote, ModuleRule, NodeRule, ParameterRule, registry
from workbench.optimise.space.search_space import SearchSpace, SpaceNode
from workbench.pipeline import make_recipe, nested, words

Entry = dict[str, Any]
RANKING, ANSWER = ["retrieval_recall", "retrieval_ndcg"], ["rouge"]
TOKENS = ["retrieval_token_f1", "retrieval_token_recall"]
PROMPT = "Answer the question from the passages. \n\n{retrieved_contents} \n\n Question: {query} \n\n Answer:"
RETRIEVALS = {"bm25": "lexical_retrieval", "vectordb": "semantic_retrieval"}
RRF_K, LEXICAL_SHARE = 60, 0.5
"""What a recipe that names neither takes."""
FUSIONS: Mapping[str, Mapping[str, str]] = {
    "hybrid": {"retriever": "cc"},
    "dbsf": {"retriever": "cc", "normalisation": "distribution"},
}
"""Fusions that are convex combinations, as AutoRAG names them."""
SINGLE = ("weight_range", "test_weight_size")
"""Parameters that make a module of its own, since AutoRAG reads several values of theirs as a range."""


class _Writing:
    def __init__(self, space: SearchSpace) -> None:
        self.space, self.notes, self.encoders = space, list[AutoragNote](), dict[str, str]()
        self.recipe = make_recipe(nested(space.recipe))

    def note(self, subject: str, sentence: str) -> None:
        note = AutoragNote(0, subject, "left out", sentence)
        if note not in self.notes:
            self.notes.append(note)

    def nodes(self) -> list[Entry]:
        """The nodes in AutoRAG's order; those without a module that it has are left out."""
        ours = {node.node: node for node in self.space.nodes}
        known = {rule.node for rule in registry().nodes.values()}
        for name in ours.keys() - known:
            self.note(name, f"AutoRAG has no node for it: {ours[name].type.explanation[:1].lower()}"
                      f"{ours[name].type.explanation[1:]}")  # fmt: skip
        written: list[Entry] = []
        for name, rule in registry().nodes.items():
            if name.endswith("_retrieval"):
                continue
            node = ours.get(rule.node) or self._fixed(rule)
            modules = self._modules(node, rule) if node else []
            if node and modules:
                written += self._retrieval(node, modules) if name == "retrieval" else [self._node(name, node, modules)]
        kinds = {entry["node_type"]: entry for entry in written}
        if "generator" in kinds:
            prompts = kinds.setdefault("prompt_maker", self._prompts())
            prompts["strategy"]["generator_modules"] = deepcopy(kinds["generator"]["modules"][:1])
        else:
            kinds.pop("prompt_maker", None)
        return [kinds[name] for name in (*registry().nodes,) if name in kinds]

    def _prompts(self) -> Entry:
        return {"node_type": "prompt_maker", "strategy": {"metrics": [*ANSWER]},
                "modules": [{"module_type": "fstring", "prompt": [PROMPT]}]}  # fmt: skip

    def _fixed(self, rule: NodeRule) -> SpaceNode | None:
        """The node of a step that the space searches nothing at, and AutoRAG cannot do without."""
        fields = {"retrieval": ("retriever",), "reranker": ("reranker", "k"), "generator": ("generator",)}
        values = {name: [getattr(self.recipe, name)] for name in fields.get(rule.node, ())}
        modules = [{"name": "fixed", "values": values}]
        return SpaceNode.model_validate({"node": rule.node, "modules": modules}) if values else None

    def _modules(self, node: SpaceNode, rule: NodeRule) -> list[Entry]:
        modules: list[Entry] = []
        for module in node.modules:
            single = [entry for choices in module.variants() if (entry := self._module(node, rule, choices))]
            modules += [entry for entry in _merged(single) if entry not in modules]
        return modules

    def _module(self, node: SpaceNode, rule: NodeRule, choices: Mapping[str, Any]) -> Entry | None:
        """A variant as AutoRAG's module; None, with a note, for one that it does not have."""
        if node.node == "retrieval" and choices.get("retriever", self.recipe.retriever) != "lexical":
            choices = {"encoder": self.recipe.encoder, **choices}
        choices = {**choices, **FUSIONS.get(choices.get("retriever", ""), {})}
        for name, entry in rule.modules.items():
            if not entry.refused and (values := self._values(entry, rule, choices)) is not None:
                written, covered = values
                for field in choices.keys() - covered - {rule.top_k}:
                    self.note(f"{node.node} / {name}", f"AutoRAG has no {field} = {words(choices[field])}.")
                return {"module_type": name, **written}
        shown = ", ".join(f"{field} = {words(value)}" for field, value in choices.items() if field != rule.top_k)
        self.note(node.node, f"AutoRAG has no module for {shown}.")
        return None

    def _values(self, entry: ModuleRule, rule: NodeRule, choices: Mapping[str, Any]) -> tuple[Entry, set[str]] | None:
        """The parameters that say the choices, and the fields that they and the module cover; None: another module."""
        if any(choices.get(field) != value for field, value in entry.values.items()):
            return None
        written, covered = Entry(), set(entry.values) & choices.keys()
        for key, parameter in {**registry().parameters(entry), **rule.parameters}.items():
            value = _value(parameter, choices.get(parameter.field))
            if value is not None and parameter.field not in covered:
                written[key] = value
                covered.add(parameter.field)
        if entry.model and (model := _language_model(str(choices.get(entry.model, "")), entry)):
            written.update(model)
            covered.add(entry.model)
        if choices.get("retriever") == "rrf":
            constant = choices.get("rrf_k") or self.recipe.rrf_k or RRF_K
            written.pop("rrf_k", None)
            written["weight_range"] = f"({constant}, {constant})"
        elif choices.get("retriever") == "cc":
            lexical = choices.get("fusion_weight", self.recipe.fusion_weight)
            share = round(1 - (LEXICAL_SHARE if lexical is None else float(lexical)), 6)
            written |= {"weight_range": f"({share}, {share})", "test_weight_size": 1}
            covered.add("fusion_weight")
        if "encoder" in choices and choices.get("retriever") != "lexical":
            self._database(str(choices["encoder"]))
            covered.add("encoder")
            written |= {"vectordb": self._database(str(choices["encoder"]))} if choices["retriever"] == "dense" else {}
        is_strange = entry.model in choices and entry.model not in covered
        return None if is_strange or not covered - {rule.top_k} else (written, covered)

    def _database(self, encoder: str) -> str:
        """The name of the vector database of an encoder."""
        return self.encoders.setdefault(encoder, f"encoder_{len(self.encoders) + 1}")

    def _retrieval(self, node: SpaceNode, modules: Sequence[Entry]) -> list[Entry]:
        """The three nodes that retrieval is in AutoRAG; what a hybrid joins is there, too."""
        parts: dict[str, list[Entry]] = {"lexical_retrieval": [], "semantic_retrieval": [], "hybrid_retrieval": []}
        for module in modules:
            parts[RETRIEVALS.get(module["module_type"], "hybrid_retrieval")].append(module)
        if parts["hybrid_retrieval"]:
            parts["lexical_retrieval"] = parts["lexical_retrieval"] or [{"module_type": "bm25"}]
            if not parts["semantic_retrieval"]:
                named = [{"module_type": "vectordb", "vectordb": name} for name in self.encoders.values()]
                parts["semantic_retrieval"] = named or [{"module_type": "vectordb", "vectordb": "default"}]
            if self.encoders and len(self.encoders) > 1:
                self.note("retrieval", "AutoRAG's hybrids join its best lexical and its best semantic module alone.")
        return [self._node(name, node, items) for name, items in parts.items() if items]

    def _node(self, name: str, node: SpaceNode, modules: Sequence[Entry]) -> Entry:
        rule = registry().nodes[name]
        strategy: Entry = {"metrics": self._metrics(name, node)}
        strategy |= {"strategy": _inverse(registry().strategies, node.selection)} if node.selection != "mean" else {}
        strategy |= {"speed_threshold": node.max_seconds} if node.max_seconds else {}
        strategy |= {"token_threshold": node.max_tokens} if node.max_tokens else {}
        if name == "query_expansion":
            strategy |= {"top_k": self.recipe.candidates, "retrieval_modules": [{"module_type": "bm25"}]}
        tops = {value for module in node.modules for value in module.values.get(rule.top_k, ())}
        tops = tops or ({getattr(self.recipe, rule.top_k)} if rule.top_k else set())
        listed = sorted(tops)
        if name == "hybrid_retrieval" and len(listed) > 1:
            self.note(name, f"AutoRAG's hybrids take one top_k: {listed[-1]}.")
            listed = listed[-1:]
        top = {"top_k": listed if len(listed) > 1 else listed[0]} if listed else {}
        if name == "passage_augmenter":
            top = {"top_k": self.recipe.candidates}
        if name == "prompt_maker":
            modules = [{**module, "prompt": [PROMPT]} for module in modules]
        return {"node_type": name, "strategy": strategy, **top, "modules": list(modules)}

    def _metrics(self, name: str, node: SpaceNode) -> list[str]:
        """AutoRAG's names of the metrics that judge a node, or those of its samples where it has none of them."""
        of_answers = name in ("prompt_maker", "generator")
        metrics = []
        for metric in node.metrics or (self.space.objective,):
            stem = metric.partition("@")[0].removesuffix("_reranked")
            theirs = next(
                (
                    key
                    for key, rule in registry().metrics.items()
                    if stem in (rule.answer if of_answers else rule.ranking,)
                ),
                "",
            )
            metrics += [theirs] if theirs else []
            if not theirs and node.metrics:
                self.note(f"{node.node} / {metric}", "AutoRAG has no such metric for this node.")
        usual = ANSWER if of_answers else TOKENS if name == "passage_compressor" else RANKING
        return list(dict.fromkeys(metrics or usual))

    def databases(self) -> list[Entry]:
        """The vector databases, one for each encoder that AutoRAG can name."""
        databases = []
        for encoder, name in self.encoders.items():
            model = _embedding_model(encoder)
            if model is None:
                self.note(f"encoder / {encoder}", "AutoRAG cannot load it: put another embedding_model in its place.")
            databases.append({"name": name, "db_type": "chroma", "client_type": "persistent",
                              "embedding_model": model or "huggingface_bge_m3", "collection_name": name,
                              "path": "${PROJECT_DIR}/data/chroma"})  # fmt: skip
        return databases


def autorag_of(space: SearchSpace) -> tuple[str, tuple[AutoragNote, ...]]:
    """The space as AutoRAG's YAML, what it cannot say in comments above, and as notes.

    Raises UsageError where it can say nothing.
    """
    writing = _Writing(space)
    nodes = writing.nodes()
    databases = writing.databases()
    if not nodes:
        raise UsageError("AutoRAG has no name for anything in this space.")
    after = ("prompt_maker", "generator")
    lines = [
        {"node_line_name": name, "nodes": part}
        for name, part in (
            ("retrieve_node_line", [node for node in nodes if node["node_type"] not in after]),
            ("post_retrieve_node_line", [node for node in nodes if node["node_type"] in after]),
        )
        if part
    ]
    form = {**({"vectordb": databases} if databases else {}), "node_lines": lines}
    comments = [f"“{space.name}” for AutoRAG 0.3.17 or later. Its questions and passages go into AutoRAG's own files."]
    comments += [f"Left out: {note.subject}: {note.sentence}" for note in writing.notes]
    head = "".join(f"# {' '.join(line.split())}\n" for line in comments)
    return head + yaml.safe_dump(form, sort_keys=False, allow_unicode=True, width=120), tuple(writing.notes)


def _value(parameter: ParameterRule, value: Any) -> Any:
    """A field's value as AutoRAG writes it; None where the parameter cannot say it."""
    if not parameter.field or value is None:
        return None
    if parameter.prefix:
        target = reference(str(value), "reranker") if value != "pass" else None
        return target.model if target and f"{target.adapter}:" == parameter.prefix else None
    return _inverse(parameter.words, str(value)) if parameter.words else value


def _language_model(name: str, entry: ModuleRule) -> Entry:
    """The parameters that name a language model; {} for one that AutoRAG cannot call."""
    if not name.startswith(entry.prefix) or name.removeprefix(entry.prefix) in ("", "extractive"):
        return {}
    target = reference(name.removeprefix(entry.prefix), "generator")
    model, _, endpoint = target.model.partition("@")
    if target.adapter == "huggingface":
        return {"llm": "huggingfacellm", "model": model}
    if target.adapter != "openai-like":
        return {}
    if endpoint in ("", "ollama"):
        return {"llm": endpoint or "openai", "model": model}
    return {"llm": "openailike", "model": model, "api_base": endpoint}


def _embedding_model(name: str) -> Any:
    """AutoRAG's name of an encoder, or a mapping of type and model_name; None for one that it cannot load."""
    theirs = {ours: key for key, ours in registry().embedding_models.items()}
    if name in theirs:
        return theirs[name]
    if name == "e5-small":
        return [{"type": "huggingface", "model_name": "intfloat/multilingual-e5-small"}]
    target = reference(name, "encoder")
    types = {"sentence-transformers": "huggingface", "openai-like": "openai"}
    return [{"type": types[target.adapter], "model_name": target.model}] if target.adapter in types else None


def _inverse(names: Mapping[str, str], value: str) -> str | None:
    return next((theirs for theirs, ours in names.items() if ours == value), None)


def _merged(entries: Sequence[Entry]) -> list[Entry]:
    """Modules of one type that are all combinations of some values as one module with lists of these."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries:
        single = tuple(str(entry.get(key)) for key in SINGLE)
        groups.setdefault((entry["module_type"], *sorted(entry), *single), []).append(entry)
    merged: list[Entry] = []
    for group in groups.values():
        values = {key: list({str(entry[key]): entry[key] for entry in group}.values()) for key in group[0]}
        if len(list(product(*values.values()))) == len({str(entry) for entry in group}):
            group = [{key: items if len(items) > 1 else items[0] for key, items in values.items()}]
        merged += group
    return merged
