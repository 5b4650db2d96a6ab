"""A set of demonstrations from beginning to end: planned, written in place or as a job, imported, and made a file."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Literal

from workbench.app import Workbench
from workbench.core import Prompt, Task, UsageError, shorten
from workbench.data import Corpus, DatasetLibrary, Progress, checked_name, quiet
from workbench.jobs.demonstrations.demonstration_checks import translation_instruction
from workbench.jobs.demonstrations.demonstration_file import (
    ChatMessage,
    Demonstration,
    DemonstrationKind,
    DemonstrationPassage,
    read_demonstrations,
)
from workbench.jobs.demonstrations.demonstration_plan import DemonstrationPlan, evaluation_names, planned
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.demonstrations.demonstration_writer import RAG_PROMPT, DemonstrationWriter
from workbench.jobs.demonstrations.evaluation_split import SUFFIX, EvaluationQuestions, add_evaluation, holdout_groups
from workbench.jobs.review_store import COUNTED, WAITING, DraftProgress, Status
from workbench.jobs.set_jobs import SetJobs
from workbench.pipeline import (
    EXTRACTIVE,
    OPTIONAL,
    PART_LABELS,
    Compose,
    ComposeDialectic,
    Dialectic,
    Executor,
    State,
    parse,
)
from workbench.workspace import RunningJob, opened_store, verb


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
    _corpus: Corpus = field(init=False)

    @property
    def _library(self) -> DatasetLibrary:
        return DatasetLibrary(self.bench.settings.datasets)

    def __post_init__(self) -> None:
        """Plans what is to be written."""
        checked_name(self.name, "set")
        self.store = DemonstrationStore(opened_store(self.bench.settings.database_url))
        library = self._library
        corpus = self.request.corpus or library.info(self.request.dataset).corpus
        if not corpus:
            raise UsageError(
                f"The dataset “{shorten(self.request.dataset)}” has no corpus to search: name one, for example: "
                "--corpus sample"
            )
        self._corpus = self.bench.corpus(corpus, self.opening)
        if self.store.continued(self.name, self.request):
            self.plan = DemonstrationPlan(tuple(self.store.drafts(self.name, WAITING)))
            return
        evaluation = [*self.request.evaluation, *evaluation_names(self.store, library)]
        self.plan = planned(self.name, self.request, self._corpus, library, evaluation)

    @property
    def sentence(self) -> str:
        """What writing the rest takes at most, where texts are sent, and which questions are left out."""
        waiting = sum(item.status == "unwritten" for item in self.plan.drafts)
        models = [name for name in (self.request.generator, self.request.judge) if waiting and name]
        models = [name for name in models if name != EXTRACTIVE]
        hosts = dict.fromkeys(host for name in models if (host := self.bench.registry.host(name)))
        where = f"Texts are sent to {', '.join(hosts)}." if hosts else "No text leaves this machine."
        calls = f"at most {waiting * len(models):,} calls of models"
        return f"{waiting:,} demonstrations to write: {calls}. {where} {self.plan.sentence}".strip()

    @verb("drafts.write", "{self.name}")
    def write(self, progress: Progress = quiet, stop: Event | None = None) -> DraftProgress:
        """Writes what is unwritten, and returns how far the set is then.

        Raises JobStopped once `stop` is set, and what making the models raises; what is stored by then stays.
        """
        if self.plan.drafts:
            if self.request.holdout:
                info = self._library.info(self.request.dataset)
                groups = holdout_groups(self._library, info, self.request.holdout, self.request.seed)
                add_evaluation(self._library, info, f"{self.name}{SUFFIX}", groups)
            version = self._corpus.manifest.fingerprint
            draft_set = self.store.create(self.name, self.request, version, self.plan.drafts)
            executor = Executor(self.bench.cache, "isolate", stop or Event())
            DemonstrationWriter(self.store, draft_set, self.bench, self._corpus, executor).write(progress)
        return self.store.progress(self.name)


@dataclass(frozen=True, slots=True)
class DemonstrationParameters:
    """The set that is written: its name and what it is asked for."""

    name: str
    request: DemonstrationRequest


class DemonstrationJobs(SetJobs):
    """The writing of demonstrations in a workspace.

    Results have `to_review` and `filtered`, which count the set's drafts, `unwritten` ones whose calls failed, and the
    `reason` why the first of them did.
    """

    kind = "demonstrations"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: DemonstrationRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for a name that is not allowed, and for a set that is being written.
        """
        checked_name(name, "set")
        return self.start_set(name, DemonstrationParameters(name, request))


def run_demonstrations(task: RunningJob, parameters: DemonstrationParameters) -> Mapping[str, Any]:
    """Writes what is unwritten: drafts are stored a batch at a time, and replies are cached."""
    writing = DemonstrationWriting(Workbench(task.settings), parameters.name, parameters.request, task.progress)
    state = writing.write(task.progress, task.stop)
    reasons = [item.reason for item in writing.store.drafts(parameters.name, WAITING) if item.reason]
    return {
        "to_review": state.count("draft"),
        "filtered": state.count("filtered"),
        "unwritten": state.failed,
        "reason": reasons[0] if reasons else "",
    }


