"""Judged metrics in experiments: a judge behind a real server that says what the test's script says."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tests.experiments.experiments import found, small, stored
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.errors import UsageError
from workbench.experiments.cells import StepCounts, StoppedError
from workbench.experiments.experiment import Experiment
from workbench.experiments.pilot import estimate, measure
from workbench.experiments.plan import plan
from workbench.metrics.judged.judge import CUT, UNREADABLE
from workbench.metrics.judged.judge_names import judged_name
from workbench.pipeline.state import State
from workbench.prompts import dialectic, render
from workbench.records import Evidence, Generation, Passage, Question, Task, Translation
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.judging import STAGE, checked_judge, seen
from workbench.results.result_store import MetricMean
from workbench.results.writer import CellResult
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

YES = "It names him.\nVerdict: 1"


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as ours:
        ours.script = lambda user: YES
        yield ours


def judge_at(url: str) -> str:
    return f"openai-like:m@{url}"


def judged(judge: str, **choices: object) -> Experiment:
    """One run over two English and two Finnish questions, judged for correctness."""
    return small(
        **{
            "modes": ["multirag"],
            "prompts": ["reply-short-en"],
            "metrics": ["flexible_em", "correctness"],
            "judge": judge,
            **choices,
        }
    )


def figures(workbench: Workbench, identity: str, metric: str) -> dict[str, MetricMean]:
    """By language."""
    engine = opened_store(workbench.settings.database_url)
    means = result_store.aggregate(engine, Filter(experiments=(identity,)), [metric], ["language"])
    return {item.key[0]: item for item in means}


def reasons(workbench: Workbench, identity: str, metric: str) -> list[tuple[str, int]]:
    engine = opened_store(workbench.settings.database_url)
    return result_store.unscored(engine, Filter(experiments=(identity,)), metric)


def failed(workbench: Workbench, identity: str) -> int:
    engine = opened_store(workbench.settings.database_url)
    return result_store.experiment(engine, identity).failed


def asked(server: MisbehavingServer) -> list[str]:
    """What the server was asked, the user's turns."""
    return [one.body["messages"][-1]["content"] for one in server.asked]


