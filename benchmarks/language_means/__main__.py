"""Makes the table of language means of e5-small: `python -m benchmarks.language_means --django DIR`.

DIR is an unpacked wheel of Django (`pip download django --no-deps`; BSD licence), whose interface strings exist in some
80 languages. Every second string of at least 25 characters is encoded with its English original; the mean difference
by language is written to the encoder's folder, with the mean of the English sentences of the sample. Only these means
ship, no string.
"""

from __future__ import annotations

import argparse
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from workbench.core.records import Passage
from workbench.data.corpora.sample import aligned_sentences
from workbench.retrieval.encoders.e5_small_encoder import MEANS, E5SmallEncoder
from workbench.retrieval.encoders.language_means import LanguageMeans

SHORTEST = 25
"""Characters of an English string: shorter ones are labels."""
FEWEST = 60
"""Strings of a language that is given a mean."""
VARIANTS = {"zh_Hans": "zh"}
"""Regional locales that stand for their language; the others are left out."""
PLACEHOLDER = re.compile(r"%\(\w+\)s|%[sd]")


def pairs(locales: list[Path]) -> Iterator[tuple[str, str]]:
    """(English, translation) of the strings in the catalogues of one language."""
    for path in locales:
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for key, text in catalogue.items():
            english = key.split("\x04")[-1] if isinstance(key, str) else ""
            if len(english) >= SHORTEST and text and text != english and not re.search(r"[{<]", english):
                yield PLACEHOLDER.sub("1", english), PLACEHOLDER.sub("1", text)


def by_language(django: Path) -> dict[str, dict[str, str]]:
    """English strings and their translations by language, every second one."""
    catalogues = sorted(django.glob("**/locale/*/LC_MESSAGES/django.mo"))
    codes = sorted({path.parts[-3] for path in catalogues})
    texts: dict[str, dict[str, str]] = {}
    for code in codes:
        strings = dict(pairs([path for path in catalogues if path.parts[-3] == code]))
        if len(strings) >= FEWEST and (code in VARIANTS or "_" not in code) and code != "en":
            texts[VARIANTS.get(code, code)] = dict(sorted(strings.items())[::2])
    return texts


def main() -> None:
    """Writes the table and prints how many strings each language had."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--django", type=Path, required=True)
    texts = by_language(parser.parse_args().django)
    encoder = E5SmallEncoder()

    def encode(strings: list[str], language: str) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return encoder.encode_passages([Passage("", "", "", language, text) for text in strings])

    english = sorted({text for strings in texts.values() for text in strings})
    vectors = dict(zip(english, encode(english, "en"), strict=True))
    means = {}
    for language, strings in texts.items():
        difference = encode(list(strings.values()), language) - np.stack([vectors[text] for text in strings])
        means[language] = difference.mean(axis=0).astype(np.float32)
        print(language, len(strings), flush=True)
    sample = [text for group in aligned_sentences() for code, text in group if code == "en"]
    LanguageMeans(means, encode(sample, "en").mean(axis=0)).save(MEANS)
    print(f"{len(means)} languages, {MEANS.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
