"""The form that defines an experiment: its matrix, what else it varies, its judge, and the same as YAML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import streamlit as st

from workbench.components import Entry, default_generator
from workbench.core import Role, UsageError
from workbench.data import sisters_of
from workbench.experiments import (
    ALL,
    MODE_SCOPE,
    ORIGINAL,
    PERTURBATIONS,
    RERANKED,
    SEMSCORE,
    Experiment,
    choice_name,
    experiment_from_yaml,
    experiment_to_yaml,
    make_experiment,
    variable_fields,
)
from workbench.metrics import (
    DEFAULT_JUDGE_LANGUAGE,
    MEASURES,
    NAMES as JUDGED,
    RANKING_MEASURES as RANKINGS,
    metric_name,
)
from workbench.pipeline import BUILTIN, EXTRACTIVE, PROMPTS, field_title, from_words, recipe_field as field, words
from workbench.ui.parts import access, downloads, recipe_form, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.recipe_form import MARKS
from workbench.ui.parts.safe_html import element, escaped, inline, table
from workbench.workspace import PASSAGES_LIMIT

if TYPE_CHECKING:
    from workbench.data import DatasetInfo

KEY, VARIED = "matrix_", "matrix_vary_"
"""What the keys of the controls begin with, and those of the fields that are varied besides."""
VARIED_FIELDS, CHUNKINGS = "matrix_vary_fields", "matrix_chunkings"
CURRENT, FILE_PROBLEM = "matrix_held", "matrix_problem"
"""The session's keys for the experiment as the form last had it, for when the page is left, and for a file's fault."""
LISTS = ("datasets", "languages", "modes", "scopes", "prompts", "models", "k", "perturbations", "metrics")
SINGLES = ("name", "seed", "corpus", "judge", "judge_language", "semscore_encoder")
DEFAULTS = {
    "name": "My experiment",
    "languages": ["en", "fi", "zh"],
    "modes": ["multirag", "crossrag"],
    "questions": 10,
}
"""What the form begins with: small enough to finish in seconds."""
NO_CORPUS = NO_MODEL = ""
JUDGE_LANGUAGES = {"answer": "The answer's language", "en": "English", "both": "Both, to compare them"}
PERTURBATIONS_HELP = (
    "Changes to the documents that test robustness: Ranaldi et al. (2025, D-RAG), Ranaldi et al. (2025, CrossRAG); or "
    "oracle, gold passages in place of a search: Chirkova et al. (2024)."
)
SEMSCORE_HELP = (
    "The model that compares the meaning of an answer with that of a gold answer; its name becomes part of the "
    "metric's."
)
JUDGE_HELP = (
    "The model that scores the judged metrics; its name becomes part of theirs. Select one, or type another as "
    "`openai-like:MODEL@ENDPOINT`. It is called once for each distinct answer and aspect."
)
Persist = Literal["page", "session"]
"""How long a control keeps its value: while its page is open, or while the browser's tab is."""
ALL_METRICS = (*MEASURES, *RANKINGS, *RERANKED, *JUDGED)


def restore() -> None:
    """Sets the controls to what the form last had. Only before they are drawn."""
    if f"{KEY}name" not in st.session_state:
        generator = default_generator(access.workbench().settings.home)
        put(st.session_state.get(CURRENT) or make_experiment({**DEFAULTS, "models": [generator]}))


def put(experiment: Experiment) -> None:
    """Sets every control to an experiment. Only before the controls are drawn, or in a callback."""
    fields = experiment.model_dump()
    values: dict[str, object] = {
        # Metrics without the judge's name, which has a box of its own.
        **{name: list(fields[name]) for name in LISTS},
        **{name: getattr(experiment, name) for name in SINGLES},
        "all_questions": experiment.questions is None,
        "questions": experiment.questions or 10,
    }
    values = {f"{KEY}{name}": value for name, value in values.items()}
    for key, value in {**values, **_varied_values(experiment)}.items():
        st.session_state[key] = value
    st.session_state[CURRENT] = experiment


def draw() -> Experiment:
    """The controls; returns the experiment that they define. Raises UsageError for one that is not valid."""
    st.text_input("Name", key=f"{KEY}name", max_chars=200, persist_state="session")
    left, middle, right = st.columns(3, gap="medium")
    with left:
        selected = dataset_boxes(KEY, "session")
        for sentence in _absent_languages(selected, st.session_state[f"{KEY}languages"]):
            safe_html.show(safe_html.text_block(sentence, "en", "wb-muted"))
        sample_controls(KEY, "session")
    with middle:
        _several("modes", "Modes", field("mode").values, field("mode").shown)
        _several("scopes", "Scopes", [MODE_SCOPE, *field("scope").values], _scope)
        _several("prompts", "Prompt variants", [item.name for item in PROMPTS], field("prompt").shown)
        models, titles = recipe_form.model_names("generator"), recipe_form.title_with_state("generator")
        _several("models", "Models", models, titles, new=True, help_=f"{MARKS} Or type one as `adapter:MODEL`.")
    with right:
        _several("k", field("k").title, [1, 3, 5, 10, PASSAGES_LIMIT])
        names = partial(choice_name, "perturbation")
        _several("perturbations", "Changes of documents", list(PERTURBATIONS), names, help_=PERTURBATIONS_HELP)
        _several("metrics", "Metrics", [*ALL_METRICS, SEMSCORE], metric_name)
        judge_boxes(KEY, st.session_state[f"{KEY}metrics"])
        if SEMSCORE in st.session_state[f"{KEY}metrics"]:
            key, help_ = f"{KEY}semscore_encoder", SEMSCORE_HELP
            _model_box("Encoder for semscore", "encoder", key, without=BUILTIN, help_=help_)
        st.selectbox(
            "Corpus",
            [NO_CORPUS, *access.corpora()],
            key=f"{KEY}corpus",
            persist_state="session",
            format_func=lambda name: name or "Each dataset's corpus",
            help="The documents to search.",
        )
        corpus = st.session_state[f"{KEY}corpus"]
        _vary_controls([corpus] if corpus else list(dict.fromkeys(item.corpus for item in selected)))
    experiment = _experiment()
    st.session_state[CURRENT] = experiment
    return experiment


