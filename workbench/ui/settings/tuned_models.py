"""Tuned models on the Settings screen: tunings with their losses as they come, the form for another, and the cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import streamlit as st
from pandas import DataFrame

from workbench.components import TunedCard, TunedModels
from workbench.core import UsageError
from workbench.jobs import (
    DemonstrationStore,
    TuningJobs,
    TuningSpec,
    demonstrations_at,
    foresee,
    make_spec,
    spec_to_yaml,
    tuning_words,
)
from workbench.models import GIGA
from workbench.ui.parts import access, downloads, figure, folds, job_card, outcome, permitted, safe_html, uploads
from workbench.ui.parts.badges import chip
from workbench.ui.parts.chart_style import COLOURS, FITTING, finish_figure
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import confirmed_button, verb_button
from workbench.ui.settings import model_actions
from workbench.workspace import duration_words, opened_store

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

PLACE, PLAN = "tuned", "tuning_plan"
"""Where it is said what a button did, and the session's key for what was foreseen of which choices."""
NAMES = ("name", "base", "demonstrations", "prompt", "kind", "share")
"""The fields that say what is tuned on what; the others, how."""
SERIES = {"training": "Each step's demonstrations", "holdout": "Held-out demonstrations"}
INTRODUCTION = (
    "A language model on this machine is tuned on demonstrations, as in Ranaldi et al. (2025, D-RAG), and then answers "
    "like any other generator. Demonstrations are written on the Data screen."
)


def draw() -> None:
    """The section from top to bottom."""
    outcome.show(PLACE)
    cards = _tuned().cards()
    jobs = TuningJobs(access.workbench().settings)
    under_way = [job for job in jobs.all() if job.state != "done"]
    if not cards and not under_way:
        st.markdown(INTRODUCTION)
    for job in under_way:
        if job.active:
            job_card.live(partial(jobs.is_active, job.id), partial(_running, jobs, job.id))
        else:
            job_card.draw(jobs, job, WORDS)
    _new(opened=not cards and not under_way)
    for card in cards:
        _card(card)
    for name in sorted({*_tuned().names()} - {card.name for card in cards}):
        safe_html.message(
            f"The card of the tuned model “{name}” cannot be read: delete it, and tune it again.", "error"
        )
        _deletion(name)
    st.caption("By command: `mrag tune SPEC.yaml`, `mrag tuned list`. What each field means: docs/tuning.md.")


def _tuned() -> TunedModels:
    return access.workbench().registry.tuned


WORDS = JobWords(
    "tuning",
    lambda job: f"Tuning “{job.title}”: {tuning_words(job)}",
    lambda _: "It continues from its last checkpoint.",
)


def _running(jobs: TuningJobs, job_id: str) -> None:
    job_card.progress(jobs, job_id, WORDS)
    job = jobs.job(job_id)
    if job is None:
        return
    foreseen = job.result.get("foresight", ())
    safe_html.show(joined([text_block(str(sentence), "en", "wb-muted") for sentence in foreseen]))
    frame = loss_frame({key: job.result.get(key) or () for key in SERIES})
    if len(frame):
        st.plotly_chart(loss_figure(frame, "so far"), key=f"tuning_losses_{job_id}", alt="Losses so far")


def loss_frame(curves: Mapping[str, Sequence[tuple[int, float]]]) -> DataFrame:
    """The curves as rows of a series, a step and a loss."""
    rows = [(SERIES[key], step, loss) for key, curve in curves.items() for step, loss in curve]
    return DataFrame(rows, columns=["series", "step", "loss"])


