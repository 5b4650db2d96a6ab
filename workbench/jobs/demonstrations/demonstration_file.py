"""Demonstrations as a file: one JSON object per line, in trl's conversational prompt-completion format.

    {"prompt": [{"role": "system", "content": …}, {"role": "user", "content": …}],
     "completion": [{"role": "assistant", "content": …}],
     "id": …, "group": …, "language": …, "kind": "drag", "dataset": …, "question": …, "answers": […],
     "passages": [{"id": …, "title": …, "language": …, "licence": …, "source": …}]}

trl reads the first two keys and takes the loss on the completion alone. The others say where a line comes from:
demonstrations of one `group` are a question with its translations, and no split may part them. What was written is read
back and written again byte by byte.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.core import DataError, Prompt, Task, UsageError, shorten, unknown_name
from workbench.data import NOTHING_IMPORTED, DatasetLibrary, checked_name, json_records
from workbench.jobs.demonstrations.demonstration_checks import translation_instruction
from workbench.jobs.demonstrations.demonstration_plan import RAG_PROMPT, EvaluationQuestions, evaluation_names
from workbench.jobs.demonstrations.demonstration_store import (
    LONGEST_TEXT,
    DemonstrationDraft,
    DemonstrationKind,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.review_store import COUNTED, Status
from workbench.languages import is_named
from workbench.pipeline import OPTIONAL, PART_LABELS, Compose, ComposeDialectic, Dialectic, State, parse
from workbench.workspace import verb

TURNS = ("user", "assistant"), ("system", "user", "assistant")
LINES_LIMIT = 1_000_000
"""Lines of one file: they are checked in memory."""
PASSED: tuple[Status, ...] = ("draft", *COUNTED)
"""What becomes part of a file: what passed every filter or was accepted by a person, and nobody rejected."""
Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=500)]


class KeptForEvaluation(UsageError):
    """Demonstrations are of questions that are kept for evaluation: in a set the drafts with these `numbers`."""

    numbers: tuple[int, ...] = ()


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ChatMessage(_Record):
    """One message of a chat, as trl has it."""

    role: Literal["system", "user", "assistant"]
    content: Text


class DemonstrationPassage(_Record):
    """A document of a prompt: which passage it is, and the licence and the source of its corpus."""

    id: Name
    title: Text
    language: Name
    licence: Text
    source: Text


class Demonstration(_Record):
    """One line of a file, as the module describes it; `answers` are the gold answers of the question."""

    prompt: Annotated[list[ChatMessage], Field(min_length=1, max_length=2)]
    completion: Annotated[list[ChatMessage], Field(min_length=1, max_length=1)]
    id: Name
    group: Name
    language: Name
    kind: DemonstrationKind
    dataset: Text
    question: Text
    answers: list[Text]
    passages: list[DemonstrationPassage]

    @property
    def text(self) -> str:
        """The completion's text, on which a model is tuned."""
        return self.completion[0].content


def write_demonstrations(demonstrations: Iterable[Demonstration]) -> str:
    """The text of a file of these demonstrations, in their order."""
    return "".join(json.dumps(item.model_dump(), ensure_ascii=False) + "\n" for item in demonstrations)


