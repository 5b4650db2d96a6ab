"""The judge of an experiment or of imported predictions: a generator whose replies are steps like any other.

A reply is cached by the judge's identity and the prompt, so a resumed job, a pilot before it and another experiment pay
for none twice. A failure is not cached, and leaves an answer without that score alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.components import Registry, check_name
from workbench.core import Evidence, Prompt, Task, UsageError, WorkbenchError, without_thinking
from workbench.experiments.results.answer_scoring import JudgeContext
from workbench.metrics import JudgePrompt, Measure, Reply, judged_by, judged_name, prompt_languages
from workbench.pipeline import EXTRACTIVE, Executor, Generate, State, StepOutcome, bind, list_documents

STAGE = "judge"
LEFT_OUT = "(the documents)"
"""Replaces the documents in instructions that are shown to a judge."""


def checked_judge(name: str) -> str:
    """`name` without white space around it. Raises UsageError where it names no generator that can judge."""
    judge = name.strip()
    if judge == EXTRACTIVE:
        raise UsageError(
            "The built-in reader is not a language model and cannot judge. Name another generator, for example: "
            "openai-like:MODEL@ENDPOINT"
        )
    if judge:
        check_name(judge, "generator")
    return judge


def judge_context(state: State) -> JudgeContext:
    """What a judge must see of a finished cell."""
    return JudgeContext(
        passages=tuple(_as_read(item) for item in state.evidence),
        instructions=_instructions(state.prompt) if state.prompt else "",
        output=without_thinking(state.generation.text) if state.generation else "",
    )


def judged_measures(judge: SharedJudge, judge_language: str) -> Mapping[str, Measure]:
    """The measures that a judge gives, each by the name that includes the judge's and the language it is asked in.

    `judge_language` is one of `judge.JudgeLanguage`; raises UsageError for another.
    """
    return {
        judged_name(item.name, judge.name, prompt_language): item
        for prompt_language in prompt_languages(judge_language)
        for item in judged_by(judge, prompt_language=prompt_language)
    }


class SharedJudge:
    """Implements `metrics.judge.Judge` by an executor that isolates failures.

    The generator is made when the first reply is needed. `prompt_tokens` and `completion_tokens` count what its replies
    took, whenever they were generated.
    """

    def __init__(self, name: str, home: Path, executor: Executor) -> None:
        self.name = name
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._home = home
        self._executor = executor

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        """One reply or failure per prompt, in order. Raises JobStopped."""
        states = [State("", "", prompt=Prompt(item.system, item.user, Task("", ""))) for item in prompts]
        try:
            (stage,) = bind([Generate(Registry(self._home).judge(self.name), name=STAGE)])
            return [self._reply(outcome) for outcome in self._executor.step(stage, states)]
        except WorkbenchError as error:
            # It is not on this machine, or cannot be loaded.
            return [Reply(failure=str(error)) for _ in prompts]

    def _reply(self, outcome: StepOutcome) -> Reply:
        if outcome.failure:
            return Reply(failure=outcome.failure)
        generation = outcome.state.generation
        if generation is None:
            return Reply()
        if generation.usage is not None:
            self.prompt_tokens += generation.usage.prompt_tokens
            self.completion_tokens += generation.usage.completion_tokens
        return Reply(generation.text, cut=generation.finish == "length")


def _as_read(item: Evidence) -> str:
    """A passage as the generator read it."""
    return f"{item.title}\n{item.text}" if item.title else item.text


def _instructions(prompt: Prompt) -> str:
    """The system prompt; for D-RAG with the user's turn, which it refers to, without the documents."""
    if not prompt.task.dialectic:
        return prompt.system
    documents = list_documents(prompt.task.evidence)
    turn = prompt.user.replace(documents, LEFT_OUT) if documents else prompt.user
    return f"{prompt.system}\n\n{turn}"
