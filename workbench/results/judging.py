"""The judge of an experiment or of a run from elsewhere: a generator whose replies are steps like any other.

A reply is found by the judge's identity and the prompt, so a job that goes on, a pilot before it and another experiment
pay for none twice. What failed is not kept, and leaves an answer without that score alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.components import makers
from workbench.components.parts import EXTRACTIVE
from workbench.errors import UsageError, WorkbenchError
from workbench.experiments.cells import Sharing
from workbench.metrics.judged.judge import JudgePrompt, Reply, judged_by
from workbench.metrics.judged.judge_names import judged_name
from workbench.metrics.measure import Measure
from workbench.pipeline.stages import Generate
from workbench.pipeline.state import State
from workbench.prompts.compose import list_documents
from workbench.records import Evidence, Prompt, Task
from workbench.results.answer_scoring import JudgeContext

STAGE = "judge"
LEFT_OUT = "(the documents)"
"""Stands for the documents in instructions that are shown to a judge."""


def checked_judge(name: str) -> str:
    """`name`, if it names a generator that can judge. Raises UsageError."""
    given = name.strip()
    if given == EXTRACTIVE:
        raise UsageError(
            "The built-in reader is no language model and cannot judge. Name another generator, for example: "
            "openai-like:MODEL@ENDPOINT"
        )
    if given:
        makers.check_name(given, "generator")
    return given


def seen(state: State) -> JudgeContext:
    """What a judge must see of a finished cell."""
    return JudgeContext(
        passages=tuple(_handed_over(item) for item in state.evidence),
        instructions=_instructions(state.prompt) if state.prompt else "",
        output=state.generation.text if state.generation else "",
    )


def judged_measures(judge: SharedJudge) -> Mapping[str, Measure]:
    """What a judge measures, each under the name that says who judged."""
    return {judged_name(item.name, judge.name): item for item in judged_by(judge)}


class SharedJudge:
    """Implements `metrics.judge.Judge`. The generator is made when it is first asked. `prompt_tokens` and
    `completion_tokens` count what its replies took, whenever they were given.
    """

    def __init__(self, name: str, home: Path, sharing: Sharing) -> None:
        self.name = name
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._home = home
        self._sharing = sharing

    def replies(self, asked: Sequence[JudgePrompt]) -> list[Reply]:
        """One reply or failure a prompt, in order. Raises StoppedError."""
        states = [State("", "", prompt=Prompt(one.system, one.user, Task("", ""))) for one in asked]
        try:
            stage = Generate(makers.judge(self.name, self._home), name=STAGE)
            return [self._reply(made) for made in self._sharing.made(stage, states)]
        except WorkbenchError as error:
            # It is not here, or cannot be loaded.
            return [Reply(failure=str(error)) for _ in asked]

    def _reply(self, made: State | str) -> Reply:
        if isinstance(made, str):
            return Reply(failure=made)
        given = made.generation
        if given is None:
            return Reply()
        if given.usage is not None:
            self.prompt_tokens += given.usage.prompt_tokens
            self.completion_tokens += given.usage.completion_tokens
        return Reply(given.text, cut=given.finish == "length")


def _handed_over(item: Evidence) -> str:
    """A passage as the generator read it."""
    return f"{item.passage.title}\n{item.text}" if item.passage.title else item.text


def _instructions(prompt: Prompt) -> str:
    """The system prompt; that of D-RAG asks to follow what stands in the user's turn, so that comes along."""
    if not prompt.task.dialectic:
        return prompt.system
    documents = list_documents(prompt.task.evidence)
    asked = prompt.user.replace(documents, LEFT_OUT) if documents else prompt.user
    return f"{prompt.system}\n\n{asked}"