PromptKind = Literal["rag", "drag"]
"""Which prompt an answer by D-RAG follows: that of plain RAG (Table 5) or its own (Table 6)."""
PASSED: tuple[Status, ...] = ("draft", *COUNTED)
"""What becomes part of a file: what passed every filter or was accepted by a person, and nobody rejected."""


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What of a set becomes a file, and how. `kinds` and `languages` () stand for all.

    `prompt` is that of the answers by D-RAG: the paper tunes its models for the prompt of plain RAG (section 3.4).
    `without` names D-RAG's parts to leave out, and `mixed` puts those before the answer in random order by `seed`
    (Figure 2). `reviewed`: only what a person accepted. `paired`: only what was demonstrated by D-RAG and by plain RAG,
    from the same documents, for a control on equal terms.
    """

    kinds: tuple[DemonstrationKind, ...] = ()
    languages: tuple[str, ...] = ()
    prompt: PromptKind = "rag"
    without: tuple[str, ...] = ()
    mixed: bool = False
    seed: int = 0
    reviewed: bool = False
    paired: bool = False


def demonstrations_of(store: DemonstrationStore, name: str, choices: FileChoices) -> Iterator[Demonstration]:
    """The demonstrations of a set as a file has them, by number. Raises UsageError for an unknown set or part."""
    store.set_called(name)
    for part in choices.without:
        if part not in OPTIONAL:
            raise UsageError(f"The part “{shorten(part)}” cannot be left out. Allowed: {', '.join(OPTIONAL)}.")
    drafts = store.drafts(name, COUNTED if choices.reviewed else PASSED)
    kinds: dict[tuple[str, ...], set[str]] = {}
    for item in drafts:
        kinds.setdefault(_search(item), set()).add(item.kind)
    for item in drafts:
        is_kind = not choices.kinds or item.kind in choices.kinds
        is_language = not choices.languages or item.language in choices.languages
        is_paired = not choices.paired or kinds[_search(item)] >= {"drag", "rag"}
        if is_kind and is_language and is_paired:
            yield _demonstration(item, choices)


def _search(item: DemonstrationDraft) -> tuple[str, ...]:
    """What determines the documents of a draft."""
    return item.dataset, item.group, item.language, item.scope, str(item.k)


def _demonstration(item: DemonstrationDraft, choices: FileChoices) -> Demonstration:
    passages = [
        DemonstrationPassage(id=one.id, title=one.title, language=one.language, licence=one.licence, source=one.source)
        for one in item.passages
    ]
    return Demonstration(
        prompt=list(item.prompt) or _messages(prompt_of(item, choices)),
        completion=[ChatMessage(role="assistant", content=_completion(item, choices))],
        id=item.id,
        group=item.group,
        language=item.language,
        kind=item.kind,
        dataset=item.dataset,
        question=item.question,
        answers=list(item.answers),
        passages=passages,
    )


def prompt_of(item: DemonstrationDraft, choices: FileChoices) -> Prompt:
    """The prompt that a draft answers, rendered from its documents."""
    if item.kind == "translation":
        return Prompt(translation_instruction(item.language), item.question, Task("", ""))
    state = State(item.question, item.language, evidence=item.evidence)
    if item.kind == "drag" and choices.prompt == "drag":
        options = Dialectic.model_validate({part: part not in choices.without for part in OPTIONAL})
        return ComposeDialectic(options).one(state).prompt or Prompt("", "", Task("", ""))
    return Compose(RAG_PROMPT, user_turn="en").one(state).prompt or Prompt("", "", Task("", ""))


def _messages(prompt: Prompt) -> list[ChatMessage]:
    return [ChatMessage(role="system", content=prompt.system), ChatMessage(role="user", content=prompt.user)]


def _completion(item: DemonstrationDraft, choices: FileChoices) -> str:
    sections = parse(item.text) if item.kind == "drag" and (choices.without or choices.mixed) else None
    if sections is None or not sections.present:
        return item.text
    parts = [part for part in sections.present if part not in (*choices.without, "answer")]
    if choices.mixed:
        random.Random(f"{choices.seed} {item.id}").shuffle(parts)  # noqa: S311 - an order, not a secret
    return "\n\n".join(f"{PART_LABELS[part]}\n{getattr(sections, part)}" for part in (*parts, "answer"))


@verb("drafts.write", "{name}")
def import_demonstrations(
    store: DemonstrationStore, library: DatasetLibrary, path: Path, name: str, evaluation: Sequence[str] = ()
) -> int:
    """Stores the demonstrations of a file as a set, to be reviewed and written unchanged; returns their number.

    Raises UsageError where a question or a translation of it is in an evaluation dataset: one of `evaluation`, or that
    of any set here. Raises as `read_demonstrations` does, and for a set of that name.
    """
    checked_name(name, "set")
    if any(item.name == name for item in store.sets()):
        raise UsageError(f"There is a set “{name}” already. Choose another name, for example: {name[:60]}-2")
    demonstrations = read_demonstrations(path)
    check_not_evaluated(demonstrations, EvaluationQuestions(library, [*evaluation, *evaluation_names(store, library)]))
    drafts = [_imported(name, number, item) for number, item in enumerate(demonstrations, start=1)]
    request = DemonstrationRequest("", file=path.name, evaluation=tuple(evaluation))
    store.create(name, request, "", drafts)
    return len(drafts)


def check_not_evaluated(demonstrations: Iterable[Demonstration], evaluation: EvaluationQuestions) -> None:
    """Raises UsageError for the first demonstration of a question that is evaluated, itself or in translation."""
    for item in demonstrations:
        if dataset := evaluation.dataset_with(item.dataset, item.group, item.language, item.question):
            raise UsageError(
                f"The demonstration “{shorten(item.id)}” is of a question that is in the evaluation dataset "
                f"“{dataset}”, itself or in translation, so nothing was imported: take the question out of one of them."
            )


def _imported(name: str, number: int, item: Demonstration) -> DemonstrationDraft:
    passages = tuple(
        SourcePassage(one.id, one.title, one.language, "", one.licence, one.source) for one in item.passages
    )
    return DemonstrationDraft(
        name, number, item.id, item.kind, item.dataset, item.group, item.language, item.question, tuple(item.answers),
        passages=passages, prompt=tuple(item.prompt), status="draft", text=item.text, written_text=item.text,
    )  # fmt: skip
