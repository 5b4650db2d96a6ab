"""An experiment: a matrix of runs as one frozen value, read from and written as YAML.

datasets × languages × modes × scopes × prompts × models × k × perturbations × chunkings × any other field of a recipe.
A run is one recipe over one dataset under one perturbation; a cell is one question of one language under one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_serializer,
    field_validator,
)

from workbench.components import checked_judge
from workbench.core import UsageError, fingerprint, shorten, unknown_name
from workbench.data import checked_chunking, sister_name
from workbench.experiments.results.scoring import (
    DEFAULT_METRICS,
    checked_metric_encoder,
    checked_metrics,
    metric_without_model,
)
from workbench.experiments.results.summaries.run_names import Perturbation
from workbench.experiments.results.writer import RunRow
from workbench.languages import language
from workbench.metrics import DEFAULT_JUDGE_LANGUAGE, prompt_languages
from workbench.pipeline import (
    DEFAULT_VARIANT,
    SEARCHED,
    Recipe,
    effective,
    field_title,
    flat,
    make_recipe,
    mode,
    nested,
    recipe_field,
    recipe_fields,
    same_chain,
    scope,
    variant,
    without_effect,
    words,
)
from workbench.workspace import PASSAGES_LIMIT, YamlForm

__all__ = ["ORIGINAL", "sister_name"]

MATRIX_CHOICES: Mapping[str, str] = {
    "corpus": "corpus",
    "mode": "modes",
    "scope": "scopes",
    "prompt": "prompts",
    "generator": "models",
    "k": "k",
}
"""The fields of a recipe that the matrix sets, and the names that they have there."""
ORIGINAL = "original"
"""Stands for a corpus as it is, among chunkings."""
VALUES_LIMIT = 200

Combination = Mapping[str, Any]


def variable_fields() -> tuple[str, ...]:
    """The fields that can stand under `vary`, in the recipe's order."""
    return tuple(name for name in recipe_fields() if name not in MATRIX_CHOICES)


def not_of_matrix(names: Iterable[str], key: str) -> None:
    """Raises UsageError for the first name that the matrix sets; `key` is the one it stands under."""
    if twice := [name for name in names if name in MATRIX_CHOICES]:
        raise UsageError(
            f"“{twice[0]}” is set by the matrix and cannot stand under “{key}”. Write it as "
            f"“{MATRIX_CHOICES[twice[0]]}:”"
        )


