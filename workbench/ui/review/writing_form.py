"""The form that has a generator write questions from a corpus: what it takes before it begins, then its jobs.

Writing is a job of its own process. Everything but the controls is read from the workspace, so it is the same in every
tab and after leaving the page.
"""

from __future__ import annotations

import streamlit as st

from workbench.jobs import MOST_PER_LANGUAGE, SetWriting, WritingJobs, WritingRequest, checked_writer
from workbench.pipeline import EXTRACTIVE, make_recipe
from workbench.ui.data import data_state
from workbench.ui.data.data_state import Selection
from workbench.ui.parts import access, job_card, permitted, safe_html
from workbench.ui.parts.badges import language_words
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.verb_button import verb_button
from workbench.workspace import Job

PLAN = "writing_plan"
"""The session's key for what writing takes, with what that was computed for."""
NO_MODEL = (
    "No language model is ready to write questions: Settings shows which key to set or which model to download, and a "
    "model of your own server can be named below as openai-like:MODEL@ENDPOINT."
)


def jobs() -> WritingJobs:
    """The writing of questions in the workspace."""
    return WritingJobs(access.workbench().settings)


@permitted.form("drafts.write")
def draw(*, opened: bool) -> None:
    """The jobs, and the form in an expander, which is open at first where `opened`."""
    for job in jobs().all():
        job_card.draw(jobs(), job, WORDS, _done)
    expander = st.expander("Write questions", icon=":material/edit_note:", key="writing_new", expanded=opened)
    with expander, access.guarded():
        _form()


def progress_words(job: Job) -> str:
    """What is being done, in words."""
    noun = "questions" if job.phase == "questions" else ""
    count = job_card.count_words(job.done, job.total, noun)
    phase = "" if noun else f" {job.phase}"
    return f"Writing “{job.title}”:{phase}{count.removeprefix(' ·') if noun else count}"


WORDS = JobWords(
    "writing",
    progress_words,
    lambda job: f"The writing of “{job.title}” failed",
    lambda job: f"The writing of “{job.title}” was stopped. What was written by then can be reviewed.",
    lambda job: f"The process that wrote “{job.title}” was ended. What was written by then can be reviewed.",
)


def result_words(job: Job) -> str:
    """The result of a job, in sentences."""
    result = job.result
    words = f"“{job.title}”: {result['to_review']:,} to review, {result['filtered']:,} held back by a filter."
    if result["unwritten"]:
        words += f" {result['unwritten']:,} unwritten, since calls failed. {result['reason']}"
    return words


def _done(job: Job) -> None:
    safe_html.message(result_words(job))
    with st.container(horizontal=True, gap="small", key=f"writing_next{job_card.suffix(job.id)}"):
        job_card.button("Review them", "writing_review", ":material/rate_review:", job.id, _review, "screens.look")
        if job.result["unwritten"]:
            job_card.button("Resume", "writing_again", ":material/play_arrow:", job.id, jobs().resume, "drafts.write")
        job_card.discard(jobs(), job, "writing_close")


def _review(job_id: str) -> None:
    """Shows the set that a job wrote."""
    job = jobs().job(job_id)
    if job is not None:
        data_state.show(Selection(view="review", name=job.title))


def _form() -> None:
    ready = [item for item in access.inventory("generator") if item.ready and item.name != EXTRACTIVE]
    if not ready:
        safe_html.message(NO_MODEL)
    titles = {item.name: item.title for item in ready}
    left, middle, right = st.columns(3, gap="medium")
    corpora = {item.name: list(item.languages) for item in access.manifests()}
    corpus: str = left.selectbox(
        "Corpus", list(corpora), key="writing_corpus", help="Questions are written from its passages."
    )
    name = left.text_input(
        "Name", key="writing_name", placeholder="my-questions", help="The set's name, which becomes the dataset's."
    ).strip()
    typed = st.session_state.get("writing_generator")
    generator: str | None = middle.selectbox(
        "Generator",
        list(dict.fromkeys([*titles, *([typed] if typed else [])])),
        index=None,
        key="writing_generator",
        format_func=lambda item: titles.get(item, item),
        accept_new_options=True,
        placeholder="Select or type a model",
        help="The language model that writes. Select one that is ready, or type another as "
        "`openai-like:MODEL@ENDPOINT`.",
    )
    number = int(
        middle.number_input(
            "Questions per language",
            1,
            MOST_PER_LANGUAGE,
            20,
            key="writing_number",
            help="The number of passages drawn in each language; one question is written from each.",
        )
    )
    languages = right.multiselect(
        "Languages",
        corpora[corpus],
        key=f"writing_languages_{corpus}",
        placeholder="All",
        format_func=language_words,
        help="Questions are written in the passage's language.",
    )
    seed = int(right.number_input("Seed", 0, 2**31 - 1, key="writing_seed", help="Another seed draws other passages."))
    needed = [*([] if name else ["name"]), *([] if generator else ["generator"])]
    if needed or not generator:
        st.caption(f"Still needed: {', '.join(needed)}.")
        return
    request = WritingRequest(corpus, checked_writer(generator), EXTRACTIVE, tuple(sorted(languages)), number, seed)
    safe_html.message(_plan(name, request))
    missing = [item for item in access.unready(make_recipe({"generator": generator})) if item.role == "generator"]
    if missing:
        safe_html.message(f"The generator “{missing[0].name}” is not ready: {missing[0].state}. See Settings.", "error")
    elif verb_button("Write questions", "drafts.write", key="writing_take", icon="edit_note", kind="primary"):
        jobs().start(name, request)
        st.rerun()


def _plan(name: str, request: WritingRequest) -> str:
    """What writing takes, in sentences; passages are drawn once for each request, and again after each job."""
    ended = [(job.id, job.state) for job in jobs().all()]
    key = (name, request, access.workbench().corpus(request.corpus).manifest.version, ended)
    stored = st.session_state.get(PLAN)
    if stored is None or stored[0] != key:
        stored = (key, SetWriting(access.workbench(), name, request).plan.sentence)
        st.session_state[PLAN] = stored
    sentence: str = stored[1]
    return sentence
