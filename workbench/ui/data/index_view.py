"""How a corpus is searched by meaning, on the Data screen: ready, or being prepared in the background, live.

Every figure is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.components import index_command
from workbench.data import CorpusManifest
from workbench.jobs import IndexJobs, IndexReport, far_words, index_id, index_reports, pace_words, under_way
from workbench.ui.ask import ask_state
from workbench.ui.data import data_view
from workbench.ui.parts import access, job_card, outcome, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import Html, element, escaped, inline, text_block
from workbench.ui.parts.verb_button import verb_button

GOOD, IDLE = ("ready", "running", "waiting"), ("new", "stopped")
ABOUT = "Meaning across 94 languages, computed on this machine: multilingual-e5-small, MIT licence."
UNTIL_READY = "Until it is ready, the built-in encoder is used."
ABSENT = (
    "The package that carries the weights of multilingual-e5-small is not installed, or does not exist for this kind "
    "of machine. The built-in encoder is used instead; it finds less across languages."
)


def table(corpora: Sequence[CorpusManifest], encoders: Mapping[str, Sequence[str]]) -> None:
    """All corpora with their indexes, updated while one is being prepared."""
    job_card.live(lambda: bool(under_way(access.workbench())), lambda: _draw_table(corpora, encoders))


def _draw_table(corpora: Sequence[CorpusManifest], encoders: Mapping[str, Sequence[str]]) -> None:
    statuses, now = under_way(access.workbench()), time.time()
    preparing = {
        name: [f"{item.parameters['encoder']}: {far_words(item, now)}" for item in items]
        for name, items in statuses.items()
    }
    stores = {name: state.words for name, state in access.workbench().stores().items()}
    data_view.overview(data_view.corpora_frame(corpora, encoders, preparing, stores), "corpora")


@folded("Index with another encoder", "hub", "data_index")
def other_encoders(manifest: CorpusManifest) -> None:
    """How the corpus is indexed with another encoder, and what its store lacks."""
    st.markdown(
        "Every corpus is indexed by words and with the built-in encoder, and in the background by e5-small. For "
        "another encoder, run:"
    )
    safe_html.source(index_command(manifest.name, "bge-m3"))
    _store(manifest)


def _store(manifest: CorpusManifest) -> None:
    """Where the corpus is searched, if it has a store, and what pushes the indexes that the store has not got."""
    state = access.workbench().stores().get(manifest.name)
    if state is None:
        return
    safe_html.show(text_block(f"This corpus is {state.words}.", css="wb-muted"))
    if state.behind:
        st.markdown("To push what is in its files, run:")
        safe_html.source(state.command)


def draw_imported(corpus: str, place: str) -> None:
    """The same of a corpus that was just imported; nothing where it is gone."""
    for manifest in [item for item in access.manifests() if item.name == corpus]:
        draw(manifest, place)


def ask_link(corpus: str) -> None:
    """The way to ask about a corpus that was just imported; nothing where it is gone."""
    if corpus in access.corpora():
        params = ask_state.Choice(recipe=access.default_recipe(corpus=corpus)).to_params()
        st.page_link("pages/ask.py", label="Ask a question about it", icon=":material/search:", query_params=params)


def draw(manifest: CorpusManifest, place: str) -> None:
    """How the corpus can be searched, updated while its index is being prepared; `place` is unique on the page."""
    job_card.live(lambda: manifest.name in under_way(access.workbench()), lambda: _draw(manifest, place))


def _draw(manifest: CorpusManifest, place: str) -> None:
    with st.container(border=True, gap="small", key=f"index_{place}"), access.guarded():
        safe_html.show(_line("Search by words", "ready", "ready"))
        for report in index_reports(access.workbench(), manifest):
            _encoder(manifest, report, place)
            outcome.show(index_id(manifest, report.encoder))


def _encoder(manifest: CorpusManifest, report: IndexReport, place: str) -> None:
    safe_html.show(_line(f"Search by meaning ({report.encoder})", report.state, report.words(time.time())))
    if report.state == "missing":
        st.caption(ABSENT)
        return
    if report.job is not None and report.state == "running":
        st.progress(report.job.share)
    if report.job is not None and report.state == "failed":
        safe_html.message(report.job.error, "error")
    if report.unknown:
        safe_html.show(_unknown(report.unknown))
    pace = pace_words(access.workbench().settings.home, report.encoder)
    st.caption(" ".join(filter(None, [ABOUT, "" if report.state == "ready" else UNTIL_READY, pace])))
    _button(manifest, report, place)


def _button(manifest: CorpusManifest, report: IndexReport, place: str) -> None:
    if report.state == "ready":
        return
    jobs, job_id = IndexJobs(access.workbench().settings), index_id(manifest, report.encoder)
    is_active = report.state in ("waiting", "running")
    label = "Stop" if is_active else "Start" if report.state == "new" else "Resume"
    act = partial(jobs.stop, job_id) if is_active else partial(jobs.start, manifest, report.encoder)
    stopping = is_active and report.job is not None and report.job.stop
    if verb_button(
        label,
        "corpora.index",
        job_card.press,
        job_id,
        act,
        key=f"index_action_{place}_{report.encoder}",
        icon="stop_circle" if is_active else "play_circle",
        disabled=stopping,
    ):
        # Inside a fragment only that would be drawn again, which cannot begin to update itself.
        st.rerun()


def _line(title: str, state: str, words: str) -> Html:
    css = "wb-ready" if state in GOOD else "wb-idle" if state in IDLE else "wb-missing"
    return element("div", element("b", escaped(title)), element("span", inline(words), css=css), css="wb-row")


def _unknown(counts: Mapping[str, int]) -> Html:
    words = escaped(
        "Passages in languages that the encoder was not trained on, found by words and transliteration instead:"
    )
    badges = (element("span", language_badge(code), chip(f"{count:,}"), css="wb-row") for code, count in counts.items())
    return element("div", words, *badges, css="wb-row wb-muted")
