"""A strong model behind a real server, which answers by D-RAG as a test says for each question, and its judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import regex

from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.demonstrations.demonstration_file import FileChoices, demonstrations_of, write_demonstrations
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
)
from workbench.jobs.demonstrations.demonstration_writing import DemonstrationWriting
from workbench.workspace.database import opened_store

ASIDE = "Let us speak of the weather instead."
"""What the model says where it does not follow the instructions."""
DOCUMENT = regex.compile(r"\[1\] (.+)\n(.{20}[^“”\"\n]*)")


def dialectic(answer: str, quotation: str, *, cited: int = 1) -> str:
    """An answer by D-RAG in all four parts that quotes a document."""
    return (
        f"#Extraction:\n[{cited}] “{quotation}”\n\n#Explaination:\nDocument [{cited}] claims it; relevant.\n\n"
        f"#Dialectic Argumentation:\nWhat document [{cited}] says answers the question.\n\n#Answer:\n{answer}"
    )


@dataclass
class ScriptedDemonstrator:
    """What the model replies to a question, by its gold answer and the beginning of its first document.

    Behind the same server the judge accepts what is not an aside, unless `verdict` says something else. A reply of None
    is an error of the server. `calls` are the questions asked, "" where the judge was.
    """

    golds: dict[str, str]
    reply: Callable[[str, str, str], str | None] = lambda question, gold, quotation: dialectic(gold, quotation)
    verdict: Callable[[str], str | None] = lambda turn: "0" if ASIDE in turn else "1"
    calls: list[str] = field(default_factory=list)

    def __call__(self, turn: str) -> str | None:
        if "Target: <<<" in turn:
            self.calls.append("")
            return self.verdict(turn)
        question = turn.rpartition("#Question")[2].removeprefix(":").removesuffix("Answer:").strip()
        self.calls.append(question)
        document = DOCUMENT.search(turn)
        return self.reply(question, self.golds[question], document[2] if document else "")


@dataclass
class Desk:
    """A workspace, the scripted model, and the set that it writes over the sample."""

    workbench: Workbench
    server: MisbehavingServer
    model: ScriptedDemonstrator
    name: str = "mine"

    @property
    def store(self) -> DemonstrationStore:
        return DemonstrationStore(opened_store(self.workbench.settings.database_url))

    @property
    def library(self) -> DatasetLibrary:
        return DatasetLibrary(self.workbench.settings.datasets)

    def request(self, **changes: object) -> DemonstrationRequest:
        model = f"openai-like:m@{self.server.url('says')}"
        values = {"generator": model, "judge": model, "languages": ("en",), "per_language": 2, **changes}
        return DemonstrationRequest("sample", **values)  # type: ignore[arg-type]

    def writing(self, **changes: object) -> DemonstrationWriting:
        return DemonstrationWriting(self.workbench, self.name, self.request(**changes))

    def run(self, **changes: object) -> list[DemonstrationDraft]:
        """Writes what is unwritten and returns every draft."""
        self.writing(**changes).write()
        return self.store.drafts(self.name)

    def file(self, **choices: object) -> str:
        wanted = FileChoices(**choices)  # type: ignore[arg-type]
        return write_demonstrations(demonstrations_of(self.store, self.library, self.name, wanted))


@contextmanager
def demonstration_desk(workbench: Workbench) -> Iterator[Desk]:
    library = DatasetLibrary(workbench.settings.datasets)
    golds = {
        item.text: item.answers[0]
        for code in ("en", "fi")
        for item in library.questions("sample", code)
        if item.answers
    }
    with misbehaving() as server:
        model = ScriptedDemonstrator(golds)
        server.script = model
        yield Desk(workbench, server, model)
