"""The languages that multilingual-e5-small was trained on, as its authors list them.

Whether a text's pieces are in the vocabulary does not tell: the list does. Passages in other languages are searched by
the built-in encoder's transliteration instead.
"""

from __future__ import annotations

CODES = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
"""ISO 639 codes in the model card of intfloat/multilingual-e5-small."""
VARIANTS = frozenset({"nb", "nn", "fil", "yue"})
"""Codes of languages that the list has under another one: no, tl, zh."""
KNOWN_LANGUAGES = frozenset(CODES.split()) | VARIANTS


def knows_language(code: str) -> bool:
    """Whether the encoder was trained on texts in the language with this code.

    >>> knows_language("th"), knows_language("bo")
    (True, False)
    """
    return code in KNOWN_LANGUAGES
