"""A search space: nodes with modules, each a set of choices of a recipe, over questions and one metric to be best at.

A node is a step of the pipeline at which one module is taken (Kim et al. 2024, section 3.1.1). Query expansion to
generator are AutoRAG's; mode, scope, question translation, language balance, translator, prompt variant and dialectic
are mRAG's. Which node a field belongs to stands at the field; one that names none belongs to the last, so that every
field can be searched over.

A module names fields of a recipe and the values that each may take; its variants are all combinations of them. A node
holds alternatives, of which a recipe takes one variant. The first variant of a node is what stands there until a
strategy has decided about it. Values are checked by the recipe itself, over the choices that all recipes share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from math import prod
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.components import checked_judge
from workbench.core import UsageError, canonical, fingerprint, shorten, unknown_name
from workbench.experiments import ALL, SEMSCORE, checked_metric_encoder, checked_metrics
from workbench.languages import language
from workbench.metrics import DEFAULT_JUDGE_LANGUAGE, NAMES as JUDGED, scale_of
from workbench.pipeline import Node, Recipe, effective, fields_of_node, make_recipe, nested, recipe_fields


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node: `fields` are dotted where they lie within another, as `dialectic.prompts`. `title` is for people."""

    name: str
    title: str
    fields: tuple[str, ...]
    explanation: str


_TABLE: tuple[tuple[Node, str, str], ...] = (
    ("corpus", "Corpus", "Which passages are searched, where one was split in several ways."),
    ("mode", "Mode", "The way of doing RAG."),
    ("scope", "Scope", "Which languages are searched."),
    ("question-translation", "Question translation",
     "Whether the search is in English too where the mode does not say so."),
    ("translator", "Translator", "What translates questions, passages and answers."),
    ("query-expansion", "Query expansion", "What is searched with besides, or instead of, the question."),
    ("retrieval", "Retrieval", "How candidates are ranked."),
    ("language-balance", "Language balance", "How the languages' rankings become one."),
    ("augmenter", "Neighbouring passages", "Whether the passages before and after a hit join."),
    ("reranker", "Reranker", "What orders the candidates anew, and how many remain."),
    ("filter", "Passage filter", "Which passages are dropped."),
    ("compressor", "Compressor", "What shortens the passages."),
    ("prompt-maker", "Passage order", "The order of the passages in the prompt."),
    ("prompt-variant", "Prompt", "The instructions around question and passages."),
    ("dialectic", "D-RAG's parts", "Which steps of an argument precede the answer."),
    ("generator", "Generator", "What writes the answer."),
    ("other", "Other choices", "Whatever else a recipe fixes."),
)  # fmt: skip


@cache
def node_types() -> tuple[NodeType, ...]:
    """All nodes in the order of the pipeline, each with its fields as `Recipe` describes them."""
    return tuple(NodeType(name, title, tuple(fields_of_node(name)), explanation) for name, title, explanation in _TABLE)


def node_type(name: str) -> NodeType:
    """The node called `name`. Raises UsageError."""
    rows = {row.name: row for row in node_types()}
    if name not in rows:
        raise unknown_name("node", name, rows, "For example: retrieval")
    return rows[name]


def complete_names(metrics: Sequence[str], judge: str, encoder: str, judge_language: str) -> tuple[str, ...]:
    """The names of the scores of these metrics, in order, each once.

    A judged metric has the judge in its name, semscore its encoder; the others are as written. Raises UsageError for
    an unknown metric, and for one without the model that it needs.
    """
    names: dict[str, None] = {}
    for metric in metrics:
        names.update(
            dict.fromkeys(
                checked_metrics(
                    (metric,),
                    judge if metric in JUDGED else "",
                    encoder if metric == SEMSCORE else "",
                    judge_language,
                )
            )
        )
    return tuple(names)


def direction(metric: str) -> float:
    """1 where higher is better, -1 where lower is.

    >>> direction("mrr"), direction("hallucination")
    (1.0, -1.0)
    """
    return 1.0 if scale_of(metric).higher_is_better else -1.0


Selection = Literal["mean", "rank", "normalised-mean"]
Choices = Mapping[str, Any]
"""Some choices of a recipe, fields dotted where they lie within another."""
NAME_LIMIT = 200
Name = Annotated[str, Field(min_length=1, max_length=NAME_LIMIT)]
Names = Annotated[tuple[Name, ...], Field(min_length=1, max_length=200)]


