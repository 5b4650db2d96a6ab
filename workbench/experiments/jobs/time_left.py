"""How long a job will take yet, by the pace of the batches that it has finished."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.experiments.phases import LAST_TITLE
from workbench.workspace import duration_words


@dataclass
class Pace:
    """The pace of one stage, from the end of its first batch on: that one also waits for models to be loaded.

    `first`: the batches that were finished then; `began`: when that was, in seconds since 1970.
    """

    stage: str = ""
    first: int = 0
    began: float = 0.0

    def end(self, stage: str, done: int, total: int, now: float) -> float | None:
        """When the stage will end, in seconds since 1970; None as long as there is no pace.

        Called after each batch, with the numbers of batches finished and in all.
        """
        if stage != self.stage:
            self.stage, self.first, self.began = stage, done, now
        if done <= self.first:
            return None
        return now + (now - self.began) / (done - self.first) * (total - done)


def left_words(stage: str, ends: float | None, now: float) -> str:
    """What is left of a job until its stage `ends`, "" where that is unknown or past.

    The last stage ends with the job; of those before it nothing is known but their own end.

    >>> left_words("answering", 190.0, 20.0), left_words("retrieving", 30.0, 20.0), left_words("answering", None, 20.0)
    ('about 3 minutes left', 'about 10 seconds left in this stage', '')
    """
    if ends is None or ends <= now:
        return ""
    return f"about {duration_words(ends - now)} left{'' if stage == LAST_TITLE else ' in this stage'}"
