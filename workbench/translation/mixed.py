"""Texts in several languages in one call, for any translator.

A translator takes texts of one language at a time; the passages of one ranking are in many.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.protocols import Translator
from workbench.records import Translation


def translate_mixed(
    translator: Translator, texts: Sequence[str], sources: Sequence[str], target: str
) -> list[Translation]:
    """`texts[i]`, which is in `sources[i]`, to `target`: one call a language, results in the order of the texts.

    Raises what the translator raises, and ValueError where the numbers of texts and sources differ.
    """
    rows: dict[str, list[int]] = {}
    for row, (_, source) in enumerate(zip(texts, sources, strict=True)):
        rows.setdefault(source, []).append(row)
    made: dict[int, Translation] = {}
    for source, members in rows.items():
        made.update(zip(members, translator.translate([texts[row] for row in members], source, target), strict=True))
    return [made[row] for row in range(len(texts))]
