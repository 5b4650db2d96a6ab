"""Writing a set: each passage to the generator, then the filters, a batch at a time, each stored as it is finished.

Source: Singh et al. (n.d.), section 4.2, one question and a concise answer per passage; Kim et al. (2024), section
3.2.2, reviewed by people before they count. Every call is a step of the cache, so that nothing is paid for twice. A
call that fails leaves its passage unwritten, with the reason, and the next run tries again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.components import Registry, check_name, reference
from workbench.core import (
    Evidence,
    Generation,
    Generator,
    LanguageIdentifier,
    Passage,
    Prompt,
    Task,
    Usage,
    UsageError,
    shorten,
    without_thinking,
)
from workbench.jobs.question_generation.draft_reply import (
    copied_share,
    gives_answer,
    is_nothing,
    read_reply,
    writing_texts,
)
from workbench.jobs.question_generation.draft_store import FILTERS, Draft, DraftStore, FilterName, WritingRequest
from workbench.jobs.review_store import WAITING, DraftSet
from workbench.languages import ENGLISH
from workbench.models import PricedUsage, estimated_tokens, load_prices
from workbench.pipeline import EXTRACTIVE, BoundStage, Executor, Generate, State, bind
from workbench.workspace import batched

QUOTED = 200
"""Characters of a reply that a reason quotes."""
BATCH = 16
"""Drafts that are stored together."""
WRITTEN_TOKENS, ANSWER_TOKENS = 60, 15
"""Tokens that a question with its answer, and an answer alone, are expected to take, for the estimate of the cost."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class WritingPlan:
    """What writing the rest of a set takes, before anything is sent.

    `calls` is the most that are made: passages that a filter holds back take fewer. `tokens` are estimated for all
    calls. `hosts` receive the texts, () where they stay on this machine. `cost` is "" where no price is known.
    """

    passages: int
    calls: int
    tokens: Usage
    hosts: tuple[str, ...]
    cost: str = ""

    @property
    def sentence(self) -> str:
        """The plan for people."""
        noun = "passage" if self.passages == 1 else "passages"
        where = f"Texts are sent to {', '.join(self.hosts)}." if self.hosts else "No text leaves this machine."
        cost = f" About {self.cost}." if self.cost else ""
        return (
            f"{self.passages:,} {noun} to write from: at most {self.calls:,} calls, about "
            f"{self.tokens.prompt_tokens:,} tokens read and {self.tokens.completion_tokens:,} written.{cost} {where}"
        )


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


def writing_plan(drafts: Sequence[Draft], request: WritingRequest, home: Path) -> WritingPlan:
    """What writing these drafts takes. Raises UsageError for a component's name that means nothing."""
    by_reader = request.checker == EXTRACTIVE
    read = written = 0
    for item in drafts:
        texts = writing_texts(item.language)
        prompts = [texts.prompt("write", item.language, passage=_shown(item)), _recall(item)]
        prompts += [] if by_reader else [_from_passage(item)]
        read += sum(estimated_tokens(f"{prompt.system}\n{prompt.user}") for prompt in prompts)
        written += WRITTEN_TOKENS + ANSWER_TOKENS * (len(prompts) - 1)
    usage = Usage(read, written, estimated=True)
    registry = Registry(home)
    names = [request.generator] if by_reader else [request.generator, request.checker]
    hosts = tuple(dict.fromkeys(host for name in names if (host := registry.host(name))))
    model = reference(request.generator, "generator").model
    priced = load_prices(home).priced(model, usage) if len(set(names)) == 1 else None
    cost = priced.label if isinstance(priced, PricedUsage) else ""
    return WritingPlan(len(drafts), len(drafts) * (2 if by_reader else 3), usage, hosts, cost)


