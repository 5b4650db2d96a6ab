"""A set over the sample, and a generator behind a real server that writes, answers and recalls as a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.jobs.question_generation.draft_store import Draft, DraftStore, WritingRequest
from workbench.jobs.question_generation.question_writing import QuestionWriting
from workbench.workspace.database import opened_store

Write = Callable[[str], str | None]
NOTHING_KNOWN: Write = lambda question: "NONE"  # noqa: E731


@dataclass
class ScriptedWriter:
    """What the generator replies when it is shown a passage to write from, a passage with a question, or a question.

    A reply of None is an error of the server.
    """

    write: Write
    answer: Write = NOTHING_KNOWN
    recall: Write = NOTHING_KNOWN
    calls: list[str] = field(default_factory=list)

    def __call__(self, turn: str) -> str | None:
        is_fenced, has_question = "<<<" in turn, not turn.rstrip().endswith(">>>")
        kind = "recall" if not is_fenced else "answer" if has_question else "write"
        self.calls.append(kind)
        return {"write": self.write, "answer": self.answer, "recall": self.recall}[kind](turn)


@dataclass
class WritingDesk:
    """A workspace, a scripted generator and the set that it writes."""

    workbench: Workbench
    server: MisbehavingServer
    writer: ScriptedWriter
    name: str = "written"

    @property
    def store(self) -> DraftStore:
        return DraftStore(opened_store(self.workbench.settings.database_url))

    def request(self, **changes: object) -> WritingRequest:
        values = {"languages": ("en",), "per_language": 1, "checker": "extractive", **changes}
        return WritingRequest("sample", f"openai-like:m@{self.server.url('says')}", **values)  # type: ignore[arg-type]

    def run(self, **changes: object) -> list[Draft]:
        """Writes what is unwritten and returns every draft."""
        QuestionWriting(self.workbench, self.name, self.request(**changes)).write()
        return self.store.drafts(self.name)


@contextmanager
def writing_desk(workbench: Workbench, writer: ScriptedWriter) -> Iterator[WritingDesk]:
    with misbehaving() as server:
        server.script = writer
        yield WritingDesk(workbench, server, writer)


def pair(question: str, answer: str, labels: tuple[str, str] = ("Question", "Answer")) -> str:
    """A reply as the prompt asks for it."""
    return f"{labels[0]}: {question}\n{labels[1]}: {answer}"