def loss_figure(frame: DataFrame, subtitle: str) -> Figure:
    """The losses by step; the subtitle states the demonstrations."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, colour in zip(SERIES.values(), COLOURS, strict=False):
        rows = frame[frame["series"] == name]
        if len(rows):
            mode = "lines+markers" if name == SERIES["holdout"] else "lines"
            figure.add_scatter(x=rows["step"], y=rows["loss"], name=name, mode=mode, line_color=colour)
    figure.update_xaxes(title="step", rangemode="tozero")
    figure.update_yaxes(title="loss per token", rangemode="tozero")
    return finish_figure(figure, "Losses", subtitle, height=320, columns=FITTING)


def _card(card: TunedCard) -> None:
    with st.container(border=True, gap="small", key=f"tuned_{card.name}"):
        safe_html.show(card_html(card))
        folds.draw("Losses and settings", "show_chart", f"tuned_more_{card.name}", partial(_details, card))
        model_actions.test("generator", card.reference, "", partial(_downloads, card))
        _deletion(card.name)


def card_html(card: TunedCard) -> Html:
    """What a tuned model is, in a few lines."""
    head = element(
        "div",
        inline(card.name, css="wb-title"),
        element("span", escaped(card.reference), css="wb-code"),
        element("span", escaped("ready"), css="wb-ready"),
        css="wb-row",
    )
    facts = {
        "licences": ", ".join(card.data.licences),
        "by": card.author,
        "on": card.created[:10],
        "took": duration_words(card.seconds),
        "memory": f"{card.memory / GIGA:.1f} GB",
    }
    chips = element("div", *(chip(name, value) for name, value in facts.items() if value), css="wb-row")
    machine = text_block(card.machine, "en", "wb-muted")
    return element("div", head, text_block(card.summary), chips, machine, css="wb-component")


def _details(card: TunedCard) -> None:
    curves = {"training": card.training, "holdout": card.holdout}
    frame = loss_frame({key: [(point.step, point.loss) for point in curve] for key, curve in curves.items()})
    subtitle = f"n = {card.data.count:,} demonstrations, {card.data.holdout:,} held out; a step's loss is of one batch"
    figure.draw(loss_figure(frame, subtitle), frame, f"losses-{card.name}", card.created)
    safe_html.show(joined([text_block(sentence) for sentence in card.departures]))


def _downloads(card: TunedCard) -> None:
    text = partial(card.model_dump_json, indent=1)
    downloads.button(
        "Card (JSON)", text, f"{card.name}.json", f"tuned_card_{card.name}", help="All that is known of it."
    )
    if card.method == "lora":
        archive = partial(_tuned().archive, card.name)
        help_ = "The adapter with its card, for peft. Merged with its base: mrag tuned export NAME FOLDER --merged"
        downloads.button("Adapter (ZIP)", archive, f"{card.name}.zip", f"tuned_zip_{card.name}", help=help_)


def _deletion(name: str) -> None:
    effect, act = f"Recipes that name tuned:{name} can then not run. Stored answers stay.", partial(outcome.act, PLACE)
    confirmed_button("Delete", effect, "models.tune", act, _delete, name, key=f"tuned_delete_{name}")


def _delete(name: str) -> str:
    _tuned().delete(name)
    access.models.clear()
    return f"The tuned model “{name}” was deleted."


@permitted.form("models.tune")
def _new(*, opened: bool) -> None:
    folds.draw("Tune a model", "model_training", "tune_new", _form, expanded=opened)


def _form() -> None:
    """The fields, in the order of the spec; then what it takes, and the button that starts."""
    values: dict[str, Any] = {}
    columns = st.columns(3, gap="medium")
    for number, name in enumerate(NAMES):
        with columns[number // 2]:
            values[name] = _control(name)
    file = columns[1].file_uploader("Or a file of them", type=["jsonl"], help="JSON lines as trl reads them.")
    with st.expander("Settings of the training", icon=":material/tune:", key="tune_settings"):
        st.caption("The paper's by default. A small model and few demonstrations need a smaller batch, a higher rate.")
        columns = st.columns(3, gap="medium")
        for number, name in enumerate(name for name in TuningSpec.model_fields if name not in NAMES):
            with columns[number % 3]:
                values[name] = _control(name)
    values["demonstrations"] = file.name if file else values["demonstrations"]
    if needed := [TuningSpec.model_fields[name].title or "" for name in NAMES[:3] if not values[name]]:
        st.caption(f"Still needed: {', '.join(needed)}.")
        return
    help_ = "Counts the demonstrations and foresees memory and time; nothing is tuned."
    if verb_button("See what it takes", "models.tune", key="tune_see", icon="query_stats", help=help_):
        with outcome.kept(PLAN), st.spinner("Counting tokens, and training two layers for a moment"):
            st.session_state[PLAN] = (values, file, _foreseen(make_spec(values), file))
    outcome.show(PLAN)
    if (plan := st.session_state.get(PLAN)) and plan[:2] == (values, file):
        safe_html.show(joined([text_block(sentence) for sentence in plan[2]]))
        with st.container(horizontal=True, gap="small"):
            start = partial(_start, make_spec(values), file)
            verb_button("Start tuning", "models.tune", start, key="tune_start", icon="play_arrow", kind="primary")
            downloads.button("Spec (YAML)", spec_to_yaml(make_spec(values)), "tuning.yaml", "tune_spec")


def _control(name: str) -> Any:
    """The control of a field, made from its description, and its value."""
    item, key = TuningSpec.model_fields[name], f"tune_{name}"
    title, help_, choices = item.title or name, item.description, get_args(item.annotation)
    if name == "base":
        words = "Select or type"
        return st.selectbox(title, _bases(), None, key=key, accept_new_options=True, placeholder=words, help=help_)
    if name == "demonstrations":
        words = "The sets of this workspace."
        return st.selectbox(title, _sets(), None, key=key, placeholder="A set, or a file", help=words)
    if choices:
        return st.selectbox(title, choices, choices.index(item.default), key=key, help=help_)
    if item.annotation is str:
        return st.text_input(title, key=key, placeholder="my-model", help=help_).strip()
    if item.annotation is int:
        return st.number_input(title, value=item.default, step=1, key=key, help=help_)
    return st.number_input(title, value=item.default, format="%g", key=key, help=help_)


def _bases() -> list[str]:
    """The language models whose weights are on this machine."""
    registry, adapters = access.workbench().registry, [card.reference for card in _tuned().cards()]
    names = [item.name for item in access.inventory("generator") if item.ready and item.name not in adapters]
    return [name for name in names if registry.loads_a_model(name)]


@contextmanager
def _file(spec: TuningSpec, file: Any) -> Iterator[Path]:
    """The demonstrations: those of the uploaded file, else of the set that is selected."""
    if file is None and spec.demonstrations not in _sets():
        raise UsageError("Select a set of demonstrations, or a file of them.")  # a path is typed for a command alone
    with ExitStack() as stack:
        if file is None:
            yield stack.enter_context(demonstrations_at(access.workbench().settings, spec))
        else:
            yield stack.enter_context(uploads.files_on_disk([file]))[0]


def _foreseen(spec: TuningSpec, file: Any) -> Sequence[str]:
    with _file(spec, file) as path:
        foreseen = foresee(spec, _tuned().base(spec.base).files, path)
    return (*foreseen.sentences, *spec.departures(foreseen.data.count))


def _start(spec: TuningSpec, file: Any) -> None:
    with outcome.kept(PLACE), _file(spec, file) as path:
        TuningJobs(access.workbench().settings).start(spec, path)
        del st.session_state[PLAN]


def _sets() -> list[str]:
    return [item.name for item in DemonstrationStore(opened_store(access.workbench().settings.database_url)).sets()]
