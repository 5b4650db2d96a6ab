"""Any LlamaIndex LLM as a generator: greedy, streaming, stoppable, with retries within fixed timeouts.

Text, ending and token counts are read in the same way for every provider, whose own response LlamaIndex leaves in
`raw`, an object or a mapping; what it lacks stays unknown. A failure is a GenerationFailed or MissingError in one
sentence; it keeps nothing of the underlying error, because a server may repeat a key in its message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

import regex

from workbench.core import (
    Finish,
    Generation,
    GenerationFailed,
    Prompt,
    SampledPrompt,
    Task,
    Usage,
    WorkbenchError,
    component,
    current_stop,
)
from workbench.models.llm import failures
from workbench.models.llm.conversation import Stream, TokenLimits, turns
from workbench.models.llm.cost import estimated_tokens
from workbench.models.llm.retrying import (
    STOPPED,
    CallError,
    Deadline,
    Health,
    NotStarted,
    RetryPolicy,
    StreamStopped,
    in_parallel,
    relay,
    with_retries,
)
from workbench.models.llm.sources import LLMSource, OpenLLM, ServerQuirk

if TYPE_CHECKING:
    from llama_index.core.llms import ChatMessage, ChatResponse


Ending = Literal["", "stop", "length", "stopped", "filtered", "other"]
"""Why an answer ended. `stopped`: a user stopped it; `filtered`: the server withheld it; `other`: an unknown reason;
"": not stated."""

ENDINGS: Mapping[str, Ending] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "complete": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
    "safety": "filtered",
    "refusal": "filtered",
}
PROMPT_TOKENS = ("prompt_tokens", "input_tokens", "prompt_eval_count")
COMPLETION_TOKENS = ("completion_tokens", "output_tokens", "eval_count")


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """One piece of an answer, or all of it. Token counts are None where this part does not state them.

    `server` is the host that sent it, where the endpoint has several.
    """

    text: str
    ending: Ending = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    server: str = ""


def reply_part(response: ChatResponse, *, streamed: bool) -> ReplyPart:
    """What `response` adds to the answer: its delta where `streamed`, else its complete message."""
    text = response.delta if streamed else response.message.content
    raw = response.raw
    usage = _value(raw, "usage") or _value(raw, "usage_metadata") or raw
    return ReplyPart(
        text=text or "",
        ending=_ending(raw),
        prompt_tokens=_count(usage, PROMPT_TOKENS),
        completion_tokens=_count(usage, COMPLETION_TOKENS),
    )


def join_parts(parts: Iterable[ReplyPart]) -> ReplyPart:
    """All parts as one; of the ending and the counts the last that were stated hold."""
    total = ReplyPart("")
    for one in parts:
        total = ReplyPart(
            total.text + one.text,
            one.ending or total.ending,
            total.prompt_tokens if one.prompt_tokens is None else one.prompt_tokens,
            total.completion_tokens if one.completion_tokens is None else one.completion_tokens,
            one.server or total.server,
        )
    return total


def _ending(raw: Any) -> Ending:
    choices = _value(raw, "choices")
    first = choices[0] if isinstance(choices, list | tuple) and choices else raw
    for name in ("finish_reason", "stop_reason", "done_reason"):
        reason = _value(first, name)
        if isinstance(reason, str) and reason:
            return ENDINGS.get(reason.lower(), "other")
    return ""


def _count(usage: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = _value(usage, name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _value(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


VERSION = 1
CHECK = Prompt("You check a connection.", "Reply with the word OK.", Task("Reply with the word OK.", "en"))
TEMPERATURE_NOTE = "This model sets its own temperature, so another run may differ."
CHECK_TOKENS = 16
CHECK_SECONDS = 20.0
QUIRKS: tuple[tuple[ServerQuirk, regex.Pattern[str]], ...] = (
    ("no usage in streams", regex.compile(r"stream_options|include_usage")),
    ("max_completion_tokens", regex.compile(r"max_completion_tokens")),
    (
        "fixed temperature",
        regex.compile(r"(?i)temperature.{0,80}(?:support|default|deprecated)|unsupported.{0,40}temperature"),
    ),
    (
        "no system role",
        regex.compile(r"(?i)system (?:role|message|prompt).{0,40}support|role.{0,30}system.{0,40}support"),
    ),
)
"""How a refusal shows each quirk. The call is repeated without what was refused, and the quirk is remembered."""


class LLMGenerator:
    """Implements `live_text.StreamingGenerator` over a source of LlamaIndex LLMs.  Safe to share between threads."""

    def __init__(
        self,
        source: LLMSource,
        *,
        limits: TokenLimits | None = None,
        policy: RetryPolicy | None = None,
        system_role: bool = True,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """`sleep` replaces the waits between attempts.

        `system_role` False puts the instructions into the user's turn, for a model without that role.
        """
        self._source = source
        self._limits = limits or TokenLimits()
        self._policy = policy or RetryPolicy()
        self._system_role = system_role
        self._sleep = sleep
        self._quirks: frozenset[ServerQuirk] = frozenset()

    def __repr__(self) -> str:
        """Shows the identity, which contains no key."""
        return f"<LLMGenerator {self.identity}>"

    @property
    def identity(self) -> str:
        """Source, token limits and whether there is a system turn; the retry policy affects no answer."""
        return component(
            "llm",
            version=VERSION,
            source=self._source.identity,
            temperature=0,
            tokens=[self._limits.short, self._limits.dialectic],
            system_role=self._system_role,
        )

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt. The first failure ends the batch. Raises GenerationFailed, MissingError."""
        results = in_parallel(self._answer, prompts, self._at_once, halt_on_error=True)
        errors = [one for one in results if isinstance(one, WorkbenchError)]
        for error in sorted(errors, key=lambda one: isinstance(one, NotStarted)):
            raise error
        return [one for one in results if isinstance(one, Generation)]

    def attempt(self, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
        """One answer or failure per prompt, in order: a prompt that fails does not affect the others."""
        return in_parallel(self._answer, prompts, self._at_once)

    @property
    def _at_once(self) -> int:
        return self._source.at_once or self._policy.concurrency

    def stream(self, prompt: Prompt) -> Stream:
        """The answer in pieces. Attempts are repeated until the first piece, not after it."""
        deadline = Deadline(self._policy.total_seconds)
        parts: list[ReplyPart] = []
        return Stream(
            self._pieces(prompt, parts, deadline, current_stop()),
            lambda _: self._generation(prompt, join_parts(parts), deadline),
        )

    def check(self) -> Health:
        """The result of one small real call to each place of the model. Raises nothing."""
        results = [self._check(member) for member in self._source.members]
        sentence = " ".join(one.sentence for one in results)
        return Health(all(one.ok for one in results), sentence, sum(one.seconds for one in results))

    def _check(self, source: LLMSource) -> Health:
        deadline = Deadline(min(CHECK_SECONDS, self._policy.total_seconds))
        try:
            target = source.target()
            reply = join_parts(self._parts(source, CHECK, CHECK_TOKENS, deadline, None, streamed=False))
        except (CallError, WorkbenchError) as error:
            return Health(False, str(error), deadline.elapsed)
        words = f"“{target.clean(reply.text)[:40]}”" if reply.text.strip() else "without words within its few tokens"
        return Health(True, f"{target.name} answered {words} in {deadline.elapsed:.1f} s.", deadline.elapsed)

    def _answer(self, prompt: Prompt) -> Generation:
        deadline, stop = Deadline(self._policy.total_seconds), current_stop()

        def call() -> ReplyPart:
            tokens = self._limits.for_prompt(prompt)
            reply = join_parts(self._parts(self._source, prompt, tokens, deadline, stop, streamed=False))
            self._check_reply(reply)
            return reply

        try:
            reply = with_retries(call, self._policy, deadline, stop, self._sleep)
        except StreamStopped:
            raise GenerationFailed(STOPPED) from None
        return self._generation(prompt, reply, deadline)

    def _pieces(self, prompt: Prompt, parts: list[ReplyPart], deadline: Deadline, stop: Event | None) -> Iterator[str]:
        """Texts as they arrive; every part is added to `parts`, the last one states how the answer ended."""

        def begin() -> tuple[list[ReplyPart], Iterator[ReplyPart]]:
            tokens = self._limits.for_prompt(prompt)
            rest = self._parts(self._source, prompt, tokens, deadline, stop, streamed=True)
            opening: list[ReplyPart] = []
            for one in rest:
                opening.append(one)
                if one.text:
                    return opening, rest
            self._check_reply(join_parts(opening))
            return opening, rest

        try:
            opening, rest = with_retries(begin, self._policy, deadline, stop, self._sleep)
            parts.extend(opening)
            yield parts[-1].text
            for one in rest:
                parts.append(one)
                if one.text:
                    yield one.text
            reply = join_parts(parts)
            self._check_reply(reply)
            if self._source.reports_ending and not reply.ending:
                raise failures.cut_off(self._source.target())
        except StreamStopped:
            parts.append(ReplyPart("", "stopped"))
            return
        except CallError as error:
            sentence = str(error)
        else:
            return
        raise GenerationFailed(sentence)

    def _parts(
        self, source: LLMSource, prompt: Prompt, tokens: int, deadline: Deadline, stop: Event | None, *, streamed: bool
    ) -> Iterator[ReplyPart]:
        """One call's parts, from wherever `source` has its turn; it is repeated for every quirk that the server shows.

        Raises CallError, StreamStopped, MissingError.
        """
        while True:
            quirks = self._quirks
            failure: Exception
            member = source
            try:
                with source.turn(deadline, stop) as member:
                    for part in self._call(member, prompt, tokens, deadline, stop, quirks, streamed=streamed):
                        yield replace(part, server=member.server) if member.server else part
                return
            except (StreamStopped, WorkbenchError):
                raise
            except Exception as error:
                failure = error
            new_quirks = _quirks_in(failure) - quirks
            if not new_quirks:
                raise source.after_failure(member, failures.explain(failure, member.target()))
            self._quirks = self._quirks | new_quirks

    def _call(
        self,
        source: LLMSource,
        prompt: Prompt,
        tokens: int,
        deadline: Deadline,
        stop: Event | None,
        quirks: frozenset[ServerQuirk],
        *,
        streamed: bool,
    ) -> Iterator[ReplyPart]:
        silence = min(self._policy.call_seconds, deadline.seconds)
        open_llms: list[OpenLLM] = []
        abandoned = Event()

        def work(emit: Callable[[ReplyPart], None]) -> None:
            source_llm = source.open(tokens, silence, quirks)
            open_llms.append(source_llm)
            messages = _messages(prompt, self._system_role and "no system role" not in quirks)
            sampling: dict[str, Any] = {}
            if isinstance(prompt, SampledPrompt) and "fixed temperature" not in quirks:
                sampling["temperature"] = prompt.temperature
            try:
                if abandoned.is_set():
                    return
                if streamed:
                    for response in source_llm.llm.stream_chat(messages, **sampling):
                        emit(reply_part(response, streamed=True))
                else:
                    emit(reply_part(source_llm.llm.chat(messages, **sampling), streamed=False))
            finally:
                source_llm.close()

        def hang_up() -> None:
            abandoned.set()
            for source_llm in open_llms:
                source_llm.hang_up()

        return relay(work, silence=silence, deadline=deadline, stop=stop, hang_up=hang_up)

    def _check_reply(self, reply: ReplyPart) -> None:
        """Raises CallError for a reply that is not an answer."""
        if reply.ending == "filtered":
            raise CallError(
                f"{self._source.target().name} withheld the answer (content filter); rephrase the question."
            )
        if reply.text.strip():
            return
        if reply.ending == "length":
            raise CallError(
                f"{self._source.target().name} spent all its tokens before the answer began, as reasoning models do; "
                "allow more new tokens, or turn its reasoning off."
            )
        raise failures.empty_answer(self._source.target())

    def _generation(self, prompt: Prompt, reply: ReplyPart, deadline: Deadline) -> Generation:
        prompt_tokens, completion_tokens = reply.prompt_tokens, reply.completion_tokens
        estimated = prompt_tokens is None or completion_tokens is None
        if prompt_tokens is None:
            prompt_tokens = sum(estimated_tokens(turn.text) for turn in turns(prompt, system_role=True))
        if completion_tokens is None:
            completion_tokens = estimated_tokens(reply.text)
        finish: Finish = reply.ending if reply.ending in ("stop", "length", "stopped") else ""
        note = TEMPERATURE_NOTE if "fixed temperature" in self._quirks else ""
        usage = Usage(prompt_tokens, completion_tokens, estimated, deadline.elapsed)
        # Half a character, which JSON can escape, could be neither stored nor shown.
        text = self._source.target().without_keys(reply.text).encode("utf-8", "replace").decode()
        return Generation(text, note=note, usage=usage, finish=finish, server=reply.server)


def _messages(prompt: Prompt, system_role: bool) -> list[ChatMessage]:
    from llama_index.core.llms import ChatMessage, MessageRole

    return [
        ChatMessage(content=turn.text, role=MessageRole(turn.role)) for turn in turns(prompt, system_role=system_role)
    ]


def _quirks_in(error: Exception) -> frozenset[ServerQuirk]:
    """What the server does not accept, by its refusal; empty where it refused for another reason."""
    if failures.status_of(error) not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        return frozenset()
    words = failures.reply_text(error)
    return frozenset(quirk for quirk, pattern in QUIRKS if pattern.search(words))
