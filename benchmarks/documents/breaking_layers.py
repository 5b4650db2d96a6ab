"""Text layers that do not say what the page shows, each made in a way that occurs in files of strangers.

`LAYERS` names each way, by which a text becomes what a file states while people see the text itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import regex

from benchmarks.documents.printing import texts

SEED = 11
ENGLISH = (
    "The harbour office keeps a list of every boat that enters the bay, with the name of its owner and the hour of "
    "its arrival. On quiet mornings the clerk walks along the pier and counts the nets that hang there to dry. In "
    "winter the list is short, for few boats leave the harbour when the wind comes from the north, and the clerk has "
    "time to mend the old signal lamp. Twice a year the whole village meets in the office to hear what was caught, "
    "what was sold, and which families will paint their boats in a new colour."
)
FORMS = {
    "ا": "ﺎ", "ب": "ﺒ", "ت": "ﺘ", "ث": "ﺜ", "ج": "ﺠ", "ح": "ﺤ", "خ": "ﺨ", "د": "ﺪ", "ر": "ﺮ", "س": "ﺴ", "ش": "ﺸ",
    "ص": "ﺼ", "ض": "ﻀ", "ط": "ﻄ", "ع": "ﻌ", "غ": "ﻐ", "ف": "ﻔ", "ق": "ﻘ", "ك": "ﻜ", "ل": "ﻠ", "م": "ﻤ", "ن": "ﻨ",
    "ه": "ﻬ", "و": "ﻮ", "ي": "ﻴ", "ة": "ﺔ", "ى": "ﻰ", "أ": "ﺄ", "إ": "ﺈ",
}  # fmt: skip
SIGN = regex.compile(r"(\p{L})(\p{M})")


def spread(text: str) -> str:
    """Blanks between the letters of each word."""
    return "  ".join(" ".join(word) for word in text.split())


def private(text: str) -> str:
    """Every third letter is one that only the font knows."""
    return "".join(
        chr(0xE000 + ord(sign) % 200) if n % 3 == 0 and sign.isalpha() else sign for n, sign in enumerate(text)
    )


def replaced(text: str) -> str:
    """Every tenth letter is the sign for an unreadable one."""
    return "".join("\ufffd" if n % 10 == 0 and sign.isalpha() else sign for n, sign in enumerate(text))


def signs_first(text: str) -> str:
    """Vowel signs stand before their letters, as they are drawn."""
    return SIGN.sub(r"\2\1", text)


def signs_doubled(text: str) -> str:
    """Vowel signs are there twice."""
    return SIGN.sub(r"\1\2\2", text)


def backwards(text: str) -> str:
    """Each word's letters in the order in which they are drawn."""
    return " ".join(word[::-1] for word in text.split())


def shapes(text: str) -> str:
    """Letters are the shapes that they take between others."""
    return "".join(FORMS.get(sign, sign) for sign in text)


def wrong_encoding(text: str) -> str:
    """UTF-8 that was taken for Windows-1252."""
    return text.encode("utf-8").decode("cp1252", "replace").replace("\ufffd", "¿")


def without_spaces(text: str) -> str:
    """Words that run into each other."""
    return text.replace(" ", "")


def doubled(text: str) -> str:
    """Every letter is there twice, as where bold type is printed over itself."""
    return "".join(sign * 2 if sign.isalpha() else sign for sign in text)


def shifted(text: str) -> str:
    """Every letter is another one: a font whose table was scrambled."""
    letters = [chr(97 + n) for n in range(26)]
    others = letters[:]
    random.Random(SEED).shuffle(others)
    return text.lower().translate(str.maketrans("".join(letters), "".join(others)))


def numbered(text: str) -> str:
    """Glyphs by number, as readers write those that they cannot map."""
    return " ".join("".join(f"(cid:{ord(sign) % 500})" for sign in word) for word in text.split()[:60])


def legacy(text: str) -> str:
    """Latin letters and signs that a font of the time before Unicode draws as Devanagari."""
    keys = "dkgjhuiweoyvczxsfnlpmatbrqDKGJHUIWEOYVCZXSFNLPMATBRQ;[]{}|/\\~+="
    source = random.Random(SEED)
    return " ".join("".join(source.choice(keys) for _ in word) for word in text.split())


LAYERS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "blanks between letters (en)": (spread, "en"), "blanks between letters (hi)": (spread, "hi"),
    "private letters (ta)": (private, "ta"), "private letters (en)": (private, "en"),
    "unreadable letters (te)": (replaced, "te"), "signs before letters (hi)": (signs_first, "hi"),
    "signs before letters (kn)": (signs_first, "kn"), "signs twice (bn)": (signs_doubled, "bn"),
    "signs twice (th)": (signs_doubled, "th"), "letters backwards (ar)": (backwards, "ar"),
    "letters backwards (he)": (backwards, "he"), "shapes for letters (ar)": (shapes, "ar"),
    "wrong encoding (hi)": (wrong_encoding, "hi"), "wrong encoding (ar)": (wrong_encoding, "ar"),
    "no spaces (en)": (without_spaces, "en"), "every letter twice (en)": (doubled, "en"),
    "scrambled font table (en)": (shifted, "en"), "glyph numbers (zh)": (numbered, "zh"),
    "font before Unicode (hi)": (legacy, "hi"),
}  # fmt: skip
"""By name: the way of breaking, and the language of the text."""


def broken_layer(name: str) -> str:
    """The text that a file states which is broken in this way."""
    way, code = LAYERS[name]
    return way(ENGLISH if code == "en" else texts()[code])
