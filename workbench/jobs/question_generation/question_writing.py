"""Writing questions: each passage to the generator, then the filters.

Source: Singh et al. (n.d.), section 4.2, one question and a concise answer per passage; Kim et al. (2024), section
3.2.2, reviewed by people before they count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.components import check_name, reference
from workbench.core import Evidence, Generation, Passage, Prompt, Task, Usage, UsageError, shorten, without_thinking
from workbench.data import DatasetLibrary
from workbench.jobs.question_generation.draft_reply import (
    copied_share,
    gives_answer,
    is_nothing,
    read_reply,
    writing_texts,
)
from workbench.jobs.question_generation.draft_store import FILTERS, Draft, DraftStore, FilterName, WritingRequest
from workbench.jobs.question_generation.passage_sample import sample_passages
from workbench.jobs.question_generation.written_dataset import check_name_free
from workbench.jobs.set_writing import SetJobs, SetWriting, WritingParameters, sent_words
from workbench.languages import ENGLISH
from workbench.models import PricedUsage, estimated_tokens, load_prices
from workbench.pipeline import EXTRACTIVE, BoundStage, Generate, bind
from workbench.workspace import verb

QUOTED = 200
"""Characters of a reply that a reason quotes."""
WRITTEN_TOKENS, ANSWER_TOKENS = 60, 15
"""Tokens that a question with its answer, and an answer alone, are expected to take, for the estimate of the cost."""


@dataclass(frozen=True, slots=True)
class WritingPlan:
    """What writing the rest of a set takes, before anything is sent.

    `calls` is the most that are made: passages that a filter holds back take fewer. `tokens` are estimated for all
    calls. `cost` is "" where no price is known; `hosts` receive the texts.
    """

    passages: int
    calls: int
    tokens: Usage
    cost: str
    hosts: tuple[str, ...]


def checked_writer(name: str) -> str:
    """`name` without white space around it. Raises UsageError where it names no generator that can write questions."""
    generator = name.strip()
    if generator in ("", EXTRACTIVE):
        raise UsageError(
            "The built-in reader is not a language model and cannot write questions. Name another generator, for "
            "example: openai-like:MODEL@ENDPOINT"
        )
    check_name(generator, "generator")
    return generator


def checked_checker(name: str) -> str:
    """`name` without white space around it, the built-in reader for "". Raises UsageError where it is no generator."""
    checker = name.strip() or EXTRACTIVE
    check_name(checker, "generator")
    return checker


class QuestionWriting(SetWriting[Draft, WritingRequest]):
    """A set of questions, written from passages of a corpus."""

    stores = DraftStore
    noun = "questions"

    def _corpus_name(self) -> str:
        check_name_free(self.library, self.name)
        return self.request.corpus

    def _planned(self) -> list[Draft]:
        return [
            Draft(self.name, number, item.id, item.title, item.text, item.language)
            for number, item in enumerate(sample_passages(self.corpus, self.request), start=1)
        ]

    @property
    def plan(self) -> WritingPlan:
        """What writing the rest takes. Raises UsageError for a component's name that means nothing."""
        by_reader = self.request.checker == EXTRACTIVE
        kinds = (_write, _recall) if by_reader else (_write, _recall, _from_passage)
        prompts = [kind(item) for item in self.drafts for kind in kinds]
        read = sum(estimated_tokens(f"{prompt.system}\n{prompt.user}") for prompt in prompts)
        written = len(self.drafts) * (WRITTEN_TOKENS + ANSWER_TOKENS * (len(kinds) - 1))
        usage = Usage(read, written, estimated=True)
        names = [self.request.generator] if by_reader else [self.request.generator, self.request.checker]
        model = reference(self.request.generator, "generator").model
        priced = load_prices(self.bench.settings.home).priced(model, usage) if len(set(names)) == 1 else None
        cost = priced.label if isinstance(priced, PricedUsage) else ""
        return WritingPlan(len(self.drafts), len(prompts), usage, cost, self.hosts(names))

    @property
    def sentence(self) -> str:
        """The plan for people."""
        plan = self.plan
        noun, cost = "passage" if plan.passages == 1 else "passages", f" About {plan.cost}." if plan.cost else ""
        return (
            f"{plan.passages:,} {noun} to write from: at most {plan.calls:,} calls, about "
            f"{plan.tokens.prompt_tokens:,} tokens read and {plan.tokens.completion_tokens:,} written.{cost} "
            f"{sent_words(plan.hosts)}"
        )

    @cached_property
    def _stages(self) -> dict[str, BoundStage]:
        registry, checker = self.bench.registry, self.request.checker
        generator = registry.judge(self.request.generator)
        checks = registry.generator(EXTRACTIVE) if checker == EXTRACTIVE else registry.judge(checker)
        models = {"write": generator, "check": checks, "recall": generator}
        return {name: bind([Generate(model, name=f"{name} question")])[0] for name, model in models.items()}

    @cached_property
    def _languages(self) -> list[str]:
        return sorted({ENGLISH, *(row[0] for row in self.store.counts(self.name))})

    def _batch(self, drafts: Sequence[Draft]) -> list[Draft]:
        # A reason is that of a call that failed: in an earlier run, or at an earlier step of this one.
        current = {item.number: replace(item, reason="") for item in drafts}
        for step in (self._written, self._answered_from_passage, self._answered_without):
            going = [item for item in current.values() if item.status == "unwritten" and not item.reason]
            current.update({item.number: item for item in step(going)})
        return [
            replace(item, status="draft") if item.status == "unwritten" and not item.reason else item
            for item in current.values()
        ]

    def _written(self, drafts: Sequence[Draft]) -> list[Draft]:
        return [self._read(*pair) for pair in self._replied("write", drafts, map(_write, drafts))]

    def _read(self, draft: Draft, generation: Generation | None) -> Draft:
        if generation is None:
            return draft
        pair = read_reply(generation, writing_texts(draft.language))
        if pair.nothing:
            return _filtered(draft, "nothing to ask")
        if pair.problem:
            return _filtered(draft, "unreadable", f"{pair.problem} {_quoted(generation.text)}")
        draft = replace(draft, question=pair.question, answer=pair.answer)
        detected = self.bench.registry.identifier()(draft.question, self._languages)
        if detected not in ("", draft.language):
            return _filtered(draft, "language", f"The question is in {detected}, the passage in {draft.language}.")
        share, bound = copied_share(draft.question, _shown(draft)), self.request.wording_bound
        if share > bound:
            return _filtered(
                draft,
                "wording",
                f"{share:.0%} of the question's runs of words stand in the passage (bound {bound:.0%}).",
            )
        return draft

    def _answered_from_passage(self, drafts: Sequence[Draft]) -> list[Draft]:
        prompts = map(_for_reader if self.request.checker == EXTRACTIVE else _from_passage, drafts)
        return [self._checked(*pair, "not in passage") for pair in self._replied("check", drafts, prompts)]

    def _answered_without(self, drafts: Sequence[Draft]) -> list[Draft]:
        return [self._checked(*pair, "known") for pair in self._replied("recall", drafts, map(_recall, drafts))]

    def _checked(self, draft: Draft, generation: Generation | None, filter_: FilterName) -> Draft:
        """The draft after a reply to its question, which must give the answer from the passage and only then."""
        if generation is None:
            return draft
        reply = without_thinking(generation.text).strip()
        gives = not is_nothing(reply) and gives_answer(reply, draft.answer, draft.language)
        if gives == (filter_ == "not in passage"):
            return draft
        return _filtered(draft, filter_, _quoted(reply))

    def _replied(
        self, stage: str, drafts: Sequence[Draft], prompts: Iterable[Prompt]
    ) -> list[tuple[Draft, Generation | None]]:
        """Each draft with its reply; where the call failed, None and the draft as it was, with the reason."""
        outcomes = zip(drafts, self.replies(self._stages[stage], prompts), strict=True)
        return [
            (replace(draft, question="", answer="", reason=outcome.failure), None)
            if outcome.failure
            else (draft, outcome.state.generation or Generation(""))
            for draft, outcome in outcomes
        ]


