"""Any LlamaIndex LLM as a generator: greedy, streaming, stoppable, patient with servers within fixed time-outs.

A failure is a GenerationFailed or MissingError in one sentence; it keeps nothing of the error below it, since a
server may repeat a key in what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from threading import Event
from typing import TYPE_CHECKING

import regex

from workbench.errors import GenerationFailed, WorkbenchError
from workbench.identity import component
from workbench.llm import failures
from workbench.llm.conversation import TokenLimits, turns
from workbench.llm.cost import estimated_tokens
from workbench.llm.responses import Part, joined, part
from workbench.llm.retrying import (
    STOPPED,
    CallError,
    Deadline,
    Health,
    NotBegun,
    Patience,
    StreamStopped,
    in_parallel,
    persistently,
    relay,
)
from workbench.llm.sources import Opened, Quirk, Source
from workbench.llm.streaming import Stream
from workbench.records import Finish, Generation, Prompt, Task, Usage

if TYPE_CHECKING:
    from llama_index.core.llms import ChatMessage

VERSION = 1
CHECK = Prompt("You check a connection.", "Reply with the word OK.", Task("Reply with the word OK.", "en"))
OWN_TEMPERATURE = "This model sets its own temperature, so another run may differ."
CHECK_TOKENS = 16
CHECK_SECONDS = 20.0
QUIRKS: tuple[tuple[Quirk, regex.Pattern[str]], ...] = (
    ("no usage in streams", regex.compile(r"stream_options|include_usage")),
    ("max_completion_tokens", regex.compile(r"max_completion_tokens")),
    (
        "own temperature",
        regex.compile(r"(?i)temperature.{0,80}(?:support|default|deprecated)|unsupported.{0,40}temperature"),
    ),
    (
        "no system role",
        regex.compile(r"(?i)system (?:role|message|prompt).{0,40}support|role.{0,30}system.{0,40}support"),
    ),
)
"""By what servers say when they refuse one. Each is tried around once, and remembered."""


class LLMGenerator:
    """Implements `streaming.StreamingGenerator` over a source of LlamaIndex LLMs.  Safe to share between threads."""

    def __init__(
        self,
        source: Source,
        *,
        limits: TokenLimits | None = None,
        patience: Patience | None = None,
        system_role: bool = True,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """`system_role` False folds the instructions into the user's turn, as a model without that role needs.
        `sleep` replaces the waits between attempts.
        """
        self._source = source
        self._limits = limits or TokenLimits()
        self._patience = patience or Patience()
        self._system_role = system_role
        self._sleep = sleep
        self._quirks: frozenset[Quirk] = frozenset()

    def __repr__(self) -> str:
        return f"<LLMGenerator {self.identity}>"

    @property
    def identity(self) -> str:
        return component(
            "llm",
            version=VERSION,
            source=self._source.identity,
            temperature=0,
            tokens=[self._limits.short, self._limits.dialectic],
            system_role=self._system_role,
        )

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer a prompt. The first failure ends the batch. Raises GenerationFailed, MissingError."""
        made = in_parallel(self._answer, prompts, self._patience.concurrency, halt_on_error=True)
        errors = [one for one in made if isinstance(one, WorkbenchError)]
        for error in sorted(errors, key=lambda one: isinstance(one, NotBegun)):
            raise error
        return [one for one in made if isinstance(one, Generation)]

    def attempt(self, prompts: Sequence[Prompt], stop: Event | None = None) -> list[Generation | WorkbenchError]:
        """One answer or failure a prompt, in order: one that fails costs no other its answer."""
        return in_parallel(lambda prompt: self._answer(prompt, stop), prompts, self._patience.concurrency, stop)

    def stream(self, prompt: Prompt, stop: Event | None = None) -> Stream:
        """The answer in pieces. Attempts are repeated until the first piece, not after it."""
        deadline = Deadline(self._patience.total_seconds)
        parts: list[Part] = []
        return Stream(
            self._pieces(prompt, parts, deadline, stop), lambda _: self._generation(prompt, joined(parts), deadline)
        )

    def check(self) -> Health:
        """One real small call. Raises nothing."""
        seconds = min(CHECK_SECONDS, self._patience.total_seconds)
        deadline = Deadline(seconds)
        try:
            place = self._source.place()
            reply = joined(list(self._parts(CHECK, CHECK_TOKENS, deadline, None, streamed=False)))
        except (CallError, WorkbenchError) as error:
            return Health(False, str(error), deadline.spent)
        said = f"“{place.clean(reply.text)[:40]}”" if reply.text.strip() else "without words within its few tokens"
        return Health(True, f"{place.name} answered {said} in {deadline.spent:.1f} s.", deadline.spent)

    def _answer(self, prompt: Prompt, stop: Event | None = None) -> Generation:
        deadline = Deadline(self._patience.total_seconds)

        def call() -> Part:
            reply = joined(list(self._parts(prompt, self._limits.of(prompt), deadline, stop, streamed=False)))
            self._judge(reply)
            return reply

        try:
            reply = persistently(call, self._patience, deadline, stop, self._sleep)
        except StreamStopped:
            raise GenerationFailed(STOPPED) from None
        return self._generation(prompt, reply, deadline)

    def _pieces(self, prompt: Prompt, parts: list[Part], deadline: Deadline, stop: Event | None) -> Iterator[str]:
        """Texts as they come; every part is added to `parts`, at last one that says how it ended."""

        def begin() -> tuple[list[Part], Iterator[Part]]:
            rest = self._parts(prompt, self._limits.of(prompt), deadline, stop, streamed=True)
            begun: list[Part] = []
            for one in rest:
                begun.append(one)
                if one.text:
                    return begun, rest
            self._judge(joined(begun))
            return begun, rest

        try:
            begun, rest = persistently(begin, self._patience, deadline, stop, self._sleep)
            parts.extend(begun)
            yield parts[-1].text
            for one in rest:
                parts.append(one)
                if one.text:
                    yield one.text
            whole = joined(parts)
            self._judge(whole)
            if self._source.says_ending and not whole.ending:
                raise failures.cut(self._source.place())
        except StreamStopped:
            parts.append(Part("", "stopped"))
            return
        except CallError as error:
            failed = str(error)
        else:
            return
        raise GenerationFailed(failed)

    def _parts(
        self, prompt: Prompt, tokens: int, deadline: Deadline, stop: Event | None, *, streamed: bool
    ) -> Iterator[Part]:
        """One call's parts; it is made once more for every quirk that the server shows.

        Raises CallError, StoppedError, MissingError.
        """
        while True:
            quirks = self._quirks
            failed: Exception
            try:
                yield from self._call(prompt, tokens, deadline, stop, quirks, streamed=streamed)
                return
            except (StreamStopped, WorkbenchError):
                raise
            except Exception as error:
                failed = error
            found = _quirks_in(failed) - quirks
            if not found:
                raise failures.explain(failed, self._source.place())
            self._quirks = self._quirks | found

    def _call(
        self,
        prompt: Prompt,
        tokens: int,
        deadline: Deadline,
        stop: Event | None,
        quirks: frozenset[Quirk],
        *,
        streamed: bool,
    ) -> Iterator[Part]:
        silence = min(self._patience.call_seconds, deadline.seconds)
        opened: list[Opened] = []
        left = Event()

        def work(give: Callable[[Part], None]) -> None:
            call = self._source.open(tokens, silence, quirks)
            opened.append(call)
            messages = _messages(prompt, self._system_role and "no system role" not in quirks)
            try:
                if left.is_set():
                    return
                if streamed:
                    for response in call.llm.stream_chat(messages):
                        give(part(response, streamed=True))
                else:
                    give(part(call.llm.chat(messages), streamed=False))
            finally:
                call.close()

        def hang_up() -> None:
            left.set()
            for call in opened:
                call.hang_up()

        return relay(work, silence=silence, deadline=deadline, stop=stop, hang_up=hang_up)

    def _judge(self, reply: Part) -> None:
        """Raises CallError for a reply that is no answer."""
        if reply.ending == "filtered":
            raise CallError(f"{self._source.place().name} withheld the answer (content filter); ask in other words.")
        if reply.text.strip():
            return
        if reply.ending == "length":
            raise CallError(
                f"{self._source.place().name} spent all its tokens before the answer began, as reasoning models do; "
                "allow more new tokens, or turn its reasoning off."
            )
        raise failures.empty(self._source.place())

    def _generation(self, prompt: Prompt, reply: Part, deadline: Deadline) -> Generation:
        read, written = reply.prompt_tokens, reply.completion_tokens
        estimated = read is None or written is None
        if read is None:
            read = sum(estimated_tokens(turn.text) for turn in turns(prompt, system_role=True))
        if written is None:
            written = estimated_tokens(reply.text)
        finish: Finish = reply.ending if reply.ending in ("stop", "length", "stopped") else ""
        note = OWN_TEMPERATURE if "own temperature" in self._quirks else ""
        return Generation(reply.text, note=note, usage=Usage(read, written, estimated, deadline.spent), finish=finish)


def _messages(prompt: Prompt, system_role: bool) -> list[ChatMessage]:
    from llama_index.core.llms import ChatMessage, MessageRole

    return [
        ChatMessage(content=turn.text, role=MessageRole(turn.role)) for turn in turns(prompt, system_role=system_role)
    ]


def _quirks_in(error: Exception) -> frozenset[Quirk]:
    """What the server does not take, by its refusal; nothing where it refused for another reason."""
    if failures.status_of(error) not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        return frozenset()
    words = failures.said(error)
    return frozenset(quirk for quirk, pattern in QUIRKS if pattern.search(words))
