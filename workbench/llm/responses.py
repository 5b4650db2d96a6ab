"""What a LlamaIndex LLM gave, as text, reason of ending and token counts, whichever provider it came from.

LlamaIndex leaves the provider's own response in `raw`, an object or a mapping; what is not there stays unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from llama_index.core.llms import ChatResponse

Ending = Literal["", "stop", "length", "stopped", "filtered", "other"]
"""Why it ended. `stopped`: a person did it; `filtered`: the server withheld the answer; `other`: a reason unknown to
us; "": unsaid."""

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
class Part:
    """One piece of an answer, or all of it. Token counts are None where this part does not tell them."""

    text: str
    ending: Ending = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def part(response: ChatResponse, *, streamed: bool) -> Part:
    """What `response` adds: its delta where `streamed`, else its whole message."""
    text = response.delta if streamed else response.message.content
    raw = response.raw
    usage = _of(raw, "usage") or _of(raw, "usage_metadata") or raw
    return Part(
        text=text or "",
        ending=_ending(raw),
        prompt_tokens=_count(usage, PROMPT_TOKENS),
        completion_tokens=_count(usage, COMPLETION_TOKENS),
    )


def joined(parts: list[Part]) -> Part:
    """All parts as one; later news of the ending and the counts outweigh earlier ones."""
    whole = Part("")
    for one in parts:
        whole = Part(
            whole.text + one.text,
            one.ending or whole.ending,
            whole.prompt_tokens if one.prompt_tokens is None else one.prompt_tokens,
            whole.completion_tokens if one.completion_tokens is None else one.completion_tokens,
        )
    return whole


def _ending(raw: Any) -> Ending:
    choices = _of(raw, "choices")
    first = choices[0] if isinstance(choices, list | tuple) and choices else raw
    for name in ("finish_reason", "stop_reason", "done_reason"):
        reason = _of(first, name)
        if isinstance(reason, str) and reason:
            return ENDINGS.get(reason.lower(), "other")
    return ""


def _count(usage: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = _of(usage, name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _of(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
