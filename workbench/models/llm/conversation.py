"""A prompt as a model gets it: the turns of a chat or one plain text, and how many tokens the answer may have.

Limits: 128 new tokens for short answers, Chirkova et al. (2024); 2,048 for dialectic ones, Ranaldi et al. (2025,
D-RAG), and for translations by a language model, Ranaldi et al. (2025, CrossRAG).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.core import Prompt


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The most new tokens that a short and a dialectic answer may have."""

    short: int = 128
    dialectic: int = 2048

    @classmethod
    def of(cls, max_new_tokens: int | None) -> TokenLimits:
        """The limits of a recipe: the same number for every answer, or for None each task's default."""
        return cls() if max_new_tokens is None else cls(max_new_tokens, max_new_tokens)

    def for_prompt(self, prompt: Prompt) -> int:
        """The limit in new tokens: `dialectic` where the task of `prompt` is dialectic, else `short`."""
        return self.dialectic if prompt.task.dialectic else self.short


JUDGE_LIMITS = TokenLimits(short=512)
"""A judge thinks before its verdict, which a limit for short answers would cut off."""
TRANSLATION_LIMITS = TokenLimits(short=2048)
"""A passage in another language has more tokens than an answer: Ranaldi et al. (2025, CrossRAG), section 3.2."""
REWRITING_LIMITS = TokenLimits(short=512)
"""A passage of HyDE, a list of questions or notes on documents, with room for scripts of many tokens per word."""
RANKING_LIMITS = TokenLimits(short=512)
"""RankGPT's list of a window of 20 passages takes about 120 tokens, and some models think before it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a chat: who speaks, and the text."""

    role: Literal["system", "user"]
    text: str


def turns(prompt: Prompt, *, system_role: bool) -> tuple[Turn, ...]:
    """System and user turn; for a model without a system role, one user turn that begins with the instructions."""
    if not prompt.system.strip():
        return (Turn("user", prompt.user),)
    if system_role:
        return (Turn("system", prompt.system), Turn("user", prompt.user))
    return (Turn("user", f"{prompt.system}\n\n{prompt.user}"),)


def plain_text(prompt: Prompt) -> str:
    """The prompt as one text, for a model that was not trained to chat: it continues where the text ends."""
    return "\n\n".join(part for part in (prompt.system, prompt.user) if part.strip()) + "\n"
