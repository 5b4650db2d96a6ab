"""Writing demonstrations: each question answered, then checked, then judged.

Source: Ranaldi et al. (2025, D-RAG), section 2.5.2 and Appendix D. A strong model answers each question by D-RAG's own
recipe and prompt (Table 6), or for the control by plain RAG (Table 5) from the same documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from threading import Event
from types import MappingProxyType

from workbench.core import Prompt, Task, UsageError, shorten, without_thinking
from workbench.data import Progress, checked_name, quiet
from workbench.jobs.demonstrations.demonstration_checks import (
    Problem,
    answer_problem,
    citation_problem,
    judge_prompt,
    problem_sentence,
    verdict_problem,
)
from workbench.jobs.demonstrations.demonstration_plan import (
    SUFFIX,
    add_evaluation,
    evaluation_names,
    holdout_groups,
    planned,
    recipe_for,
)
from workbench.jobs.demonstrations.demonstration_store import (
    LONGEST_TEXT,
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.review_store import DraftProgress
from workbench.jobs.set_writing import SetJobs, SetWriting, WritingParameters, sent_words
from workbench.pipeline import (
    EXTRACTIVE,
    PART_LABELS,
    Generate,
    Recipe,
    State,
    answer_value,
    bind,
    build_chain,
    parse,
)
from workbench.workspace import verb

Answered = tuple[DemonstrationDraft, State]


class DemonstrationWriting(SetWriting[DemonstrationDraft, DemonstrationRequest]):
    """A set of demonstrations, written from the questions of a dataset."""

    stores = DemonstrationStore
    noun = "demonstrations"
    left_out: Mapping[str, int] = MappingProxyType({})
    """Questions of a new set that are left out, by the reason."""

    def _corpus_name(self) -> str:
        checked_name(self.name, "set")
        if corpus := self.request.corpus or self.library.info(self.request.dataset).corpus:
            return corpus
        raise UsageError(
            f"The dataset “{shorten(self.request.dataset)}” has no corpus to search: name one, for example: "
            "--corpus sample"
        )

    def _planned(self) -> Sequence[DemonstrationDraft]:
        evaluation = [*self.request.evaluation, *evaluation_names(self.store, self.library)]
        drafts, self.left_out = planned(self.name, self.request, self.corpus, self.library, evaluation)
        return drafts

    @property
    def sentence(self) -> str:
        """What writing the rest takes at most, where texts are sent, and which questions are left out."""
        waiting = sum(item.status == "unwritten" for item in self.drafts)
        names = (self.request.generator, self.request.judge) if waiting else ()
        models = [name for name in names if name not in ("", EXTRACTIVE)]
        noun = "demonstration" if waiting == 1 else "demonstrations"
        left_out = "; ".join(f"{count:,} {why}" for why, count in self.left_out.items() if count)
        return (
            f"{waiting:,} {noun} to write: at most {waiting * len(models):,} calls of models. "
            f"{sent_words(self.hosts(models))}{f' Questions left out: {left_out}.' if left_out else ''}"
        )

    @verb("drafts.write", "{self.name}")
    def write(self, progress: Progress = quiet, stop: Event | None = None) -> DraftProgress:
        """As for every set; what is kept for evaluation is marked first."""
        if not self.is_begun:
            for name in self.request.evaluation:
                self.library.keep_for_evaluation(name)
            if self.request.holdout:
                info = self.library.info(self.request.dataset)
                groups = holdout_groups(self.library, info, self.request)
                add_evaluation(self.library, info, f"{self.name}{SUFFIX}", groups)
        return super().write(progress, stop)

    def _batch(self, drafts: Sequence[DemonstrationDraft]) -> list[DemonstrationDraft]:
        ended: list[DemonstrationDraft] = []
        answered: list[Answered] = []
        # The question is searched once for all kinds: their documents are steps of the cache.
        for recipe, some in groupby(sorted(drafts, key=lambda item: (item.kind, item.scope, item.k)), self._recipe):
            for draft, state in self._answered(recipe, list(some)):
                if draft.reason:
                    ended.append(draft)
                elif problem := self._problem(draft, state):
                    ended.append(_filtered(draft, problem))
                else:
                    answered.append((draft, state))
        return [*ended, *self._judged(answered)]

    def _recipe(self, draft: DemonstrationDraft) -> Recipe:
        return recipe_for(self.request, self.corpus.manifest.name, draft.kind, draft.scope, draft.k)

    def _answered(self, recipe: Recipe, drafts: Sequence[DemonstrationDraft]) -> Iterator[Answered]:
        """Each draft with its text and documents, or the reason why a call failed; and the finished state."""
        manifest = self.corpus.manifest
        chain = build_chain(recipe, self.bench.registry.components(recipe, self.corpus))
        scopes = [recipe.searched(item.language, self.corpus.languages) for item in drafts]
        states = [State(item.question, item.language, scope) for item, scope in zip(drafts, scopes, strict=True)]
        for draft, row in zip(drafts, self.executor.run(chain, states), strict=True):
            passages = tuple(
                SourcePassage(item.passage.id, item.title, item.language, item.text, manifest.licence, manifest.source)
                for item in row.state.evidence
            )
            text = _written_text(draft, row.state, shortened=self.request.generator == EXTRACTIVE)
            written = replace(draft, reason="", text=text, passages=passages)
            yield (replace(draft, reason=row.failure) if row.failure else written), row.state

    def _problem(self, draft: DemonstrationDraft, state: State) -> Problem | None:
        """What is wrong without any judge, the first in the paper's order."""
        generation = state.generation
        if state.prompt is None or generation is None or generation.abstains:
            return "nothing found", generation.note if generation else ""
        if generation.finish == "length" or len(draft.text) > LONGEST_TEXT:
            return "format", "The reply is longer than it may be."
        parts = state.prompt.task.dialectic
        return answer_problem(draft.text, parts, draft.answers, draft.language) or citation_problem(
            draft.text, draft.question, draft.evidence, self.bench.registry.identifier()
        )

    def _judged(self, answered: Sequence[Answered]) -> Iterator[DemonstrationDraft]:
        if not self.request.judge:
            yield from (replace(draft, status="draft") for draft, _ in answered)
            return
        (stage,) = bind([Generate(self.bench.registry.judge(self.request.judge), name="judge demonstration")])
        nothing = Prompt("", "", Task("", ""))
        prompts = [judge_prompt(state.prompt or nothing, draft.text, draft.answers) for draft, state in answered]
        for (draft, _), outcome in zip(answered, self.replies(stage, prompts), strict=True):
            generation = outcome.state.generation
            if outcome.failure or generation is None:
                # What was answered is in the cache; the judge is asked again by the next run.
                yield replace(draft, text="", passages=(), reason=outcome.failure)
            else:
                problem = verdict_problem(generation.text)
                yield _filtered(draft, problem) if problem else replace(draft, status="draft")