def read_demonstrations(path: Path) -> tuple[Demonstration, ...]:
    """The demonstrations in a file, in its order.

    Raises UsageError for a path that is not a file; DataError, one sentence with the line, for a file that is empty or
    has a line of another form or an id twice.
    """
    demonstrations: dict[str, Demonstration] = {}
    for record in json_records(path, rows=LINES_LIMIT):
        try:
            item = Demonstration.model_validate(dict(record.values))
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"]))
            raise record.error(f"is not a demonstration: {shorten(at, 60)}: {shorten(first['msg'], 120)}") from error
        if tuple(message.role for message in (*item.prompt, *item.completion)) not in TURNS:
            raise record.error(
                "is not a demonstration: a prompt is “user” or “system” and “user”, completed by “assistant”"
            )
        if len(item.text) > LONGEST_TEXT:
            raise record.error(f"has an answer of more than {LONGEST_TEXT:,} characters")
        if not is_named(item.language):
            raise record.error(f"has the language “{shorten(item.language)}”: type the code of one, such as fi")
        if not item.answers or not (item.passages or item.kind == "translation"):
            raise record.error(
                "has no gold answer" if not item.answers else "has no passages that it was answered from"
            )
        if item.id in demonstrations:
            raise record.error(f"has the id “{shorten(item.id)}” of an earlier line")
        demonstrations[item.id] = item
    if not demonstrations:
        raise DataError(f"{path.name} holds no demonstrations, {NOTHING_IMPORTED}.")
    return tuple(demonstrations.values())


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What of a set becomes a file, and how. `kinds` and `languages` () stand for all.

    `prompt` is that of the answers by D-RAG: the paper tunes its models for the prompt of plain RAG (section 3.4), and
    `drag` is their own. `without` names D-RAG's parts to leave out, and `mixed` puts those before the answer in random
    order by `seed` (section 4.3). `reviewed`: only what a person accepted. `paired`: only what was demonstrated both by
    D-RAG and by plain RAG, from the same documents. Raises UsageError for a prompt or a part that there is not.
    """

    kinds: Sequence[DemonstrationKind] = ()
    languages: Sequence[str] = ()
    prompt: str = "rag"
    without: Sequence[str] = ()
    mixed: bool = False
    seed: int = 0
    reviewed: bool = False
    paired: bool = False

    def __post_init__(self) -> None:
        """Checks the names."""
        if self.prompt not in ("rag", "drag"):
            raise unknown_name("prompt", self.prompt, ("rag", "drag"))
        for part in self.without:
            if part not in OPTIONAL:
                raise unknown_name("part that can be left out", part, OPTIONAL)


def demonstrations_of(
    store: DemonstrationStore, library: DatasetLibrary, name: str, choices: FileChoices
) -> Iterator[Demonstration]:
    """The demonstrations of a set as a file has them, by number.

    Raises UsageError for an unknown set, and where one is of a question that is kept for evaluation by now.
    """
    store.set_called(name)
    drafts = store.drafts(name, COUNTED if choices.reviewed else PASSED)
    kinds: dict[tuple[object, ...], set[str]] = {}
    for item in drafts:
        kinds.setdefault(_search(item), set()).add(item.kind)
    items: list[DemonstrationDraft] = []
    for item in drafts:
        is_language = not choices.languages or item.language in choices.languages
        is_paired = not choices.paired or kinds[_search(item)] >= {"drag", "rag"}
        if (not choices.kinds or item.kind in choices.kinds) and is_language and is_paired:
            items.append(item)
    check_apart(store, library, items, "taken out of it")
    return (_demonstration(item, choices) for item in items)


def check_apart(
    store: DemonstrationStore,
    library: DatasetLibrary,
    items: Sequence[Demonstration | DemonstrationDraft],
    done: str,
    evaluation: Sequence[str] = (),
) -> None:
    """Raises KeptForEvaluation where an item's question, or a translation of it, is kept so.

    It is where it is in a dataset that is marked so or in one of `evaluation`. `done`: what is then refused.
    """
    evaluated = EvaluationQuestions(library, [*evaluation, *evaluation_names(store, library)])
    pairs = [(item, evaluated.dataset_with(item.dataset, item.group, item.question)) for item in items]
    leaks = [(item, dataset) for item, dataset in pairs if dataset]
    if not leaks:
        return
    item, dataset = leaks[0]
    which = f"The demonstration “{shorten(item.id)}” is of a question that is in the evaluation dataset “{dataset}”"
    if len(leaks) > 1:
        first = f"the first “{shorten(item.id)}” in “{dataset}”"
        which = f"{len(leaks):,} demonstrations are of questions that are in evaluation datasets, {first}"
    remedy, command = "take them out of the file", ""
    numbers = tuple(draft.number for draft, _ in leaks if isinstance(draft, DemonstrationDraft))
    if isinstance(item, DemonstrationDraft):
        remedy = f"reject them in the set “{item.set_name}”"
        rejected = " ".join(f"--reject {number}" for number in numbers)
        command = f"Type: demonstrations review {item.set_name} {rejected} --by YOUR_NAME"
    error = KeptForEvaluation(f"{which}, in any language, so nothing was {done}: {remedy}.", command=command)
    error.numbers = numbers
    raise error


def _search(item: DemonstrationDraft) -> tuple[object, ...]:
    """What determines the documents of a draft."""
    return item.dataset, item.group, item.language, item.scope, item.k


def _demonstration(item: DemonstrationDraft, choices: FileChoices) -> Demonstration:
    prompt = item.prompt or _prompt(item, choices)
    return Demonstration.model_validate(
        {
            "prompt": [{"role": role, "content": content} for role, content in prompt],
            "completion": [{"role": "assistant", "content": _completion(item, choices)}],
            **{name: getattr(item, name) for name in ("id", "group", "language", "kind", "dataset", "question")},
            "answers": list(item.answers),
            "passages": [
                {name: getattr(one, name) for name in DemonstrationPassage.model_fields} for one in item.passages
            ],
        }
    )


def _prompt(item: DemonstrationDraft, choices: FileChoices) -> tuple[tuple[str, str], ...]:
    """The messages that a draft answers, rendered from its documents."""
    state = State(item.question, item.language, evidence=item.evidence)
    prompt: Prompt | None
    if item.kind == "translation":
        prompt = Prompt(translation_instruction(item.language), item.question, Task("", ""))
    elif item.kind == "drag" and choices.prompt == "drag":
        options = Dialectic.model_validate({part: part not in choices.without for part in OPTIONAL})
        prompt = ComposeDialectic(options).one(state).prompt
    else:
        prompt = Compose(RAG_PROMPT, user_turn="en").one(state).prompt
    return (("system", prompt.system), ("user", prompt.user)) if prompt else ()


def _completion(item: DemonstrationDraft, choices: FileChoices) -> str:
    sections = parse(item.text)
    if item.kind != "drag" or not sections.present or not (choices.without or choices.mixed):
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

    Raises UsageError where a question or a translation of it is in an evaluation dataset: one of `evaluation`, which
    are marked so, or any that is. Raises as `read_demonstrations` does, and for a set of that name.
    """
    checked_name(name, "set")
    if any(item.name == name for item in store.sets()):
        raise UsageError(f"There is a set “{name}” already. Choose another name, for example: {name[:60]}-2")
    demonstrations = read_demonstrations(path)
    check_apart(store, library, demonstrations, "imported", evaluation)
    for dataset in evaluation:
        library.keep_for_evaluation(dataset)
    drafts = [_imported(name, number, item) for number, item in enumerate(demonstrations, start=1)]
    store.create(name, DemonstrationRequest("", file=path.name, evaluation=tuple(evaluation)), "", drafts)
    return len(drafts)


def _imported(name: str, number: int, item: Demonstration) -> DemonstrationDraft:
    passages = tuple(SourcePassage(**one.model_dump(), text="") for one in item.passages)
    prompt = tuple((message.role, message.content) for message in item.prompt)
    return DemonstrationDraft(
        name, number, item.id, item.kind, item.dataset, item.group, item.language, item.question, tuple(item.answers),
        passages=passages, prompt=prompt, status="draft", text=item.text, written_text=item.text,
    )  # fmt: skip
