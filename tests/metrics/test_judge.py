"""Judged metrics over a judge whose replies the test sets."""

from collections.abc import Callable, Sequence

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.judged.judge import NAMES, Judge, JudgePrompt, Reply, context_precision, judged_by
from workbench.metrics.measure import Case

EN = language("en")
CASE = Case("Marconi", ("Guglielmo Marconi",), EN, "Who invented radio?", ("On radio.", "On cheese."), "Be brief.")


class FakeJudge(Judge):
    """Replies by a rule and records its prompts."""

    def __init__(self, reply: Callable[[str], str | Reply]) -> None:
        self.reply = reply
        self.prompts: list[JudgePrompt] = []
        self.calls = 0

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        self.calls += 1
        self.prompts += prompts
        replies = [self.reply(prompt.user) for prompt in prompts]
        return [one if isinstance(one, Reply) else Reply(one) for one in replies]


def measured(name: str, judge: FakeJudge, case: Case = CASE) -> float | str | None:
    (score,) = {item.name: item for item in judged_by(judge)}[name].score([case])
    return score.reason if score.value is None else score.value


def test_the_measures_of_a_judge_are_those_it_names() -> None:
    assert tuple(item.name for item in judged_by(FakeJudge(str))) == NAMES


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [
        ([True, True], 1.0),
        # (1/1 + 2/3) / 2
        ([True, False, True], 5 / 6),
        # (1/2) / 1
        ([False, True], 1 / 2),
        ([False, False], 0.0),
    ],
)
def test_context_precision_by_hand(relevant: list[bool], expected: float) -> None:
    assert context_precision(relevant).value == pytest.approx(expected)


def test_context_precision_of_no_passages_is_unscored() -> None:
    assert context_precision([]).value is None
    assert (
        measured("context_precision", FakeJudge(str), Case("a", ("b",), EN, "Who?"))
        == "The texts of the passages are not given."
    )


def test_each_passage_is_judged_by_itself() -> None:
    judge = FakeJudge(lambda user: f"Verdict: {int('On radio.' in user)}")
    assert measured("context_precision", judge) == 1.0
    assert len(judge.prompts) == 2


def test_one_unreadable_verdict_leaves_context_precision_unscored() -> None:
    judge = FakeJudge(lambda user: "Verdict: 1" if "On radio." in user else "hm")
    assert measured("context_precision", judge) == "The judge's reply holds no score that can be read."


def test_the_prompt_of_an_aspect_has_its_name_the_question_and_the_answer() -> None:
    judge = FakeJudge(lambda user: "Score: 4")
    assert measured("g_eval_fluency", judge) == 4.0
    ((system, user, _),) = judge.prompts
    assert "Score: N" in system
    assert "Aspect: fluency" in user and "<<<Who invented radio?>>>" in user and "<<<Marconi>>>" in user


def test_consistency_is_judged_against_the_passages() -> None:
    judge = FakeJudge(lambda user: "Score: 2")
    assert measured("g_eval_consistency", judge) == 2.0
    assert "On radio." in judge.prompts[0][1]
    assert (
        measured("g_eval_consistency", judge, Case("a", ("b",), EN, "Who?"))
        == "The texts of the passages are not given."
    )


def test_the_mean_of_the_aspects_is_unscored_where_one_is() -> None:
    scores = {"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 5}

    def reply(user: str) -> str:
        return f"Score: {next(score for name, score in scores.items() if f'Aspect: {name}' in user)}"

    assert measured("g_eval", FakeJudge(reply)) == 11 / 4
    assert measured("g_eval", FakeJudge(lambda user: "?" if "fluency" in user else "Score: 1")) == (
        "The judge's reply holds no score that can be read."
    )


def test_the_mean_sends_no_prompt_again() -> None:
    judge = FakeJudge(lambda user: "Score: 3")
    for item in judged_by(judge):
        if item.name.startswith("g_eval"):
            item.score([CASE])
    assert len(judge.prompts) == 4


def test_instructions_and_correctness_are_verdicts() -> None:
    judge = FakeJudge(lambda user: "Verdict: 1" if "Be brief." in user else "Verdict: 0")
    assert measured("instruction_following", judge) == 1.0
    assert measured("correctness", judge) == 0.0
    assert "Guglielmo Marconi" not in judge.prompts[0][1] and "Guglielmo Marconi" in judge.prompts[1][1]


def test_the_reason_names_what_is_missing() -> None:
    bare = Case("Marconi", ("The",), EN)
    assert measured("instruction_following", FakeJudge(str), bare) == "The instructions are not given."
    assert measured("correctness", FakeJudge(str), bare) == "The question is not given."
    without_gold = Case("Marconi", ("The",), EN, "Who?")
    assert measured("correctness", FakeJudge(str), without_gold) == "No gold answer is left after normalisation."


def test_a_judge_that_fails_leaves_the_case_unscored() -> None:
    judge = FakeJudge(lambda user: Reply(failure="The server is busy."))
    assert measured("correctness", judge) == "The judge gave no reply: The server is busy."


def test_one_failure_does_not_affect_other_cases() -> None:
    judge = FakeJudge(lambda user: Reply(failure="Busy.") if "<<<b>>>" in user else "Verdict: 1")
    measures = {item.name: item for item in judged_by(judge)}
    cases = [Case(answer, ("x",), EN, "Who?") for answer in "abc"]
    assert [score.value for score in measures["correctness"].score(cases)] == [1.0, None, 1.0]


def test_a_reply_that_was_cut_before_its_verdict_is_unscored_for_that_reason() -> None:
    judge = FakeJudge(lambda user: Reply("Let me think about", cut=True))
    assert measured("correctness", judge) == "The judge's reply met its limit of tokens before it gave a score."
    assert measured("correctness", FakeJudge(lambda user: Reply("Verdict: 1. This is", cut=True))) == 1.0


def test_all_cases_of_a_batch_are_sent_together_and_equal_ones_once() -> None:
    judge = FakeJudge(lambda user: "Verdict: 1")
    measures = {item.name: item for item in judged_by(judge)}
    measures["correctness"].score([CASE, Case("another", ("x",), EN, "Who?"), CASE])
    assert judge.calls == 1 and len(judge.prompts) == 2


def test_what_failed_is_not_sent_again_by_the_mean() -> None:
    judge = FakeJudge(lambda user: Reply(failure="Busy."))
    for item in judged_by(judge):
        if item.name.startswith("g_eval"):
            item.score([CASE])
    assert len(judge.prompts) == 4


def test_braces_in_an_answer_are_not_read_as_placeholders() -> None:
    judge = FakeJudge(lambda user: "Verdict: 1")
    measured("correctness", judge, Case("{golds} {nothing}", ("x",), EN, "Who?"))
    assert "<<<{golds} {nothing}>>>" in judge.prompts[0][1]