def checked_variations(fields: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The values by field as a recipe takes them, each once. `shared` are the choices of all runs.

    Raises UsageError for a field that cannot be varied or is shared already, and for a value that is not allowed.
    """
    not_of_matrix(fields, "vary")
    fixed = set(nested_names(shared))
    allowed = variable_fields()
    values: dict[str, tuple[Any, ...]] = {}
    for name, listed in fields.items():
        if name not in allowed:
            raise unknown_name("field to vary", name, allowed)
        if name in fixed:
            raise UsageError(f"“{name}” stands under “recipe” and under “vary”. Leave one of them out.")
        entries = list(listed) if isinstance(listed, list | tuple) else [listed]
        if not 0 < len(entries) <= VALUES_LIMIT:
            raise UsageError(f"“vary: {name}” has {len(entries)} values. Allowed: 1 to {VALUES_LIMIT}.")
        values[name] = tuple(dict.fromkeys(_checked(name, entry, shared) for entry in entries))
    return values


def nested_names(choices: Mapping[str, Any]) -> Iterator[str]:
    """The names of plain choices, those of a part with a dot."""
    for name, value in choices.items():
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in value)
        else:
            yield name


def checked_chunkings(names: Sequence[str]) -> tuple[str, ...]:
    """`names`, if each is a way of splitting or `original`. Raises UsageError."""
    return tuple(dict.fromkeys(name if name == ORIGINAL else checked_chunking(name) for name in names))


def combinations(vary: Mapping[str, Sequence[Any]]) -> Iterator[Combination]:
    """Every choice of one value per field, the last field fastest; one empty combination where nothing is varied."""
    for values in product(*vary.values()):
        yield dict(zip(vary, values, strict=True))


def recipe_of(combination: Combination, shared: Mapping[str, Any], matrix: Mapping[str, Any]) -> Recipe:
    """The recipe of one run. Raises UsageError for one that is not allowed, with the combination where there is one."""
    try:
        return make_recipe({**nested(combination, shared), **matrix})
    except UsageError as error:
        if not combination:
            raise
        choice_words = " · ".join(f"{name}={words(value)}" for name, value in combination.items())
        combined = f"{matrix['mode']} · {choice_words}"
        raise UsageError(f"The combination {combined} is not allowed. {error}") from error


def named_choices(recipe: Recipe, perturbation: str, chunking: str, varied: Combination) -> dict[str, Any]:
    """The choices of a run that its title may name, in the order of titles."""
    choices = {name: getattr(recipe, name) for name in ("mode", "scope", "prompt", "generator", "k")}
    return {**choices, "perturbation": perturbation, "chunking": chunking, **varied}


def title_words(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """For each run, given as its choices by name, the words of those in which the runs differ.

    A choice of the matrix is its value alone, as in the titles of other experiments; further fields have their title
    before it. () for all where nothing differs.
    """
    differing = [name for name in (rows[0] if rows else ()) if len({words(row[name]) for row in rows}) > 1]
    return [tuple(_title_word(name, row[name]) for name in differing) for row in rows]


def _title_word(name: str, value: Any) -> str:
    if name in ("mode", "scope", "prompt", "generator", "perturbation", "chunking"):
        return words(value)
    return f"k={value}" if name == "k" else f"{field_title(name)}: {words(value)}"


def _checked(name: str, value: Any, shared: Mapping[str, Any]) -> Any:
    """The value as a recipe holds it. What only a combination can refuse is left for `recipe_of`."""
    if isinstance(value, dict | list | tuple):
        raise UsageError(f"“vary: {name}” holds “{shorten(value)}”. Allowed: plain values, such as 10 or rrf.")
    try:
        return flat(Recipe.model_validate(nested({name: value}, shared)))[name]
    except ValidationError as error:
        path = tuple(name.split("."))
        field_errors = [problem for problem in error.errors(include_url=False) if problem["loc"][: len(path)] == path]
        if field_errors:
            reason = field_errors[0]["msg"].removeprefix("Value error, ").removesuffix(".")
            raise UsageError(f"“vary: {name}” holds “{shorten(value)}”. {reason}.") from error
        return value
    except UsageError:
        return value


MODE_SCOPE = "own"
"""Stands for the scope that a mode's paper defines."""
NO_RETRIEVAL = "baseline"
"""The mode that searches nothing: its run has the scope of its definition, whatever scopes are crossed."""
ALL = "all"
"""Stands for every language of a dataset."""
TEXT_LIMIT = 64_000
CHOICES_LIMIT = 200
EXPERIMENT_NAME_LIMIT = 200

Chunkings = Annotated[tuple[str, ...], AfterValidator(checked_chunkings)]
Names = Annotated[tuple[str, ...], Field(min_length=1, max_length=CHOICES_LIMIT)]


class Experiment(BaseModel):
    """The choices of a matrix, validated.

    `questions` is the size of a sample by `seed` of each dataset, the same ids in every language where it is parallel;
    None takes all. `corpus` replaces the one that each dataset names, "" keeps that. `judge` names the generator that
    judges, "" where no metric needs one: `metrics` have it in their names, as `g_eval@openai-like:gpt-4o`, and are
    written without; `judge_language` is one of `judge.JudgeLanguage`. `semscore_encoder` likewise names the
    encoder of the metric `semscore`. `recipe` holds the choices that all runs share, `vary` the values of other fields
    that are crossed. `chunkings` name sisters of each corpus, and `original` the corpus as it is; () only that.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default="Experiment", min_length=1, max_length=EXPERIMENT_NAME_LIMIT)
    datasets: Names = ("sample",)
    languages: Names = (ALL,)
    questions: int | None = Field(default=None, ge=1)
    seed: int = 0
    corpus: str = ""
    modes: Annotated[Names, AfterValidator(lambda names: tuple(mode(name).name for name in names))] = ("multirag",)
    scopes: Names = (MODE_SCOPE,)
    prompts: Annotated[Names, AfterValidator(lambda names: tuple(variant(it).name for it in names))] = (
        DEFAULT_VARIANT,
    )
    models: Names = ("extractive",)
    k: Annotated[tuple[Annotated[int, Field(ge=1, le=PASSAGES_LIMIT)], ...], Field(min_length=1)] = (5,)
    perturbations: Annotated[tuple[Perturbation, ...], Field(min_length=1)] = ("none",)
    # Before the metrics, whose validator reads it.
    judge: Annotated[str, AfterValidator(checked_judge)] = Field(
        default="", max_length=EXPERIMENT_NAME_LIMIT, exclude_if=lambda name: not name
    )
    judge_language: str = Field(default="", validate_default=True, exclude_if=lambda name: not name)
    semscore_encoder: Annotated[str, AfterValidator(checked_metric_encoder)] = Field(
        default="", max_length=EXPERIMENT_NAME_LIMIT, exclude_if=lambda name: not name
    )
    metrics: tuple[str, ...] = Field(default=DEFAULT_METRICS, validate_default=True)
    recipe: dict[str, Any] = Field(default_factory=dict)
    vary: dict[str, Any] = Field(default_factory=dict, exclude_if=lambda fields: not fields)
    chunkings: Chunkings = Field(default=(), max_length=CHOICES_LIMIT, exclude_if=lambda names: not names)

    @field_validator(
        *(
            "datasets",
            "languages",
            "modes",
            "scopes",
            "prompts",
            "models",
            "k",
            "perturbations",
            "metrics",
            "chunkings",
        ),
        mode="before",
    )
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Takes a single choice as a list of one, and a choice that occurs twice once."""
        entries = [value] if isinstance(value, str | int) else value
        if not isinstance(entries, list | tuple) or not all(isinstance(entry, str | int | float) for entry in entries):
            return entries  # refused below, by its type
        return list(dict.fromkeys(entries))

    @field_validator("languages")
    @classmethod
    def _known_languages(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if name == ALL else language(name).code for name in names)

    @field_validator("scopes")
    @classmethod
    def _known_scopes(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name if name == MODE_SCOPE else scope(name) for name in names)

    @field_validator("judge_language")
    @classmethod
    def _known_judge_language(cls, choice: str, info: ValidationInfo) -> str:
        if not info.data.get("judge"):
            return ""
        prompt_languages(choice or DEFAULT_JUDGE_LANGUAGE)
        return choice or DEFAULT_JUDGE_LANGUAGE

    @field_validator("metrics")
    @classmethod
    def _known_metrics(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        # A judge or an encoder that is wrong has an error of its own.
        data = info.data
        if not {"judge", "judge_language", "semscore_encoder"} <= data.keys():
            return names
        language = data["judge_language"] or DEFAULT_JUDGE_LANGUAGE
        return checked_metrics(names, data["judge"], data["semscore_encoder"], language)

    @field_serializer("metrics")
    def _written_metrics(self, names: tuple[str, ...]) -> list[str]:
        return list(dict.fromkeys(metric_without_model(name) for name in names))

    @field_validator("recipe")
    @classmethod
    def _shared_choices(cls, choices: dict[str, Any]) -> dict[str, Any]:
        not_of_matrix(choices, "recipe")
        make_recipe(choices)
        return choices

    @field_validator("vary")
    @classmethod
    def _known_fields(cls, fields: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        return checked_variations(fields, info.data.get("recipe", {}))

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, the same for experiments with the same choices."""
        return fingerprint("experiment", self.model_dump(mode="json"))


@dataclass(frozen=True, slots=True)
class Run:
    """One recipe over one dataset under one perturbation. `number` counts from 0 within its experiment.

    `named`: the choices in which it differs from other runs, where its experiment varies more than the matrix.
    """

    number: int
    dataset: str
    recipe: Recipe
    perturbation: Perturbation = "none"
    named: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The choices by which people tell the run from others."""
        if self.named:
            return " · ".join(self.named)
        recipe = self.recipe
        words = [recipe.mode, recipe.scope, recipe.prompt, recipe.generator, f"k={recipe.k}"]
        return " · ".join(words + ([] if self.perturbation == "none" else [self.perturbation]))


def runs_of(
    experiment: Experiment, corpus_of: Callable[[str], str], sister_of: Callable[[str, str], str] = sister_name
) -> tuple[Run, ...]:
    """The runs of the matrix, in its order.

    `corpus_of` gives a dataset's corpus, `sister_of` the sister of a corpus by a chunking. Recipes over one dataset
    that are equal, or differ only in fields without an effect, are one run. Raises UsageError for a choice that a
    recipe refuses, and what the two functions raise.
    """
    runs: dict[tuple[object, ...], Run] = {}
    named: list[dict[str, Any]] = []
    for dataset, perturbation, chunking, varied, matrix in _assignments(experiment):
        corpus = experiment.corpus or corpus_of(dataset)
        matrix = {"corpus": corpus if chunking == ORIGINAL else sister_of(corpus, chunking), **matrix}
        recipe = recipe_of(varied, experiment.recipe, matrix)
        key = (dataset, perturbation, effective(recipe))
        if key not in runs:
            runs[key] = Run(len(runs), dataset, recipe, perturbation)
            named.append(named_choices(recipe, perturbation, chunking, varied))
    if not experiment.vary and not experiment.chunkings:
        return tuple(runs.values())
    return tuple(replace(run, named=words) for run, words in zip(runs.values(), title_words(named), strict=True))


def same_runs(runs: Iterable[Run]) -> tuple[str, ...]:
    """A sentence for each group of modes and scopes in which runs must answer alike, since their chains are equal."""
    groups: dict[tuple[object, ...], dict[str, None]] = {}
    for run in runs:
        key = (run.dataset, run.perturbation, *effective(same_chain(run.recipe)))
        name = f"{mode(run.recipe.mode).title}, {SEARCHED[run.recipe.scope].removeprefix('the ')}"
        groups.setdefault(key, {})[name] = None
    return tuple(
        dict.fromkeys(
            f"{' and '.join(names)} are the same: they search and answer alike, so their answers are equal."
            for names in groups.values()
            if len(names) > 1
        )
    )


def idle_fields(experiment: Experiment) -> tuple[str, ...]:
    """A sentence for each mode in which a field with several values has no effect, whatever else is chosen."""
    several = {
        field for field, name in MATRIX_CHOICES.items() if name != "corpus" and len(getattr(experiment, name)) > 1
    }
    several |= {name for name, values in experiment.vary.items() if len(values) > 1}
    # What is no field of a recipe is no matter here.
    recipes_only = experiment.model_copy(update={"datasets": ("",), "perturbations": ("none",), "chunkings": ()})
    last: dict[str, Recipe] = {}
    active: dict[str, set[str]] = {}
    for _, _, _, varied, matrix in _assignments(recipes_only):
        recipe = recipe_of(varied, experiment.recipe, matrix)
        last[recipe.mode] = recipe
        active.setdefault(recipe.mode, set()).update(name for name in several if recipe_field(name).has_effect(recipe))
    sentences = {name: without_effect(recipe, sorted(several - active[name])) for name, recipe in last.items()}
    return tuple(f"{mode(name).title}: {sentence}" for name, sentence in sentences.items() if sentence)


def _assignments(experiment: Experiment) -> Iterator[tuple[str, Perturbation, str, Combination, dict[str, Any]]]:
    """Every combination: dataset, perturbation, chunking, further fields, and the fields that the matrix sets."""
    dimensions = (
        experiment.datasets,
        experiment.models,
        experiment.k,
        experiment.perturbations,
        experiment.modes,
        experiment.scopes,
        experiment.prompts,
        experiment.chunkings or (ORIGINAL,),
        tuple(combinations(experiment.vary)),
    )
    for dataset, model, k, perturbation, mode_name, scope_name, prompt, chunking, varied in product(*dimensions):
        scope = mode(mode_name).scope if scope_name == MODE_SCOPE or mode_name == NO_RETRIEVAL else scope_name
        matrix = {"mode": mode_name, "scope": scope, "prompt": prompt, "generator": model, "k": k}
        yield dataset, perturbation, chunking, varied, matrix


def row_of(run: Run, corpus_version: str = "") -> RunRow:
    """A run of a matrix as it is stored, with the fingerprint of the corpus that it searches."""
    recipe = run.recipe
    return RunRow(
        number=run.number,
        title=run.title,
        dataset=run.dataset,
        corpus=recipe.corpus,
        mode=recipe.mode,
        scope=recipe.scope,
        prompt=recipe.prompt,
        model=recipe.generator,
        k=recipe.k,
        perturbation=run.perturbation,
        recipe=recipe.model_dump_json(),
        fingerprint=recipe.fingerprint,
        corpus_version=corpus_version,
    )


FORM = YamlForm(
    Experiment, noun="experiment", example="modes: [multirag, crossrag]", command="run matrix.yaml", limit=TEXT_LIMIT
)


EXAMPLES = files("workbench.experiments.examples")


def make_experiment(choices: Mapping[str, Any]) -> Experiment:
    """An experiment from plain values. Raises UsageError for the first choice that is not allowed."""
    return FORM.make(choices)


def experiment_to_yaml(experiment: Experiment) -> str:
    """The experiment as YAML that people can read and edit."""
    return FORM.write(experiment, ("An experiment of the mRAG workbench. Run it: python -m workbench run THIS_FILE",))


def experiment_from_yaml(text: str, name: str = "experiment") -> Experiment:
    """The experiment in a YAML text. Raises UsageError."""
    return FORM.read(text, name)


def experiment_from_file(path: Path) -> Experiment:
    """The experiment in a YAML file, or the shipped one of that name where there is no such file. Raises UsageError."""
    shipped = EXAMPLES / f"{path}.yaml"
    if str(path) in example_experiments() and not path.exists():
        return FORM.read(shipped.read_text(encoding="utf-8"), shipped.name)
    return FORM.read_file(path)


def example_experiments() -> list[str]:
    """The names of the shipped experiments."""
    return sorted(file.name.removesuffix(".yaml") for file in EXAMPLES.iterdir() if file.name.endswith(".yaml"))
