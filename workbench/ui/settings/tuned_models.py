"""Tuned models on the Settings screen: tunings with their losses as they come, the form for another, and the cards."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    left_words,
    make_spec,
    spec_to_yaml,
    tuning_fields,
)
from workbench.models import GIGA
from workbench.ui.parts import access, downloads, figure, folds, job_card, outcome, permitted, safe_html, uploads
from workbench.ui.parts.badges import chip
from workbench.ui.parts.chart_style import COLOURS, FITTING, finish_figure
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.settings import model_actions
from workbench.workspace import Job, duration_words, opened_store

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

PLACE, PLAN, LEAVING, FILE = "tuned", "tuning_plan", "tuned_leaving", "tune_file"
"""Where it is said what a button did; the session's keys for what was foreseen, for the model to be deleted and for an
uploaded file."""
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


def _progress(job: Job) -> str:
    """What a tuning is at. Only our words and its name, as it is the label of a progress bar."""
    left = left_words(job, time.time())
    losses = [f"{words} {job.result[key][-1][1]:.3f}" for key, words in LOSSES.items() if job.result.get(key)]
    steps = job_card.count_words(job.done, job.total, "steps")
    return f"Tuning “{job.title}”: {' · '.join([job.phase + steps, *losses, *([f'{left} left'] if left else [])])}"


LOSSES = {"training": "loss", "holdout": "held-out loss"}
WORDS = JobWords(
    "tuning",
    _progress,
    lambda job: f"The tuning of “{job.title}” failed",
    lambda job: f"The tuning of “{job.title}” was stopped. It continues from its last checkpoint.",
    lambda job: f"The process that tuned “{job.title}” ended unexpectedly. It continues from its last checkpoint.",
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
    """The button Delete, and once it is pressed, the consequences and the buttons to confirm or cancel."""
    if st.session_state.get(LEAVING) != name:
        verb_button("Delete", "models.tune", _ask, name, key=f"tuned_delete_{name}", icon="delete", kind="tertiary")
        return
    safe_html.message(f"Recipes that name tuned:{name} can then not run. Stored answers stay.")
    with st.container(horizontal=True, gap="small"):
        act = partial(outcome.act, PLACE, _delete, name)
        verb_button("Delete it", "models.tune", act, key=f"tuned_delete_now_{name}", kind="primary")
        st.button("Keep it", key=f"tuned_keep_{name}", on_click=_ask, args=("",))


def _ask(name: str) -> None:
    st.session_state[LEAVING] = name


def _delete(name: str) -> str:
    _ask("")
    _tuned().delete(name)
    access.models.clear()
    return f"The tuned model “{name}” was deleted."


@permitted.form("models.tune")
def _new(*, opened: bool) -> None:
    folds.draw("Tune a model", "model_training", "tune_new", _form, expanded=opened)


def _form() -> None:
    """The fields, in the order of the spec; then what it takes, and the button that starts."""
    left, middle, right = st.columns(3, gap="medium")
    places = dict(zip(NAMES, (left, left, middle, middle, right, right), strict=True))
    for name in NAMES:
        with places[name]:
            _control(name)
    file = middle.file_uploader("Or a file of them", type=["jsonl"], key=FILE, help="JSON lines as trl reads them.")
    with st.expander("Settings of the training", icon=":material/tune:", key="tune_settings"):
        st.caption("The paper's by default. A small model and few demonstrations need a smaller batch, a higher rate.")
        columns = st.columns(3, gap="medium")
        for number, name in enumerate(name for name in tuning_fields() if name not in NAMES):
            with columns[number % 3]:
                _control(name)
    needed = [tuning_fields()[name].title or "" for name in NAMES[:2] if not _value(name)]
    needed += [] if file or _value("demonstrations") else ["Demonstrations"]
    if needed:
        st.caption(f"Still needed: {', '.join(needed)}.")
        return
    help_ = "Counts the demonstrations and foresees memory and time; nothing is tuned."
    if verb_button("See what it takes", "models.tune", key="tune_see", icon="query_stats", help=help_):
        with outcome.kept(PLAN), st.spinner("Counting tokens, and training two layers for a moment"):
            st.session_state[PLAN] = _foreseen()
    outcome.show(PLAN)
    if (plan := st.session_state.get(PLAN)) and plan[0] == _key():
        safe_html.show(joined([text_block(sentence) for sentence in plan[1]]))
        with st.container(horizontal=True, gap="small"):
            verb_button("Start tuning", "models.tune", _start, key="tune_start", icon="play_arrow", kind="primary")
            downloads.button("Spec (YAML)", partial(spec_to_yaml, _spec()), "tuning.yaml", "tune_spec")


def _control(name: str) -> None:
    """The control of a field, made from its description."""
    item, key = tuning_fields()[name], f"tune_{name}"
    title, help_ = item.title or name, item.description
    choices = get_args(item.annotation)
    if name == "base":
        st.selectbox(
            title, _bases(), index=None, key=key, accept_new_options=True, placeholder="Select or type", help=help_
        )
    elif name == "demonstrations":
        names = _sets()
        st.selectbox(
            title, names, index=None, key=key, placeholder="A set, or a file", help="The sets of this workspace."
        )
    elif choices:
        st.selectbox(title, list(choices), index=list(choices).index(item.default), key=key, help=help_)
    elif item.annotation is str:
        st.text_input(title, key=key, placeholder="my-model", help=help_)
    elif item.annotation is int:
        st.number_input(title, value=int(item.default), step=1, key=key, help=help_)
    else:
        st.number_input(title, value=float(item.default), format="%g", key=key, help=help_)


def _bases() -> list[str]:
    """The language models whose weights are on this machine."""
    registry, adapters = access.workbench().registry, [card.reference for card in _tuned().cards()]
    names = [item.name for item in access.inventory("generator") if item.ready and item.name not in adapters]
    return [name for name in names if registry.loads_a_model(name)]


def _value(name: str) -> Any:
    value = st.session_state.get(f"tune_{name}", tuning_fields()[name].default)
    return value.strip() if isinstance(value, str) else value


def _spec() -> TuningSpec:
    """The spec that the controls say. Raises UsageError."""
    file = st.session_state.get(FILE)
    values = {name: _value(name) for name in tuning_fields()}
    return make_spec({**values, "demonstrations": file.name if file else values["demonstrations"]})


@contextmanager
def _file(spec: TuningSpec) -> Iterator[Path]:
    """The demonstrations: those of the uploaded file, else of the set that is selected."""
    file = st.session_state.get(FILE)
    if file is None:
        # A path is typed on the command line only.
        if spec.demonstrations not in _sets():
            raise UsageError("Select a set of demonstrations, or a file of them.")
        with demonstrations_at(access.workbench().settings, spec) as path:
            yield path
        return
    with uploads.files_on_disk([file]) as (path,):
        yield path


def _key() -> str:
    """What the controls say, by which it is known whether what was foreseen is of that."""
    file = st.session_state.get(FILE)
    return str([*(_value(name) for name in tuning_fields()), file.file_id if file else ""])


def _foreseen() -> tuple[str, tuple[str, ...]]:
    spec = _spec()
    with _file(spec) as path:
        foreseen = foresee(spec, _tuned().base(spec.base).files, path)
    return _key(), (*foreseen.sentences, *spec.departures(foreseen.data.count))


def _start() -> None:
    with outcome.kept(PLACE):
        spec = _spec()
        with _file(spec) as path:
            TuningJobs(access.workbench().settings).start(spec, path)
        st.session_state.pop(PLAN, None)


def _sets() -> list[str]:
    return [item.name for item in DemonstrationStore(opened_store(access.workbench().settings.database_url)).sets()]