class DraftWriter:
    """Writes the drafts of a set that are unwritten."""

    def __init__(
        self, store: DraftStore, draft_set: DraftSet[WritingRequest], registry: Registry, executor: Executor
    ) -> None:
        """`executor` isolates failures. Raises UsageError, MissingError for a generator that cannot be made."""
        self._store = store
        self._set = draft_set
        self._executor = executor
        self._identifier: LanguageIdentifier = registry.identifier()
        request = draft_set.request
        self._languages = tuple(store.languages(draft_set.name))
        self._is_read = request.checker == EXTRACTIVE
        generator = registry.judge(request.generator)
        checker: Generator = registry.generator(EXTRACTIVE) if self._is_read else registry.judge(request.checker)
        self._stages: dict[str, BoundStage] = {}
        for name, component in (("write", generator), ("check", checker), ("recall", generator)):
            (self._stages[name],) = bind([Generate(component, name=f"{name} question")])

    def write(self, progress: Progress) -> Counter[str]:
        """Writes every unwritten draft; returns how many ended with each status.

        Raises JobStopped where the executor is stopped; what is stored by then stays.
        """
        waiting = self._store.drafts(self._set.name, WAITING)
        counts: Counter[str] = Counter()
        for some in batched(waiting, BATCH):
            outcomes = self._batch(list(some))
            self._store.record(outcomes)
            counts.update(item.status for item in outcomes)
            progress("questions", counts.total(), len(waiting))
        return counts

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
        prompts = [writing_texts(item.language).prompt("write", item.language, passage=_shown(item)) for item in drafts]
        return [self._read(*pair) for pair in self._replies("write", drafts, prompts)]

    def _read(self, draft: Draft, generation: Generation | None) -> Draft:
        if generation is None:
            return draft
        pair = read_reply(generation, writing_texts(draft.language))
        if pair.nothing:
            return _filtered(draft, "nothing to ask")
        if pair.problem:
            return _filtered(draft, "unreadable", f"{pair.problem} {_quoted(generation.text)}")
        draft = replace(draft, question=pair.question, answer=pair.answer)
        languages = sorted({draft.language, ENGLISH, *self._languages})
        detected = self._identifier(draft.question, languages)
        if detected not in ("", draft.language):
            return _filtered(draft, "language", f"The question is in {detected}, the passage in {draft.language}.")
        share, bound = copied_share(draft.question, _shown(draft)), self._set.request.wording_bound
        if share > bound:
            return _filtered(
                draft,
                "wording",
                f"{share:.0%} of the question's runs of words stand in the passage (bound {bound:.0%}).",
            )
        return draft

    def _answered_from_passage(self, drafts: Sequence[Draft]) -> list[Draft]:
        prompts = [_for_reader(item) if self._is_read else _from_passage(item) for item in drafts]
        return [
            self._checked(draft, generation, "not in passage")
            for draft, generation in self._replies("check", drafts, prompts)
        ]

    def _answered_without(self, drafts: Sequence[Draft]) -> list[Draft]:
        prompts = [_recall(item) for item in drafts]
        return [
            self._checked(draft, generation, "known") for draft, generation in self._replies("recall", drafts, prompts)
        ]

    def _checked(self, draft: Draft, generation: Generation | None, filter_: FilterName) -> Draft:
        """The draft after a reply to its question, which must give the answer from the passage and only then."""
        if generation is None:
            return draft
        reply = without_thinking(generation.text).strip()
        gives = not is_nothing(reply) and gives_answer(reply, draft.answer, draft.language)
        if gives == (filter_ == "not in passage"):
            return draft
        return _filtered(draft, filter_, _quoted(reply))

    def _replies(
        self, stage: str, drafts: Sequence[Draft], prompts: Sequence[Prompt]
    ) -> list[tuple[Draft, Generation | None]]:
        """Each draft with its reply; where the call failed, None and the draft as it was, with the reason."""
        states = [State("", "", prompt=prompt) for prompt in prompts]
        outcomes = self._executor.step(self._stages[stage], states) if states else []
        return [
            (_unwritten(draft, outcome.failure), None)
            if outcome.failure
            else (draft, outcome.state.generation or Generation(""))
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]


def _unwritten(draft: Draft, reason: str) -> Draft:
    return replace(draft, question="", answer="", reason=reason)


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


def _from_passage(draft: Draft) -> Prompt:
    values = {"passage": _shown(draft), "question": draft.question}
    return writing_texts(draft.language).prompt("answer", draft.language, **values)


def _recall(draft: Draft) -> Prompt:
    return writing_texts(draft.language).prompt("recall", draft.language, question=draft.question)


def _for_reader(draft: Draft) -> Prompt:
    """The question with its passage as the only evidence, which the built-in reader takes from the task."""
    passage = Passage(draft.passage, draft.passage, draft.title, draft.language, draft.text)
    return Prompt("", draft.question, Task(draft.question, draft.language, (Evidence(passage, 1),), draft.language))
