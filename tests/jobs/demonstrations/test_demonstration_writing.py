"""Demonstrations by a scripted strong model behind a real server: filtered with reasons, killed, and gone on with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest

from tests.jobs.demonstrations.demonstrators import ASIDE, Desk, demonstration_desk, dialectic
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.stopping import JobStopped
from workbench.data.datasets.dataset_library import DatasetMetadata
from workbench.jobs.demonstrations.demonstration_file import (
    import_demonstrations,
    read_demonstrations,
    write_demonstrations,
)
from workbench.jobs.demonstrations.demonstration_writing import DemonstrationWriting


class Killed(BaseException):
    """What ends the process in the middle."""


@pytest.fixture
def desk(workbench: Workbench) -> Iterator[Desk]:
    with demonstration_desk(workbench) as desk:
        yield desk


WRONG, ASIDES, ABSENT = 40, 10, 5


def _as_issued(desk: Desk) -> dict[str, str]:
    """Makes the model answer 40 of 100 questions wrongly, 10 with asides, 5 with a document that is not there."""
    planned = [item.question for item in desk.writing(languages=("en", "fi"), per_language=50).drafts]
    assert len(planned) == 100
    shuffled = sorted(planned, key=lambda question: sha256(question.encode()).digest())
    expected = dict.fromkeys(shuffled[:WRONG], "wrong")
    expected |= dict.fromkeys(shuffled[WRONG : WRONG + ASIDES], "instructions")
    expected |= dict.fromkeys(shuffled[WRONG + ASIDES : WRONG + ASIDES + ABSENT], "citations")

    def reply(question: str, gold: str, quotation: str) -> str:
        match expected.get(question):
            case "wrong":
                return dialectic(f"{gold}, or somebody else", quotation)
            case "instructions":
                return dialectic(gold, quotation).replace("claims it", f"claims it. {ASIDE}")
            case "citations":
                return dialectic(gold, quotation, cited=9)
        return dialectic(gold, quotation)

    desk.model.reply = reply
    return expected


def test_of_a_hundred_exactly_the_bad_ones_are_rejected_and_kills_change_nothing(desk: Desk) -> None:
    expected = _as_issued(desk)
    stop, model = Event(), desk.model
    calls = model.__call__

    def stopped_in_a_batch(turn: str) -> str | None:
        if len(model.calls) == 25:
            stop.set()
        return calls(turn)

    desk.server.script = stopped_in_a_batch
    request = {"languages": ("en", "fi"), "per_language": 50}
    with pytest.raises(JobStopped):
        desk.writing(**request).write(stop=stop)
    assert 0 < desk.store.progress("mine").count("unwritten") < 100

    def killed(_phase: str, done: int, _total: int) -> None:
        if done == 32:
            raise Killed

    with pytest.raises(Killed):
        desk.writing(**request).write(killed)
    drafts = desk.run(**request)
    assert {item.question: item.filter for item in drafts if item.status == "filtered"} == expected
    assert Counter(item.status for item in drafts) == {"draft": 45, "filtered": WRONG + ASIDES + ABSENT}
    reasons = {item.filter: item.reason for item in drafts if item.filter}
    assert "is not a gold answer" in reasons["wrong"]
    assert "It answered 0" in reasons["instructions"]
    assert "It cites [9]; the last document is [5]." in reasons["citations"]
    by_language = {(code, name): count for code, _, name, count in desk.store.counts("mine") if name}
    assert sum(count for (code, _), count in by_language.items() if code == "fi") == sum(
        item.filter != "" for item in drafts if item.language == "fi"
    )
    written = desk.file()
    assert written.count("\n") == 45
    # What was answered before an end is a step of the cache; a call under way when the process ends is made again.
    assert sum(call != "" for call in model.calls) <= 100 + 32
    desk.store.remove("mine")
    desk.run(**request)
    assert desk.file() == written


def test_a_line_has_the_prompt_the_answer_and_where_its_documents_come_from(desk: Desk) -> None:
    desk.run(kinds=("drag", "rag"), per_language=1)
    texts = desk.file().splitlines()
    drag, rag = (desk.store.draft("mine", number) for number in (1, 2))
    assert [item.id for item in drag.passages] == [item.id for item in rag.passages]
    assert '"licence": "' in texts[0]
    assert drag.text.startswith("#Extraction:\n[1] “")
    assert "#Explanation:" in drag.text, "the paper's own spelling is written as the prompt asks for it"


def test_the_prompt_of_an_export_is_that_of_plain_rag_or_of_drag(desk: Desk, tmp_path: Path) -> None:
    desk.run(per_language=1)
    path = tmp_path / "d.jsonl"
    prompts = []
    for prompt in ("rag", "drag"):
        path.write_text(desk.file(prompt=prompt), encoding="utf-8")
        (item,) = read_demonstrations(path)
        prompts.append(item.prompt[0].content + item.prompt[1].content)
    assert "#Dialectic Argumentation:" not in prompts[0]
    assert "#Dialectic Argumentation:" in prompts[1]


def test_parts_are_left_out_and_mixed_by_a_seed(desk: Desk) -> None:
    desk.run(per_language=4)
    assert "#Explanation:" not in desk.file(without=("explanation",), prompt="drag")
    first, second = desk.file(mixed=True), desk.file(mixed=True)
    assert first == second != desk.file()
    assert all("#Answer:" in line.rpartition("#Dialectic")[2] for line in first.splitlines())
    with pytest.raises(UsageError, match="Unknown part that can be left out “answer”"):
        desk.file(without=("answer",))


def test_a_control_has_the_questions_of_both_kinds(desk: Desk) -> None:
    drafts = desk.run(kinds=("drag", "rag"), per_language=10)
    # A D-RAG text ends with its answer, so plain RAG passes as well; one is rejected by a person.
    assert {item.status for item in drafts} == {"draft"}
    desk.store.reject("mine", [1], "Ana")
    kept = desk.file(paired=True).splitlines()
    assert len(kept) == len(drafts) - 2


@pytest.mark.parametrize(
    ("reply", "filter_", "reason"),
    [
        ("It is known.", "format", "has none of the labels"),
        ("#Extraction: [1]\n#Answer: GOLD", "format", "It lacks the part “explanation”"),
        ("#Answer:\nnobody", "wrong", "and the gold answer"),
        (dialectic("GOLD", "This sentence is in none of them at all."), "citations", "[1] does not say “This sentence"),
    ],
)
def test_a_reply_is_held_back_by_the_first_check_that_it_fails(
    desk: Desk, reply: str, filter_: str, reason: str
) -> None:
    desk.model.reply = lambda question, gold, quotation: reply.replace("GOLD", gold)
    (draft,) = desk.run(per_language=1)
    assert (draft.status, draft.filter) == ("filtered", filter_)
    assert reason in draft.reason


@pytest.mark.parametrize("verdict", ["Perhaps.", "<think>1</think>"])
def test_what_a_judge_does_not_decide_is_not_accepted(desk: Desk, verdict: str) -> None:
    desk.model.verdict = lambda turn: verdict
    (draft,) = desk.run(per_language=1)
    assert (draft.status, draft.filter) == ("filtered", "unjudged")
    assert desk.file() == ""


def test_without_a_judge_the_other_checks_hold(desk: Desk) -> None:
    assert [item.status for item in desk.run(judge="")] == ["draft", "draft"]
    assert "" not in desk.model.calls


def test_a_call_that_fails_leaves_its_demonstration_for_the_next_run(desk: Desk) -> None:
    desk.model.reply = lambda question, gold, quotation: None
    (draft,) = desk.run(per_language=1)
    assert draft.status == "unwritten"
    assert draft.reason
    desk.model.reply = lambda question, gold, quotation: dialectic(gold, quotation)
    desk.model.verdict = lambda turn: None
    (draft,) = desk.run(per_language=1)
    assert (draft.status, draft.text) == ("unwritten", "")
    desk.model.verdict = lambda turn: "1"
    (draft,) = desk.run(per_language=1)
    assert draft.status == "draft"
    assert len([call for call in desk.model.calls if call]) == 2, "the answer was a step of the cache"


def test_questions_held_out_become_a_dataset_in_every_language_and_are_not_demonstrated(desk: Desk) -> None:
    drafts = desk.run(per_language=100, holdout=0.25, judge="")
    library = desk.library
    evaluation = {item.id for item in library.questions("mine-evaluation", "fi")}
    assert len(evaluation) == 23
    assert evaluation.isdisjoint(item.group for item in drafts)
    # Another set leaves them out as well, without being told.
    desk.name = "other"
    writing = desk.writing(per_language=100)
    assert writing.left_out["in an evaluation dataset"] == 23
    assert evaluation.isdisjoint(item.group for item in writing.drafts)


def test_a_translation_of_an_evaluated_question_is_not_demonstrated(desk: Desk) -> None:
    finnish = desk.library.questions("sample", "fi")[:5]
    desk.library.add("finnish", "sample", finnish, aligned=False)
    writing = desk.writing(per_language=100, evaluation=("finnish",))
    assert writing.left_out["in an evaluation dataset"] == 5
    assert {item.id for item in finnish}.isdisjoint(item.group for item in writing.drafts)
    desk.library.add("everything", "sample", desk.library.questions("sample", "en"), aligned=False)
    with pytest.raises(UsageError, match="No question of the dataset “sample” is left to demonstrate"):
        desk.writing(evaluation=("everything",))


def test_a_file_comes_in_again_unchanged_and_can_be_reviewed(desk: Desk, tmp_path: Path) -> None:
    desk.run(per_language=5)
    path = tmp_path / "d.jsonl"
    path.write_text(desk.file(prompt="drag"), encoding="utf-8")
    assert import_demonstrations(desk.store, desk.library, path, "again") == 5
    desk.name = "again"
    assert desk.file() == path.read_text(encoding="utf-8") == write_demonstrations(read_demonstrations(path))
    desk.store.reject("again", [1], "Ana")
    assert desk.store.accept("again", 2, "Ana").status == "accepted"
    assert desk.file().count("\n") == 4
    with pytest.raises(UsageError, match="There is a set “again” already"):
        import_demonstrations(desk.store, desk.library, path, "again")


def test_a_file_with_an_evaluated_question_or_its_translation_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.run(per_language=5)
    path = tmp_path / "d.jsonl"
    path.write_text(desk.file(), encoding="utf-8")
    group = desk.store.draft("mine", 3).group
    thai = [item for item in desk.library.questions("sample", "th") if item.id == group]
    desk.library.add("thai", "sample", thai, aligned=False, metadata=DatasetMetadata(kind="sample", parallel=True))
    with pytest.raises(UsageError, match="“mine-00003” is of a question that is in the evaluation dataset “thai”"):
        import_demonstrations(desk.store, desk.library, path, "again", ["thai"])
    assert [item.name for item in desk.store.sets()] == ["mine"]


def test_a_set_written_before_its_questions_were_held_out_does_not_leave(desk: Desk) -> None:
    early = desk.run(per_language=8)
    desk.name = "late"
    desk.run(per_language=1, holdout=0.5, seed=1, judge="")
    holdout = {item.id for item in desk.library.questions("late-evaluation", "fi")}
    leaks = [item for item in early if item.group in holdout]
    assert 1 < len(leaks) < len(early)
    # Neither another name of the dataset nor the end of its set makes its questions free.
    desk.library.rename("late-evaluation", "ours")
    desk.store.remove("late")
    desk.name = "mine"
    with pytest.raises(UsageError, match=rf"{len(leaks)} demonstrations .* evaluation datasets, .* “ours”.* taken out"):
        desk.file()
    with pytest.raises(UsageError, match="reject them in the set “mine”"):
        desk.file()
    for item in leaks:
        desk.store.reject("mine", [item.number], "Ana")
    assert desk.file().count("\n") == len(early) - len(leaks)
    desk.name = "later"
    assert holdout.isdisjoint(item.group for item in desk.writing(per_language=100).drafts)


def test_a_dataset_named_for_evaluation_stays_so_when_its_questions_are_imported_again(desk: Desk) -> None:
    finnish = desk.library.questions("sample", "fi")[:5]
    desk.library.add("finnish", "sample", finnish, aligned=False)
    desk.run(per_language=1, evaluation=("finnish",))
    desk.library.add("finnish", "sample", finnish, aligned=False)
    desk.store.remove("mine")
    assert desk.library.info("finnish").evaluation
    assert desk.writing(per_language=100).left_out["in an evaluation dataset"] == 5


def test_pairs_of_texts_in_two_languages_are_translations_to_follow(desk: Desk) -> None:
    drafts = desk.run(kinds=("translation",), generator="", judge="", languages=("en", "fi"), per_language=3)
    assert [(item.language, item.status) for item in drafts] == [("fi", "draft")] * 3
    line = desk.file().splitlines()[0]
    assert "Translate the following text from Finnish to English." in line
    assert desk.model.calls == []


def test_translations_may_be_asked_for_besides_answers(desk: Desk) -> None:
    drafts = desk.run(kinds=("drag", "translation"), judge="", languages=("fi",), per_language=2)
    assert (
        sorted((item.kind, item.status) for item in drafts) == [("drag", "draft")] * 2 + [("translation", "draft")] * 2
    )


def test_a_set_goes_on_after_its_dataset_has_changed(desk: Desk) -> None:
    questions = desk.library.questions("sample", "en")
    desk.library.add("own", "sample", questions[:40], aligned=False)
    desk.model.reply = lambda question, gold, quotation: None
    request = replace(desk.request(holdout=0.25), dataset="own")
    DemonstrationWriting(desk.workbench, "mine", request).write()
    desk.library.add("own", "sample", questions[:60], aligned=False)
    desk.model.reply = lambda question, gold, quotation: dialectic(gold, quotation)
    assert DemonstrationWriting(desk.workbench, "mine", request).write().count("unwritten") == 0


@pytest.mark.parametrize("text", ["\ud800", "\x00", "a" * 200_000, "#Answer:\n" * 20_000, "“" * 50_000])
def test_a_hostile_reply_is_held_back_and_stored(desk: Desk, text: str) -> None:
    desk.model.reply = lambda question, gold, quotation: text + gold
    (draft,) = desk.run(per_language=1)
    assert draft.status in ("filtered", "unwritten")
    assert draft.reason
    assert desk.file() == ""
