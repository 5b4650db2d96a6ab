"""The language of each passage: what people state, else what is detected, else that of the document so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from workbench.languages import CODE, ENGLISH, Detector, is_known, language, parse_label, script_of

SURE = 0.5
"""The confidence from which a passage's language counts whatever the rest of the document is in."""
READ = 2_000
"""Characters of a passage that are read."""


@dataclass
class PassageLanguages:
    """Decides passage by passage of one document.

    `stated` is the language that people gave for the document (“”: none), which is not questioned; `hint` is what its
    file states. `doubtful` counts passages whose language was not detected surely.
    """

    detector: Detector
    stated: str = ""
    hint: str = ""
    doubtful: int = 0
    _counts: Counter[str] = field(default_factory=Counter)

    def language_of(self, text: str) -> str:
        """The passage's language, an ISO 639 code. Mixed documents keep a language for each passage."""
        if self.stated:
            return self.stated
        detection = self.detector.detect(text, length=READ)
        if detection.language and detection.confidence >= SURE and is_known(detection.language):
            self._counts[detection.language] += 1
            return detection.language
        self.doubtful += 1
        usual = [code for code, _ in self._counts.most_common()]
        script = detection.script or script_of(text)
        candidates = [*usual, *([self.hint] if self.hint else []), detection.language]
        fitting = [code for code in candidates if code and (not script or script in language(code).letter_scripts)]
        return next(iter([*fitting, *filter(None, candidates)]), ENGLISH)


def language_hint(text: str) -> str:
    """The code of a language as a file states it (“hi-IN”, “zh_CN”, “deu”), “” for what names none."""
    label = parse_label(text)
    return label.language if label and CODE.fullmatch(label.language) else ""
