"""Notes on documents by a language model behind a real server: which calls are made, in which order, with what."""

from __future__ import annotations

import pytest

from tests.pipeline.rewriting.scripted_model import scripted_model
from workbench.core.errors import GenerationFailed
from workbench.core.records import Compression, Evidence, Passage, Task
from workbench.pipeline.rewriting import NO_NOTES, NOTHING_BEARS, PassageCompressor, shipped_rewriting_texts

EVIDENCE = tuple(
    Evidence(Passage(f"p{rank}", "p", "Radio", "en", text), rank)
    for rank, text in enumerate(("Marconi {x} sent signals.", "Popov built a receiver.", "Bread is baked."), start=1)
)
TASK = Task("Who sent signals?", "en", EVIDENCE)


def test_tree_summarize_asks_once_about_documents_that_fit_one_call() -> None:
    with scripted_model(lambda _: "Marconi sent signals [1].") as model:
        (notes,) = PassageCompressor(model.generator(), "tree-summarize").compress([TASK])
        (turn,) = model.turns
    assert isinstance(notes, Compression)
    assert (notes.text, notes.language, notes.ranks) == ("Marconi sent signals [1].", "en", (1, 2, 3))
    assert turn == (
        "Documents: <<<[1] Radio\nMarconi {x} sent signals.\n\n[2] Radio\nPopov built a receiver.\n\n"
        "[3] Radio\nBread is baked.>>>\n\nQuestion: Who sent signals?"
    )


def test_tree_summarize_sums_up_the_notes_on_documents_that_do_not_fit_one_call() -> None:
    long = tuple(
        Evidence(Passage(f"p{rank}", "p", "", "en", f"Start{rank} " + "word " * 20_000), rank) for rank in (1, 2)
    )
    with scripted_model(lambda turn: "last" if "notes" in turn else "notes") as model:
        (notes,) = PassageCompressor(model.generator(), "tree-summarize").compress([Task("Who?", "en", long)])
        turns = model.turns
    assert isinstance(notes, Compression)
    assert notes.text == "last"
    assert all("word word" in turn for turn in turns[:-1])
    assert len(turns) > 2
    assert turns[-1].startswith("Documents: <<<notes\n\nnotes")


def test_refine_goes_document_by_document_and_is_shown_the_notes_so_far() -> None:
    replies = iter(("Marconi did [1].", "Marconi did [1]; Popov received [2].", "Marconi did [1]; Popov received [2]."))
    with scripted_model(lambda _: next(replies)) as model:
        (notes,) = PassageCompressor(model.generator(), "refine").compress([TASK])
        turns, systems = model.turns, model.systems
    assert isinstance(notes, Compression)
    assert notes.text == "Marconi did [1]; Popov received [2]."
    assert turns == [
        "Documents: <<<[1] Radio\nMarconi {x} sent signals.>>>\n\nQuestion: Who sent signals?",
        "Notes: Marconi did [1].\n\nDocuments: <<<[2] Radio\nPopov built a receiver.>>>\n\nQuestion: Who sent signals?",
        "Notes: Marconi did [1]; Popov received [2].\n\nDocuments: <<<[3] Radio\nBread is baked.>>>\n\n"
        "Question: Who sent signals?",
    ]
    texts = shipped_rewriting_texts().texts("en")
    assert systems == [texts.system("summarize"), texts.system("refine"), texts.system("refine")]


def test_the_tokens_of_every_call_are_added_up() -> None:
    with scripted_model(lambda _: "Notes.") as model:
        (notes,) = PassageCompressor(model.generator(), "refine").compress([TASK])
    assert isinstance(notes, Compression)
    assert notes.usage is not None
    assert (notes.usage.prompt_tokens, notes.usage.completion_tokens) == (33, 6)


@pytest.mark.parametrize("reply", ["NONE", "<think>bread?</think> NONE."])
def test_notes_that_no_document_bears_on_the_question_abstain(reply: str) -> None:
    with scripted_model(lambda _: reply) as model:
        (notes,) = PassageCompressor(model.generator(), "tree-summarize").compress([TASK])
    assert isinstance(notes, Compression)
    assert (notes.abstains, notes.text, notes.note) == (True, "", NOTHING_BEARS)


@pytest.mark.parametrize("kind", ["tree-summarize", "refine"])
@pytest.mark.parametrize("way", ["says-nothing", "says"])
def test_a_model_that_writes_nothing_leaves_the_documents_as_they_are_and_that_is_said(kind: str, way: str) -> None:
    with scripted_model(lambda _: "<think>Hm.</think>") as model:
        (notes,) = PassageCompressor(model.generator(way), kind).compress([TASK])  # type: ignore[arg-type]
    assert isinstance(notes, Compression)
    assert (notes.abstains, notes.text, notes.note) == (False, "", NO_NOTES)


def test_notes_are_asked_for_in_the_questions_language() -> None:
    with scripted_model(lambda _: "ملاحظات [1]") as model:
        (notes,) = PassageCompressor(model.generator(), "tree-summarize").compress([Task("من؟", "ar", EVIDENCE)])
        assert model.systems == [shipped_rewriting_texts().texts("ar").system("summarize")]
    assert isinstance(notes, Compression)
    assert notes.language == "ar"


def test_one_failure_does_not_touch_the_other_questions() -> None:
    with scripted_model(lambda turn: None if "Bad?" in turn else "Fine.") as model:
        results = PassageCompressor(model.generator(), "refine").compress([Task("Bad?", "en", EVIDENCE), TASK])
    assert isinstance(results[0], GenerationFailed)
    assert isinstance(results[1], Compression)


def test_without_documents_there_are_no_notes_and_nobody_is_asked() -> None:
    with scripted_model(lambda _: "Something.") as model:
        (notes,) = PassageCompressor(model.generator(), "tree-summarize").compress([Task("Who?", "fi")])
        assert model.turns == []
    assert notes == Compression("", "fi")
