"""Judged metrics in experiments: a judge behind a real server that says what the test's script says."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tests.experiments.experiments import answer_rows, small, stored
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.core.stopping import JobStopped
from workbench.experiments.experiment import Experiment
from workbench.experiments.planning import estimate, measure, plan
from workbench.experiments.results.queries.aggregates import MetricMean
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.scoring import STAGE
from workbench.experiments.results.writer import CellResult
from workbench.metrics.judged.judge import CUT, UNREADABLE, judged_name
from workbench.pipeline.executor import StepCounts

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
            "judge_language": "en",
            **choices,
        }
    )


def results(workbench: Workbench, experiment_id: str) -> ResultView:
    return ResultStore.at(workbench.settings.database_url).of(experiment_id)


def means_by_language(workbench: Workbench, experiment_id: str, metric: str) -> dict[str, MetricMean]:
    means = results(workbench, experiment_id).means([metric], ["language"])
    return {item.key[0]: item for item in means}


def reasons(workbench: Workbench, experiment_id: str, metric: str) -> list[tuple[str, int]]:
    return results(workbench, experiment_id).unscored(metric)


def failed(workbench: Workbench, experiment_id: str) -> int:
    return results(workbench, experiment_id).count(failed=True)


def requested_texts(server: MisbehavingServer) -> list[str]:
    """The user's turns of the requests to the server."""
    return [one.body["messages"][-1]["content"] for one in server.requests]