def _filtered(draft: Draft, filter_: FilterName, detail: str = "") -> Draft:
    sentence = FILTERS[filter_]
    return replace(
        draft,
        status="filtered",
        filter=filter_,
        reason=f"{sentence[0].upper()}{sentence[1:]}. {detail}".strip(),
    )


def _quoted(reply: str) -> str:
    text = shorten(" ".join(reply.split()), QUOTED)
    return f"The reply was: “{text}”." if text else "The reply was empty."


def _shown(draft: Draft) -> str:
    """The passage as the generator reads it, with its title."""
    return f"{draft.title}\n{draft.text}" if draft.title else draft.text


def _write(draft: Draft) -> Prompt:
    return writing_texts(draft.language).prompt("write", draft.language, passage=_shown(draft))


def _from_passage(draft: Draft) -> Prompt:
    texts = writing_texts(draft.language)
    return texts.prompt("answer", draft.language, passage=_shown(draft), question=draft.question)


def _recall(draft: Draft) -> Prompt:
    return writing_texts(draft.language).prompt("recall", draft.language, question=draft.question)


def _for_reader(draft: Draft) -> Prompt:
    """The question with its passage as the only evidence, which the built-in reader takes from the task."""
    passage = Passage(draft.passage, draft.passage, draft.title, draft.language, draft.text)
    return Prompt("", draft.question, Task(draft.question, draft.language, (Evidence(passage, 1),), draft.language))


run_writing = QuestionWriting.run
QuestionParameters = WritingParameters[WritingRequest]


class WritingJobs(SetJobs):
    """The writing of questions in a workspace."""

    kind = "writing"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: WritingRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for names that are not allowed, and for a set that is being written.
        """
        check_name_free(DatasetLibrary(self.settings.datasets), name)
        checked_writer(request.generator)
        checked_checker(request.checker)
        return self.start_set(name, request)