class SpaceModule(BaseModel):
    """One alternative of a node: the values of each of its fields. Its variants are all their combinations."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    values: dict[str, Annotated[tuple[Any, ...], Field(min_length=1, max_length=200)]] = Field(
        default_factory=dict, max_length=40
    )

    @field_validator("values", mode="before")
    @classmethod
    def _listed(cls, values: Any) -> Any:
        """Takes a single value as a list of one, and a value that occurs twice once."""
        if not isinstance(values, Mapping):
            return values
        lists = {name: list(items) if isinstance(items, list | tuple) else [items] for name, items in values.items()}
        return {name: list({_text(item): item for item in items}.values()) for name, items in lists.items()}

    @property
    def size(self) -> int:
        """How many combinations of its values there are."""
        return prod(len(items) for items in self.values.values())

    def variants(self) -> tuple[Choices, ...]:
        """All combinations of the values, the last field changing fastest."""
        return tuple(dict(zip(self.values, items, strict=True)) for items in product(*self.values.values()))


class SpaceNode(BaseModel):
    """A step of the pipeline and its alternatives.

    `metrics` judge it, by `selection`; one without metrics is judged by those of the next node that has some.
    `max_seconds` and `max_tokens` are the most that an answer may take in the mean, up to what the metrics measure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    node: Name
    modules: Annotated[tuple[SpaceModule, ...], Field(min_length=1, max_length=200)]
    metrics: tuple[Name, ...] = Field(default=(), max_length=50, exclude_if=lambda names: not names)
    selection: Selection = Field(default="mean", exclude_if=lambda rule: rule == "mean")
    max_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False, exclude_if=lambda value: value is None)
    max_tokens: float | None = Field(default=None, gt=0, allow_inf_nan=False, exclude_if=lambda value: value is None)

    @field_validator("metrics", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def type(self) -> NodeType:
        """What is known about nodes of this name."""
        return node_type(self.node)

    @property
    def fields(self) -> frozenset[str]:
        """The recipe's fields that its modules set."""
        return frozenset(name for module in self.modules for name in module.values)

    def variants(self) -> tuple[tuple[str, Choices], ...]:
        """Every variant with its module's name, in order, equal choices once."""
        distinct: dict[str, tuple[str, Choices]] = {}
        for module in self.modules:
            for choices in module.variants():
                distinct.setdefault(_text(choices), (module.name, choices))
        return tuple(distinct.values())


def _text(value: object) -> str:
    """A value as text that equal values share; 1, 1.0 and True differ. What JSON cannot express is quoted."""
    try:
        return canonical(value)
    except (TypeError, ValueError):
        return repr(value)


VARIANTS_LIMIT = 2_000
"""Most variants of a node."""


class RefusedPlace(UsageError):
    """A value that is not allowed. `place` is where it stands in the space: keys and numbers, outermost first."""

    def __init__(self, message: str, place: tuple[int | str, ...]) -> None:
        super().__init__(message)
        self.place = place


def placed(check: Callable[[], object], place: tuple[int | str, ...]) -> None:
    """Runs a check; what it refuses is refused at `place`."""
    try:
        check()
    except UsageError as error:
        raise RefusedPlace(error.on_screen, place) from error


def check_nodes(
    nodes: Sequence[SpaceNode], shared: Choices, complete: Callable[[Sequence[str]], tuple[str, ...]]
) -> None:
    """Raises RefusedPlace for the first thing that nodes must not have, over the choices `shared` by all recipes.

    `complete` checks names of metrics.
    """
    setters: dict[str, str] = {}
    for number, node in enumerate(nodes):
        _check_node(nodes, number, shared, setters)
        placed(lambda: complete(node.metrics), ("nodes", number, "metrics"))  # noqa: B023  # called at once


def _check_node(nodes: Sequence[SpaceNode], number: int, shared: Choices, setters: dict[str, str]) -> None:
    """Raises RefusedPlace for what a node must not have. `setters`: which node sets a field, added to."""
    here = ("nodes", number)
    node = nodes[number]
    placed(lambda: node_type(node.node), (*here, "node"))
    if any(other.node == node.node for other in nodes[:number]):
        raise RefusedPlace(f"The node “{node.node}” occurs twice: put all its modules into one.", (*here, "node"))
    if (count := sum(module.size for module in node.modules)) > VARIANTS_LIMIT:
        problem = f"The node {node.node} has {count:,} variants; {VARIANTS_LIMIT:,} are allowed: name fewer values."
        raise RefusedPlace(problem, (*here, "modules"))
    for order, module in enumerate(node.modules):
        place = (*here, "modules", order)
        if any(other.name == module.name for other in node.modules[:order]):
            problem = f"The node {node.node} has two modules “{shorten(module.name)}”: give each a name of its own."
            raise RefusedPlace(problem, (*place, "name"))
        for name in module.values:
            _check_field(name, (*place, "values", name))
            rivals = [setters[other] for other in setters if _overlap(name, other) and setters[other] != node.node]
            if rivals:
                problem = f"“{name}” is set by the nodes {rivals[0]} and {node.node}: leave it to one of them."
                raise RefusedPlace(problem, (*place, "values", name))
            setters[name] = node.node
        _check_values(node, module, shared, place)


def _check_values(node: SpaceNode, module: SpaceModule, shared: Choices, place: tuple[int | str, ...]) -> None:
    """Raises RefusedPlace for a value with which no variant of the module makes a recipe over the choices `shared`."""
    allowed: set[tuple[str, int]] = set()
    refusal = ""
    for numbers in product(*(range(len(items)) for items in module.values.values())):
        places = set(zip(module.values, numbers, strict=True))
        if places <= allowed:
            continue
        choices = {name: module.values[name][item] for name, item in places}
        try:
            make_recipe(nested({**shared, **choices}))
        except UsageError as error:
            refusal = refusal or error.on_screen
            continue
        allowed |= places
    for name, items in module.values.items():
        for number in range(len(items)):
            if (name, number) not in allowed:
                raise RefusedPlace(
                    f"The module “{shorten(module.name)}” of the node {node.node} cannot be used: {refusal}",
                    (*place, "values", name, number),
                )


def _check_field(name: str, place: tuple[int | str, ...]) -> None:
    """Raises RefusedPlace unless recipes have a field of that name."""
    if name not in Recipe.model_fields and name not in recipe_fields():
        raise RefusedPlace(str(unknown_name("recipe field", name, recipe_fields())), place)


def _overlap(one: str, other: str) -> bool:
    """Whether two fields are the same, or one lies within the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


COUNTED = 20_000
"""Most combinations that `size` looks at one by one."""


class SearchSpace(BaseModel):
    """What is searched: `nodes` in the order of the pipeline, over `recipe`, the choices that all recipes share.

    `questions` is the size of a sample by `seed` of each dataset, None takes all; `objective` is the metric that the
    best recipe is best at. `judge`, `judge_language` and `semscore_encoder` are those of an experiment: metrics that
    use them are written without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name = "Search"
    datasets: Names = ("sample",)
    languages: Names = (ALL,)
    questions: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    judge: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    judge_language: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    semscore_encoder: str = Field(default="", max_length=NAME_LIMIT, exclude_if=lambda name: not name)
    objective: Name = "char3_recall"
    recipe: dict[str, Any] = Field(default_factory=dict)
    nodes: Annotated[tuple[SpaceNode, ...], Field(min_length=1, max_length=40)]

    @field_validator("datasets", "languages", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if name == ALL else language(name).code for name in names)

    @field_validator("judge")
    @classmethod
    def _known_judge(cls, name: str) -> str:
        return checked_judge(name)

    @field_validator("semscore_encoder")
    @classmethod
    def _known_encoder(cls, name: str) -> str:
        return checked_metric_encoder(name)

    @model_validator(mode="after")
    def _allowed(self) -> SearchSpace:
        for place, check in (("recipe", lambda: make_recipe(nested(self.recipe))), ("objective", lambda: self.goal)):
            placed(check, (place,))
        check_nodes(self.nodes, self.recipe, self.complete)
        return self

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, the same for spaces with the same choices."""
        return fingerprint("search space", self.model_dump(mode="json"))

    def complete(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """The names that scores of these metrics are stored under, with the judge or encoder. Raises UsageError."""
        return complete_names(metrics, self.judge, self.semscore_encoder, self.judge_language or DEFAULT_JUDGE_LANGUAGE)

    @property
    def goal(self) -> str:
        """The objective under the name that its scores are stored under."""
        return self.complete((self.objective,))[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that the space names, the goal first, under the names that scores are stored under."""
        names = [self.goal, *self.complete([name for node in self.nodes for name in node.metrics])]
        return tuple(dict.fromkeys(names))

    def judges_of(self, number: int) -> tuple[str, ...]:
        """The metrics that judge a node: its, or those of the next node that has some, or else the goal alone."""
        for node in self.nodes[number:]:
            if node.metrics:
                return self.complete(node.metrics)
        return (self.goal,)

    @cached_property
    def variants(self) -> tuple[tuple[tuple[str, Choices], ...], ...]:
        """For each node its variants, with their modules' names."""
        return tuple(node.variants() for node in self.nodes)

    def recipe_of(self, numbers: Sequence[int]) -> Recipe | None:
        """The recipe that takes the variant of that number at each node; None where a recipe refuses the combination.

        A recipe may refuse what is right in itself, as a choice that needs another one.
        """
        choices: dict[str, Any] = dict(self.recipe)
        for variants, number in zip(self.variants, numbers, strict=True):
            choices.update(variants[number][1])
        try:
            return make_recipe(nested(choices))
        except UsageError:
            return None

    def assignments(self) -> Iterator[tuple[tuple[int, ...], Recipe]]:
        """Every distinct recipe with the numbers of its variants, the first that make it, the last node's fastest.

        Recipes that differ only in fields without an effect are one: the first of them.
        """
        seen: set[tuple[object, ...]] = set()
        for numbers in product(*(range(len(variants)) for variants in self.variants)):
            recipe = self.recipe_of(numbers)
            if recipe is not None and (key := effective(recipe)) not in seen:
                seen.add(key)
                yield numbers, recipe

    def recipes(self) -> Iterator[Recipe]:
        """Every distinct recipe that is allowed, one by one."""
        return (recipe for _, recipe in self.assignments())

    @property
    def combinations(self) -> int:
        """One variant of each node, in how many ways: no fewer than there are recipes."""
        return prod(len(variants) for variants in self.variants)

    @cached_property
    def size(self) -> int:
        """How many distinct recipes there are; where there are more than COUNTED combinations, that number instead."""
        return sum(1 for _ in self.assignments()) if self.combinations <= COUNTED else self.combinations