def test_readable_verdicts_become_means_and_others_are_unscored_with_their_reason(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    judge = judge_at(server.url("says"))
    experiment_id, runner = stored(workbench, judged(judge))
    finnish = [question.text for question in runner.inputs.questions("sample", "fi")]
    server.script = lambda user: "hm" if any(text in user for text in finnish) else YES
    runner.run()
    metric = judged_name("correctness", judge)
    means = means_by_language(workbench, experiment_id, metric)
    assert (means["en"].mean, means["en"].n, means["en"].unscored) == (1.0, 2, 0)
    assert (means["fi"].mean, means["fi"].n, means["fi"].unscored) == (None, 0, 2)
    assert reasons(workbench, experiment_id, metric) == [(UNREADABLE.reason, 2)]
    assert failed(workbench, experiment_id) == 0


def test_the_name_of_a_figure_says_who_judged(workbench: Workbench, server: MisbehavingServer) -> None:
    judge = judge_at(server.url("says"))
    experiment_id, runner = stored(workbench, judged(judge))
    runner.run()
    assert results(workbench, experiment_id).metrics() == ["flexible_em", judged_name("correctness", judge)]


def test_a_judge_is_asked_in_both_languages_and_their_replies_are_kept_apart(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    server.script = lambda user: "Ratkaisu: ei" if "Kysymys:" in user else YES
    judge = judge_at(server.url("says"))
    experiment_id, runner = stored(workbench, judged(judge, judge_language="both"))
    runner.run()
    english, answer = (
        means_by_language(workbench, experiment_id, judged_name("correctness", judge, prompt_language))
        for prompt_language in ("en", "answer")
    )
    assert (english["fi"].mean, answer["fi"].mean, answer["fi"].unscored) == (1.0, 0.0, 0)
    # English answers are asked about in English both times: those replies are the same step.
    assert len(server.requests) == 2 + 2 * 2
    assert (english["en"].mean, answer["en"].mean) == (1.0, 1.0)


def test_a_reply_that_met_its_limit_says_so(workbench: Workbench, server: MisbehavingServer) -> None:
    server.script = lambda user: "The question asks for"
    judge = judge_at(server.url("says-cut"))
    experiment_id, runner = stored(workbench, judged(judge, languages=["en"]))
    runner.run()
    assert reasons(workbench, experiment_id, judged_name("correctness", judge)) == [(CUT.reason, 2)]


def test_a_judge_may_think_before_its_verdict(workbench: Workbench, server: MisbehavingServer) -> None:
    _, runner = stored(workbench, judged(judge_at(server.url("says")), languages=["en"]))
    runner.run()
    assert {one.body["max_tokens"] for one in server.requests} == {512}


def test_a_judge_that_is_down_costs_an_answer_only_that_score(workbench: Workbench) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    judge = judge_at(nowhere)
    experiment_id, runner = stored(workbench, judged(judge))
    runner.run()
    assert failed(workbench, experiment_id) == 0
    assert {code: item.n for code, item in means_by_language(workbench, experiment_id, "flexible_em").items()} == {
        "en": 2,
        "fi": 2,
    }
    ((reason, count),) = reasons(workbench, experiment_id, judged_name("correctness", judge))
    assert count == 4 and reason.startswith("The judge gave no reply: Nothing listens at")


def test_a_judge_that_is_not_here_costs_an_answer_only_that_score(workbench: Workbench) -> None:
    judge = "huggingface:/no/such/model"
    experiment_id, runner = stored(workbench, judged(judge, languages=["en"]))
    runner.run()
    assert failed(workbench, experiment_id) == 0
    ((reason, count),) = reasons(workbench, experiment_id, judged_name("correctness", judge))
    assert count == 2 and "/no/such/model" in reason


def test_what_failed_and_nothing_else_is_judged_again_by_the_next_experiment(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    experiment = judged(judge_at(server.url("says")))
    _, runner = stored(workbench, experiment)
    refused = [question.text for question in runner.inputs.questions("sample", "fi")]
    server.script = lambda user: None if any(text in user for text in refused) else YES
    counts = runner.run()
    assert (counts.ran[STAGE], counts.failed[STAGE]) == (2, 2)
    server.script = lambda user: YES
    server.requests.clear()
    again, second = stored(workbench, experiment)
    counts = second.run()
    assert (counts.ran[STAGE], counts.from_cache[STAGE]) == (2, 2)
    assert all(any(text in user for text in refused) for user in requested_texts(server))
    metric = judged_name("correctness", experiment.judge)
    assert {item.n for item in means_by_language(workbench, again, metric).values()} == {2}


def test_resumed_it_asks_the_judge_only_for_what_is_left(
    workbench: Workbench, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.inputs.QUESTIONS_PER_BATCH", 1)
    experiment = judged(judge_at(server.url("says")))
    experiment_id, runner = stored(workbench, experiment)

    def stop_when_judged(_phase: str, _done: int, _total: int, _counts: StepCounts) -> None:
        if server.requests:
            runner.stop.set()

    runner.on_batch = stop_when_judged
    with pytest.raises(JobStopped):
        runner.run()
    assert len(server.requests) == 1
    rest = replace(runner, on_batch=lambda *_: None)
    rest.stop.clear()
    rest.run()
    assert len(server.requests) == len(set(requested_texts(server))) == 4
    whole, unbroken = stored(workbench, experiment)
    unbroken.run()
    assert len(server.requests) == 4
    assert answer_rows(workbench.settings, experiment_id) == answer_rows(workbench.settings, whole)


def test_a_batch_that_was_killed_after_judging_is_not_judged_again(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    experiment_id, runner = stored(workbench, judged(judge_at(server.url("says")), languages=["en"]))

    class KilledWhenJudged:
        def done(self, phase: str) -> set[int]:
            return runner.writer.done(phase)

        def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
            return runner.writer.answered(dataset, questions)

        def write(self, phase: str, batch: int, dataset: str, given: Sequence[CellResult]) -> None:
            if given:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(runner, writer=KilledWhenJudged()).run()
    assert answer_rows(workbench.settings, experiment_id) == []
    runner.run()
    assert len(server.requests) == 2
    assert len(answer_rows(workbench.settings, experiment_id)) == 2


def test_what_a_stop_cut_off_is_not_taken_for_a_failure(workbench: Workbench, server: MisbehavingServer) -> None:
    experiment_id, runner = stored(workbench, judged(judge_at(server.url("says"))))

    def stop_then_reply(user: str) -> str:
        runner.stop.set()
        return YES

    server.script = stop_then_reply
    with pytest.raises(JobStopped):
        runner.run()
    assert all(cell[6] == "" for cell in answer_rows(workbench.settings, experiment_id))
    server.script = lambda user: YES
    rest = replace(runner)
    rest.stop.clear()
    rest.run()
    means = means_by_language(workbench, experiment_id, judged_name("correctness", runner.inputs.experiment.judge))
    assert {code: (item.n, item.unscored) for code, item in means.items()} == {"en": (2, 0), "fi": (2, 0)}


def test_equal_answers_of_several_runs_are_judged_once(workbench: Workbench, server: MisbehavingServer) -> None:
    experiment = judged(
        judge_at(server.url("says")), languages=["en"], prompts=["reply-short-en", "reply-short-ul"], questions=1
    )
    _, runner = stored(workbench, experiment)
    assert runner.inputs.cells == 2
    runner.run()
    assert len(server.requests) == 1  # in English both prompts say the same


def test_a_judge_gets_the_passages_as_handed_over_and_the_instructions(
    workbench: Workbench, server: MisbehavingServer
) -> None:
    metrics = ["g_eval_consistency", "context_precision", "instruction_following"]
    server.script = lambda user: "Score: 5" if "Aspect:" in user else YES
    experiment = judged(
        judge_at(server.url("says")), modes=["crossrag"], languages=["fi"], questions=1, k=2, metrics=metrics
    )
    experiment_id, runner = stored(workbench, experiment)
    runner.run()
    (question,) = runner.inputs.questions("sample", "fi")
    (run,) = runner.inputs.runs
    alone = workbench.ask(question.text, "fi", run.recipe)
    texts = "\n".join(requested_texts(server))
    assert all(item.title in texts and item.text in texts for item in alone.evidence)
    assert any(f"Instructions: <<<{alone.prompt.system}>>>" in user for user in requested_texts(server))
    for metric, mean in zip(metrics, [5.0, 1.0, 1.0], strict=True):
        assert means_by_language(workbench, experiment_id, judged_name(metric, experiment.judge))["fi"].mean == mean


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
    assert len(server.requests) == 4


def test_keys_of_the_judge_are_stored_nowhere(
    workbench: Workbench, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.components.endpoint_file import NamedEndpoint, save_endpoint

    monkeypatch.setenv("JUDGE_API_KEY", "sk-judge-1234567890abcdef")
    save_endpoint(workbench.settings.home, "judges", NamedEndpoint(url=server.url("unauthorised"), key="JUDGE_API_KEY"))
    experiment_id, runner = stored(workbench, judged("openai-like:m@judges", languages=["en"]))
    runner.run()
    assert server.requests[0].headers["authorization"] == "Bearer sk-judge-1234567890abcdef"
    assert "sk-judge" not in json.dumps(answer_rows(workbench.settings, experiment_id), default=str)
    assert "sk-judge" not in str(reasons(workbench, experiment_id, "correctness@openai-like:m@judges"))
