"""A LlamaIndex LLM's response as text, ending and token counts, the same for every provider.

LlamaIndex leaves the provider's own response in `raw`, an object or a mapping; what it lacks stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from llama_index.core.llms import ChatResponse

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