def _written_text(draft: DemonstrationDraft, state: State, *, shortened: bool) -> str:
    """What a generator wrote: a D-RAG answer with each part under its label, in the order in which it wrote them.

    `shortened`: the built-in reader answers with sentences, of which the value that was asked for remains.
    """
    output = without_thinking(state.generation.text)[: LONGEST_TEXT + 1] if state.generation else ""
    sections, documents = parse(output), [item.text for item in state.evidence]
    value = answer_value(sections.answer, draft.question, draft.language, documents) if shortened else ""
    if draft.kind == "rag" or not sections.present:
        return value or output
    bodies = {part: getattr(sections, part) for part in sections.present}
    if value and "answer" in bodies:
        bodies["answer"] = value
    return "\n\n".join(f"{PART_LABELS[part]}\n{body}".strip() for part, body in bodies.items())


def _filtered(draft: DemonstrationDraft, problem: Problem) -> DemonstrationDraft:
    return replace(draft, status="filtered", filter=problem[0], reason=problem_sentence(problem))


run_demonstrations = DemonstrationWriting.run
DemonstrationParameters = WritingParameters[DemonstrationRequest]


class DemonstrationJobs(SetJobs):
    """The writing of demonstrations in a workspace."""

    kind = "demonstrations"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: DemonstrationRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for a name that is not allowed, and for a set that is being written.
        """
        return self.start_set(checked_name(name, "set"), request)