def dataset_boxes(prefix: str, persist: Persist) -> list[DatasetInfo]:
    """The boxes for datasets and for question languages, whose keys begin with `prefix`; the datasets selected."""
    known = {dataset.name: dataset for dataset in access.datasets()}
    help_ = "Sets of questions with their gold answers."
    several(f"{prefix}datasets", "Datasets", list(known), persist=persist, help_=help_)
    selected = [known[name] for name in st.session_state[f"{prefix}datasets"] if name in known]
    codes = [ALL, *dict.fromkeys(code for item in selected for code in item.languages)]
    help_ = "The languages that questions are asked in."
    several(f"{prefix}languages", "Question languages", codes, _language, persist=persist, help_=help_)
    return selected


def sample_controls(prefix: str, persist: Persist) -> None:
    """The controls for how many questions are drawn, and by which seed; their keys begin with `prefix`."""
    left, right = st.columns([1.3, 1], vertical_alignment="bottom")
    every = right.toggle(
        "All", key=f"{prefix}all_questions", persist_state=persist, help="All questions of every dataset."
    )
    left.number_input(
        "Questions per language",
        1,
        1_000_000,
        key=f"{prefix}questions",
        persist_state=persist,
        disabled=every,
        help="A random sample; the same questions in every language if the dataset is parallel.",
    )
    help_ = "Determines samples, the held-out questions of a search, and random choices."
    st.number_input("Seed", 0, 2**31 - 1, key=f"{prefix}seed", persist_state=persist, help=help_)


def several(
    key: str,
    label: str,
    options: Sequence[Any],
    shown: Callable[[Any], str] = str,
    *,
    persist: Persist,
    new: bool = False,
    help_: str = "",
) -> None:
    """A box for several values. Those that a file named stay among the options, so that they are seen and reported."""
    st.multiselect(
        label,
        list(dict.fromkeys([*options, *st.session_state.get(key, [])])),
        key=key,
        persist_state=persist,
        format_func=shown,
        accept_new_options=new,
        help=help_ or None,
    )


def _several(name: str, label: str, options: Sequence[Any], shown: Callable[[Any], str] = str, **more: Any) -> None:
    several(f"{KEY}{name}", label, options, shown, persist="session", **more)


def judge_boxes(prefix: str, metrics: Sequence[str]) -> tuple[str, str]:
    """The boxes for the judge and its language, where a metric is judged: their values, ("", "answer") for none."""
    if not _is_judged(metrics):
        return NO_MODEL, DEFAULT_JUDGE_LANGUAGE
    judge = _model_box("Judge", "generator", f"{prefix}judge", without=EXTRACTIVE, help_=JUDGE_HELP)
    key = f"{prefix}judge_language"
    if st.session_state.get(key) not in JUDGE_LANGUAGES:
        st.session_state[key] = DEFAULT_JUDGE_LANGUAGE
    language = st.selectbox(
        "Language of the judge's prompts",
        list(JUDGE_LANGUAGES),
        key=key,
        persist_state="session",
        format_func=JUDGE_LANGUAGES.__getitem__,
        help="There are prompts in nineteen languages; for answers in others the English ones are used. Names of "
        "metrics end in +ul if the prompts follow the answer's language.",
    )
    return judge, language


def _is_judged(metrics: Sequence[str]) -> bool:
    return any(name in JUDGED for name in metrics)


def _model_box(title: str, role: Role, key: str, *, without: str, help_: str) -> str:
    """A box for one model of a role but the one `without`; returns "" where none is selected."""
    titles = recipe_form.title_with_state(role)
    # A name that was typed before stays among the options, else the box would lose it.
    names = dict.fromkeys([NO_MODEL, *recipe_form.model_names(role), st.session_state.get(key) or NO_MODEL])
    name: str | None = st.selectbox(
        title,
        [name for name in names if name != without],
        key=key,
        persist_state="session",
        format_func=lambda name: titles(name) if name else "Select a model",
        accept_new_options=True,
        help=f"{MARKS} {help_}",
    )
    return name or NO_MODEL


