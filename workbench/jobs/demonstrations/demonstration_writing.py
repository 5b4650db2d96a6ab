"""Writing a set of demonstrations, in place or as a job that is stopped and gone on with.

Source: Ranaldi et al. (2025, D-RAG), section 2.5.2 and Appendix D. A strong model answers each question by D-RAG's own
recipe and prompt (Table 6), or for the control by plain RAG (Table 5) from the same documents. Then come the checks, a
batch at a time. Every call is a step of the cache, so that nothing is paid for twice. A call that fails leaves its
demonstration unwritten, with the reason, and the next run tries again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Event
from typing import Any

from workbench.app import Workbench
from workbench.core import Prompt, Task, UsageError, shorten, without_thinking
from workbench.data import Corpus, DatasetLibrary, Progress, checked_name, quiet
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
    DemonstrationPlan,
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
from workbench.jobs.review_store import WAITING, DraftProgress
from workbench.jobs.set_jobs import SetJobs, written_result
from workbench.pipeline import (
    EXTRACTIVE,
    PART_LABELS,
    Executor,
    Generate,
    Recipe,
    State,
    answer_value,
    bind,
    build_chain,
    parse,
)
from workbench.workspace import RunningJob, opened_store, verb

BATCH = 16
"""Demonstrations that are stored together."""
Answered = tuple[DemonstrationDraft, State]


@dataclass
class DemonstrationWriting:
    """The set called `name` under a request, new or begun before. Nothing is sent or stored before `write`.

    Raises UsageError for a name or a request that is not allowed.
    """

    bench: Workbench
    name: str
    request: DemonstrationRequest
    opening: Progress = quiet
    store: DemonstrationStore = field(init=False)
    plan: DemonstrationPlan = field(init=False)
    _library: DatasetLibrary = field(init=False)
    _corpus: Corpus = field(init=False)
    _is_begun: bool = field(init=False)

    def __post_init__(self) -> None:
        """Plans what is to be written."""
        checked_name(self.name, "set")
        self.store = DemonstrationStore(opened_store(self.bench.settings.database_url))
        self._library = DatasetLibrary(self.bench.settings.datasets)
        corpus = self.request.corpus or self._library.info(self.request.dataset).corpus
        if not corpus:
            raise UsageError(
                f"The dataset “{shorten(self.request.dataset)}” has no corpus to search: name one, for example: "
                "--corpus sample"
            )
        self._corpus = self.bench.corpus(corpus, self.opening)
        self._is_begun = self.store.continued(self.name, self.request) is not None
        if self._is_begun:
            self.plan = DemonstrationPlan(self.store.drafts(self.name, WAITING))
            return
        evaluation = [*self.request.evaluation, *evaluation_names(self.store, self._library)]
        self.plan = planned(self.name, self.request, self._corpus, self._library, evaluation)

    @property
    def sentence(self) -> str:
        """What writing the rest takes at most, where texts are sent, and which questions are left out."""
        waiting = sum(item.status == "unwritten" for item in self.plan.drafts)
        names = (self.request.generator, self.request.judge) if waiting else ()
        models = [name for name in names if name not in ("", EXTRACTIVE)]
        hosts = dict.fromkeys(host for name in models if (host := self.bench.registry.host(name)))
        where = f"Texts are sent to {', '.join(hosts)}." if hosts else "No text leaves this machine."
        calls = f"at most {waiting * len(models):,} calls of models"
        noun = "demonstration" if waiting == 1 else "demonstrations"
        return f"{waiting:,} {noun} to write: {calls}. {where} {self.plan.sentence}".strip()

    @verb("drafts.write", "{self.name}")
    def write(self, progress: Progress = quiet, stop: Event | None = None) -> DraftProgress:
        """Writes what is unwritten, and returns how far the set is then.

        Raises JobStopped once `stop` is set, and what making the models raises; what is stored by then stays.
        """
        if self.plan.drafts:
            if not self._is_begun:
                for name in self.request.evaluation:
                    self._library.keep_for_evaluation(name)
            if self.request.holdout and not self._is_begun:
                info = self._library.info(self.request.dataset)
                groups = holdout_groups(self._library, info, self.request)
                add_evaluation(self._library, info, f"{self.name}{SUFFIX}", groups)
            self.store.create(self.name, self.request, self._corpus.manifest.fingerprint, self.plan.drafts)
            executor = Executor(self.bench.cache, "isolate", stop or Event())
            waiting = self.store.drafts(self.name, WAITING)
            for done in range(0, len(waiting), BATCH):
                self.store.record(self._batch(waiting[done : done + BATCH], executor))
                progress("demonstrations", min(done + BATCH, len(waiting)), len(waiting))
        return self.store.progress(self.name)

    def _batch(self, drafts: Sequence[DemonstrationDraft], executor: Executor) -> list[DemonstrationDraft]:
        ended: list[DemonstrationDraft] = []
        answered: list[Answered] = []
        # The question is searched once for all kinds: their documents are steps of the cache.
        for recipe, some in groupby(sorted(drafts, key=lambda item: (item.kind, item.scope, item.k)), self._recipe):
            for draft, state in self._answered(recipe, list(some), executor):
                if draft.reason:
                    ended.append(draft)
                elif problem := self._problem(draft, state):
                    ended.append(_filtered(draft, problem))
                else:
                    answered.append((draft, state))
        return [*ended, *self._judged(answered, executor)]

    def _recipe(self, draft: DemonstrationDraft) -> Recipe:
        return recipe_for(self.request, self._corpus.manifest.name, draft.kind, draft.scope, draft.k)

    def _answered(self, recipe: Recipe, drafts: Sequence[DemonstrationDraft], executor: Executor) -> Iterator[Answered]:
        """Each draft with its text and documents, or the reason why a call failed; and the finished state."""
        manifest = self._corpus.manifest
        chain = build_chain(recipe, self.bench.registry.components(recipe, self._corpus))
        scopes = [recipe.searched(item.language, self._corpus.languages) for item in drafts]
        states = [State(item.question, item.language, scope) for item, scope in zip(drafts, scopes, strict=True)]
        for draft, row in zip(drafts, executor.run(chain, states), strict=True):
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

    def _judged(self, answered: Sequence[Answered], executor: Executor) -> Iterator[DemonstrationDraft]:
        if not self.request.judge or not answered:
            yield from (replace(draft, status="draft") for draft, _ in answered)
            return
        (stage,) = bind([Generate(self.bench.registry.judge(self.request.judge), name="judge demonstration")])
        nothing = Prompt("", "", Task("", ""))
        states = [
            State("", "", prompt=judge_prompt(state.prompt or nothing, draft.text, draft.answers))
            for draft, state in answered
        ]
        for (draft, _), outcome in zip(answered, executor.step(stage, states), strict=True):
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


@dataclass(frozen=True, slots=True)
class DemonstrationParameters:
    """The set that is written: its name and what it is asked for."""

    name: str
    request: DemonstrationRequest


class DemonstrationJobs(SetJobs):
    """The writing of demonstrations in a workspace."""

    kind = "demonstrations"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: DemonstrationRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for a name that is not allowed, and for a set that is being written.
        """
        return self.start_set(checked_name(name, "set"), DemonstrationParameters(name, request))


def run_demonstrations(task: RunningJob, parameters: DemonstrationParameters) -> Mapping[str, Any]:
    """Writes what is unwritten: drafts are stored a batch at a time, and replies are cached."""
    writing = DemonstrationWriting(Workbench(task.settings), parameters.name, parameters.request, task.progress)
    writing.write(task.progress, task.stop)
    return written_result(writing.store, parameters.name)