def test_readable_verdicts_become_means_and_others_are_unscored_with_their_reason(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    judge = judge_at(server.url("says"))
    identity, runner = stored(workbench, judged(judge))
    finnish = [question.text for question in runner.material.questions("sample", "fi")]
    server.script = lambda user: "hm" if any(text in user for text in finnish) else YES
    runner.run()
    metric = judged_name("correctness", judge)
    means = figures(workbench, identity, metric)
    assert (means["en"].mean, means["en"].n, means["en"].unscored) == (1.0, 2, 0)
    assert (means["fi"].mean, means["fi"].n, means["fi"].unscored) == (None, 0, 2)
    assert reasons(workbench, identity, metric) == [(UNREADABLE.reason, 2)]
    assert failed(workbench, identity) == 0


def test_the_name_of_a_figure_says_who_judged(workbench: Workbench, server: MisbehavingServer) -> None:
    judge = judge_at(server.url("says"))
    identity, runner = stored(workbench, judged(judge))
    runner.run()
    engine = opened_store(workbench.settings.database_url)
    assert result_store.metrics(engine, Filter(experiments=(identity,))) == [
        "flexible_em",
        judged_name("correctness", judge),
    ]


def test_a_reply_that_met_its_limit_says_so(workbench: Workbench, server: MisbehavingServer) -> None:
    server.script = lambda user: "The question asks for"
    judge = judge_at(server.url("says-cut"))
    identity, runner = stored(workbench, judged(judge, languages=["en"]))
    runner.run()
    assert reasons(workbench, identity, judged_name("correctness", judge)) == [(CUT.reason, 2)]


def test_a_judge_may_think_before_its_verdict(workbench: Workbench, server: MisbehavingServer) -> None:
    _, runner = stored(workbench, judged(judge_at(server.url("says")), languages=["en"]))
    runner.run()
    assert {one.body["max_tokens"] for one in server.asked} == {512}


def test_a_judge_that_is_down_costs_an_answer_only_that_score(workbench: Workbench) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    judge = judge_at(nowhere)
    identity, runner = stored(workbench, judged(judge))
    runner.run()
    assert failed(workbench, identity) == 0
    assert {code: item.n for code, item in figures(workbench, identity, "flexible_em").items()} == {"en": 2, "fi": 2}
    ((reason, count),) = reasons(workbench, identity, judged_name("correctness", judge))
    assert count == 4 and reason.startswith("The judge gave no reply: Nothing listens at")


def test_a_judge_that_is_not_here_costs_an_answer_only_that_score(workbench: Workbench) -> None:
    judge = "huggingface:/no/such/model"
    identity, runner = stored(workbench, judged(judge, languages=["en"]))
    runner.run()
    assert failed(workbench, identity) == 0
    ((reason, count),) = reasons(workbench, identity, judged_name("correctness", judge))
    assert count == 2 and "/no/such/model" in reason


def test_what_failed_is_asked_for_again_by_the_next_experiment_and_nothing_else_is(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    experiment = judged(judge_at(server.url("says")))
    _, runner = stored(workbench, experiment)
    refused = [question.text for question in runner.material.questions("sample", "fi")]
    server.script = lambda user: None if any(text in user for text in refused) else YES
    tally = runner.run()
    assert (tally.run[STAGE], tally.failed[STAGE]) == (2, 2)
    server.script = lambda user: YES
    server.asked.clear()
    again, second = stored(workbench, experiment)
    tally = second.run()
    assert (tally.run[STAGE], tally.found[STAGE]) == (2, 2)
    assert all(any(text in user for text in refused) for user in asked(server))
    metric = judged_name("correctness", experiment.judge)
    assert {item.n for item in figures(workbench, again, metric).values()} == {2}


def test_resumed_it_asks_the_judge_only_for_what_is_left(
    workbench: Workbench, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.inputs.QUESTIONS_A_BATCH", 1)
    experiment = judged(judge_at(server.url("says")))
    identity, runner = stored(workbench, experiment)

    def stop_when_judged(_phase: str, _done: int, _total: int, _tally: StepCounts) -> None:
        if server.asked:
            runner.stop.set()

    runner.on_batch = stop_when_judged
    with pytest.raises(StoppedError):
        runner.run()
    assert len(server.asked) == 1
    rest = replace(runner, on_batch=lambda *_: None)
    rest.stop.clear()
    rest.run()
    assert len(server.asked) == len(set(asked(server))) == 4
    whole, unbroken = stored(workbench, experiment)
    unbroken.run()
    assert len(server.asked) == 4
    assert found(workbench.settings, identity) == found(workbench.settings, whole)


def test_a_batch_that_was_killed_after_judging_is_not_judged_again(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    identity, runner = stored(workbench, judged(judge_at(server.url("says")), languages=["en"]))

    class KilledWhenJudged:
        def done(self, phase: int) -> set[int]:
            return runner.writer.done(phase)

        def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
            return runner.writer.answered(dataset, questions)

        def write(self, phase: int, batch: int, dataset: str, given: Sequence[CellResult]) -> None:
            if given:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(runner, writer=KilledWhenJudged()).run()
    assert found(workbench.settings, identity) == []
    runner.run()
    assert len(server.asked) == 2
    assert len(found(workbench.settings, identity)) == 2


def test_what_a_stop_cut_off_is_not_taken_for_a_failure(workbench: Workbench, server: MisbehavingServer) -> None:
    identity, runner = stored(workbench, judged(judge_at(server.url("says"))))

    def stop_then_reply(user: str) -> str:
        runner.stop.set()
        return YES

    server.script = stop_then_reply
    with pytest.raises(StoppedError):
        runner.run()
    assert all(cell[6] == "" for cell in found(workbench.settings, identity))
    server.script = lambda user: YES
    rest = replace(runner)
    rest.stop.clear()
    rest.run()
    means = figures(workbench, identity, judged_name("correctness", runner.material.experiment.judge))
    assert {code: (item.n, item.unscored) for code, item in means.items()} == {"en": (2, 0), "fi": (2, 0)}


def test_equal_answers_of_several_runs_are_judged_once(workbench: Workbench, server: MisbehavingServer) -> None:
    experiment = judged(
        judge_at(server.url("says")), languages=["en"], prompts=["reply-short-en", "reply-short-ul"], questions=1
    )
    _, runner = stored(workbench, experiment)
    assert runner.material.cells == 2
    runner.run()
    assert len(server.asked) == 1  # in English both prompts say the same


def test_a_judge_gets_the_passages_as_handed_over_and_the_instructions(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    metrics = ["g_eval_consistency", "context_precision", "instruction_following"]
    server.script = lambda user: "Score: 5" if "Aspect:" in user else YES
    experiment = judged(
        judge_at(server.url("says")), modes=["crossrag"], languages=["fi"], questions=1, k=2, metrics=metrics
    )
    identity, runner = stored(workbench, experiment)
    runner.run()
    (question,) = runner.material.questions("sample", "fi")
    (run,) = runner.material.runs
    alone = workbench.ask(question.text, "fi", run.recipe)
    texts = "\n".join(asked(server))
    assert all(item.passage.title in texts and item.text in texts for item in alone.evidence)
    assert any(f"Instructions: <<<{alone.prompt.system}>>>" in user for user in asked(server))
    for metric, mean in zip(metrics, [5.0, 1.0, 1.0], strict=True):
        assert figures(workbench, identity, judged_name(metric, experiment.judge))["fi"].mean == mean


PASSAGE = Passage("p", "d", "Radio", "fi", "Radion keksi Marconi.")
TRANSLATED = Evidence(PASSAGE, 1, translation=Translation("Marconi invented radio.", "fi", "en", "exact"))


def test_a_passage_is_shown_translated_where_the_generator_read_it_so() -> None:
    assert seen(State("Who?", "en", evidence=(TRANSLATED,))).passages == ("Radio\nMarconi invented radio.",)


def test_instructions_are_the_system_prompt_and_for_drag_what_it_refers_to_without_documents() -> None:
    plain = Task("Who?", "en", evidence=(TRANSLATED,))
    prompt = render("reply-short-en", plain).prompt
    assert seen(State("Who?", "en", prompt=prompt)).instructions == prompt.system
    parts = replace(plain, dialectic=dialectic.parts())
    told = seen(State("Who?", "en", prompt=dialectic.render(parts))).instructions
    assert "#Instructions" in told and "weigh the passages" in told
    assert "Marconi" not in told


def test_following_instructions_is_judged_by_all_that_was_written() -> None:
    state = State("Who?", "en", answer="Marconi", generation=Generation("#Answer\nMarconi"))
    assert seen(state).output == "#Answer\nMarconi"


def test_a_pilot_judges_too_and_the_whole_does_not_pay_for_it_again(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    experiment = judged(judge_at(server.url("says")))
    measured = measure(workbench, experiment)
    assert measured.judged == 4 and measured.each[STAGE] > 0
    assert (measured.prompt_tokens, measured.completion_tokens) == (4 * 11, 4 * 2)
    whole = plan(workbench, experiment)
    without = estimate(whole, replace(measured, judged=0)).seconds
    assert estimate(whole, measured).seconds == pytest.approx(without + 4 * measured.each[STAGE])
    _, runner = stored(workbench, experiment)
    runner.run()
    assert len(server.asked) == 4


def test_keys_of_the_judge_are_stored_nowhere(
    workbench: Workbench, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.components.endpoints import NamedEndpoint, save_endpoint

    monkeypatch.setenv("JUDGE_KEY", "sk-judge-1234567890abcdef")
    save_endpoint(workbench.settings.home, "judges", NamedEndpoint(url=server.url("unauthorised"), key="JUDGE_KEY"))
    identity, runner = stored(workbench, judged("openai-like:m@judges", languages=["en"]))
    runner.run()
    assert server.asked[0].headers["authorization"] == "Bearer sk-judge-1234567890abcdef"
    assert "sk-judge" not in json.dumps(found(workbench.settings, identity), default=str)
    assert "sk-judge" not in str(reasons(workbench, identity, "correctness@openai-like:m@judges"))


def test_the_built_in_reader_cannot_judge() -> None:
    with pytest.raises(UsageError, match="cannot judge"):
        checked_judge("extractive")