def as_yaml(experiment: Experiment) -> None:
    """The experiment as a YAML file, and the upload of one."""
    with st.expander("Experiment as YAML", icon=":material/data_object:", key="matrix_yaml"):
        text = experiment_to_yaml(experiment)
        safe_html.source(text)
        downloads.button("Download YAML", text, "experiment.yaml")
        st.file_uploader("Load a YAML file", ["yaml", "yml"], key=f"{KEY}file", on_change=_loaded)
        if problem := st.session_state.get(FILE_PROBLEM):
            safe_html.message(problem, "error")


def _experiment() -> Experiment:
    state = st.session_state
    metrics = state[f"{KEY}metrics"]
    if not str(state[f"{KEY}name"]).strip():
        raise UsageError("Type a name for the experiment.")
    return make_experiment(
        {
            **{name: state[f"{KEY}{name}"] for name in (*LISTS, "name", "seed", "corpus")},
            "judge": state.get(f"{KEY}judge", NO_MODEL) if _is_judged(metrics) else NO_MODEL,
            "judge_language": state.get(f"{KEY}judge_language", "") if _is_judged(metrics) else "",
            "semscore_encoder": state.get(f"{KEY}semscore_encoder", NO_MODEL) if SEMSCORE in metrics else NO_MODEL,
            "questions": None if state[f"{KEY}all_questions"] else state[f"{KEY}questions"],
            "recipe": state[CURRENT].recipe,
            **_varied_choices(),
        }
    )


def _absent_languages(datasets: Sequence[DatasetInfo], languages: Sequence[str]) -> list[str]:
    """A sentence for each dataset that has no questions in some of the languages."""
    absent = {
        dataset.name: [code for code in languages if code not in (ALL, *dataset.languages)] for dataset in datasets
    }
    return [
        f"{name} has no questions in {', '.join(language_option(code) for code in codes)}."
        for name, codes in absent.items()
        if codes
    ]


def _language(code: str) -> str:
    return "All languages of the dataset" if code == ALL else language_option(code)


def _scope(name: str) -> str:
    return "Each mode's default" if name == MODE_SCOPE else field("scope").shown(name)


def _loaded() -> None:
    file = st.session_state[f"{KEY}file"]
    st.session_state[FILE_PROBLEM] = ""
    if file is None:
        return
    with access.caught(lambda sentence: st.session_state.update({FILE_PROBLEM: sentence})):
        put(experiment_from_yaml(file.getvalue().decode("utf-8", errors="replace"), file.name))


def _varied_values(experiment: Experiment) -> dict[str, object]:
    """What each control holds for an experiment, by its key."""
    listed = {
        f"{VARIED}{name}": [words(value) for value in experiment.vary.get(name, ())] for name in variable_fields()
    }
    return {VARIED_FIELDS: list(experiment.vary), CHUNKINGS: list(experiment.chunkings), **listed}


def _vary_controls(corpora: Sequence[str]) -> None:
    """The controls; `corpora` are those that the experiment's datasets are over."""
    _chunkings(corpora)
    names = st.multiselect(
        "Also vary",
        list(dict.fromkeys([*variable_fields(), *st.session_state.get(VARIED_FIELDS, [])])),
        key=VARIED_FIELDS,
        persist_state="session",
        format_func=field_title,
        placeholder="Any other choice of a recipe",
        help="Every combination becomes a run: a reranker, the number of candidates, the constant of a fusion …",
    )
    for name in names:
        recipe_form.several(name, f"{VARIED}{name}", persist_state="session")


def _varied_choices() -> dict[str, Any]:
    """What the controls add to an experiment."""
    state = st.session_state
    fields = {
        name: [from_words(name, text) for text in state.get(f"{VARIED}{name}", [])] for name in state[VARIED_FIELDS]
    }
    # A field without a value yet is on its way.
    return {"vary": {name: each for name, each in fields.items() if each}, "chunkings": state.get(CHUNKINGS, [])}


def _chunkings(corpora: Sequence[str]) -> None:
    library = access.workbench().library
    names = {name for corpus in corpora for name in sisters_of(library, corpus)}
    current = cast(list[str], st.session_state.get(CHUNKINGS, []))
    if not names and not current:
        return
    st.multiselect(
        "Chunkings",
        list(dict.fromkeys([ORIGINAL, *sorted(names), *current])),
        key=CHUNKINGS,
        persist_state="session",
        placeholder="The corpus as it is",
        help="Ways in which the documents were split; gold passages are those with the same text.",
    )


def unready_models(entries: Sequence[Entry]) -> None:
    """Everything that a matrix needs and that cannot be used now, with what provides it."""
    if not entries:
        return
    count = "1 model is" if len(entries) == 1 else f"{len(entries)} models are"
    safe_html.message(f"{count} not ready: cells that need one will fail. What is missing, and the command for it:")
    rows = [
        [
            inline(entry.name, css="wb-title"),
            element("span", escaped(entry.state), css="wb-missing"),
            inline(entry.remedy.replace("\n", " && "), css="wb-code"),
        ]
        for entry in entries
    ]
    safe_html.show(table(["Model", "Missing", "Command"], rows, css="wb-stacked"))
