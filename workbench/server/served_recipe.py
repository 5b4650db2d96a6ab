"""The recipe that a service answers by: the same calls as the screens and the command line make, and what they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from workbench.app import StreamObserver, Workbench, checked_question, detect_question, warm_up
from workbench.core import Answer, Evidence, Generation, JobStopped, MissingError, UsageError, WorkbenchError, shorten
from workbench.languages import ENGLISH, language
from workbench.pipeline import Recipe, recipe_from_file, shipped_recipes
from workbench.server.api_errors import ApiError

LIVE_MODES = frozenset({"baseline", "monorag", "trag", "multirag", "crossrag"})
"""Modes whose answer is what the generator writes; in the others it is a part of that, or its translation."""
FIRST_QUESTION = "Where is the Nile?"
"""What is searched for before the first client asks, so that indexes and encoders are open."""


@dataclass(frozen=True)
class ServedQuestion:
    """A question that can be asked, in the language of the code; `detected`: the client gave no language."""

    text: str
    language: str
    detected: bool


@dataclass(frozen=True)
class ServedRecipe:
    """A recipe under the name that clients call it by. Safe to share between threads.

    `cached` False neither reads nor writes the workspace's cache of steps.
    """

    bench: Workbench
    recipe: Recipe
    name: str
    cached: bool = True

    @property
    def is_live(self) -> bool:
        """Whether the pieces that the generator writes make up the answer."""
        return self.recipe.mode in LIVE_MODES

    def prepare(self) -> tuple[str, ...]:
        """Checks that the recipe can be answered and opens what it searches; returns the hosts that texts are sent to.

        Raises UsageError, and MissingError for what is not on this machine.
        """
        hosts = self.bench.registry.check(self.recipe)
        for item in self.bench.registry.unready(self.recipe):
            remedy = f" Type: {item.remedy.splitlines()[0]}" if item.remedy else ""
            raise MissingError(f"The recipe's {item.role} {item.name} cannot be used: {item.state}.{remedy}")
        self.bench.corpus(self.recipe.corpus)
        # Opened by one thread, before there are several.
        _ = self.bench.cache
        self.bench.registry.identifier().detect(FIRST_QUESTION, [ENGLISH])
        return hosts

    def warm_up(self) -> None:
        """Loads what first answers would wait for; no language model is called. What fails is left to the answers."""
        with suppress(WorkbenchError):
            if not self.recipe.language_models:
                warm_up(self.bench, self.recipe, self.bench.corpus(self.recipe.corpus).languages)
            elif not self.recipe.expanding_model:
                self.bench.search(FIRST_QUESTION, ENGLISH, self.recipe, cached=False)

    def question(self, text: str, code: str | None) -> ServedQuestion:
        """The question, in its language where that is given, else in the one that it is identified as.

        Raises UsageError for a question or a language that cannot be asked, ApiError where none is identified.
        """
        question = checked_question(text)
        if code is not None:
            return ServedQuestion(question, language(code).code, detected=False)
        likely = self.bench.corpus(self.recipe.corpus).languages
        try:
            detection = detect_question(question, self.bench.registry.identifier(), likely)
        except UsageError:
            raise ApiError(
                400,
                "The question's language could not be identified: give it as an ISO 639 code, for example fi.",
                "language_unknown",
            ) from None
        return ServedQuestion(question, detection.language, detected=True)

    def ask(
        self,
        question: ServedQuestion,
        stop: Event,
        on_evidence: Callable[[Sequence[Evidence]], None],
        on_piece: Callable[[str], None],
        on_generation: Callable[[Generation], None],
    ) -> Answer:
        """The answer as `ask` gives it. Raises JobStopped once `stop` is set, and what `ask` raises."""
        observer = StreamObserver(on_piece, stop, on_evidence, on_generation)
        answer = self.bench.ask(
            question.text, question.language, self.recipe, observer=observer, stop=stop, cached=self.cached
        )
        if stop.is_set():
            raise JobStopped
        return answer

    def search(self, question: ServedQuestion, stop: Event) -> tuple[Evidence, ...]:
        """The evidence of a question. Raises JobStopped once `stop` is set, and what `search` raises."""
        return self.bench.search(question.text, question.language, self.recipe, stop=stop, cached=self.cached)


def recipe_named(name: str) -> tuple[str, Recipe]:
    """The recipe in a file, or a shipped one, with the name that clients call it by. Raises UsageError."""
    shipped = {item.name: item.recipe for item in shipped_recipes()}
    if name in shipped:
        return name, shipped[name]
    path = Path(name)
    if not path.exists():
        raise UsageError(
            f"“{shorten(name)}” is neither a shipped recipe (list them: recipes list) nor a file. For example: "
            "--recipe recipe.yaml"
        )
    return path.stem, recipe_from_file(path)
