"""A prompt as a model gets it: turns of a chat or one plain text, and how many tokens it may answer with.

Limits.  128 new tokens for short answers (Chirkova et al. 2024), 2048 for dialectic ones (Ranaldi et al. 2025).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.records import Prompt


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """New tokens at most, for short and for dialectic answers."""

    short: int = 128
    dialectic: int = 2048

    def of(self, prompt: Prompt) -> int:
        """The limit for `prompt`."""
        return self.dialectic if prompt.task.dialectic else self.short


@dataclass(frozen=True, slots=True)
class Turn:
    role: Literal["system", "user"]
    text: str


def turns(prompt: Prompt, *, system_role: bool) -> tuple[Turn, ...]:
    """System and user turn; for a model without a system role, one user turn that begins with the instructions."""
    if not prompt.system.strip():
        return (Turn("user", prompt.user),)
    if system_role:
        return (Turn("system", prompt.system), Turn("user", prompt.user))
    return (Turn("user", f"{prompt.system}\n\n{prompt.user}"),)


def plain(prompt: Prompt) -> str:
    """The prompt as one text, for a model that was not trained to chat: it goes on where the text ends."""
    return "\n\n".join(part for part in (prompt.system, prompt.user) if part.strip()) + "\n"
