"""Labels of language identifiers and translators, read as our codes: `__label__arb_Arab`, `zho_Hans`, `zh_cn`, `por`.

lid.176 labels with Wikipedia's codes, OpenLID, GlotLID and NLLB with ISO 639-3 and a script; others write regions or
hyphens. Varieties that one corpus keeps together (Egyptian and Gulf Arabic, Dari and Persian) become one code; the
tables and their sources are in `labels.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import regex
import yaml

from workbench.languages.catalogue import Language, known_languages, language

PREFIX = "__label__"
PARTS = regex.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?", regex.I
)


@dataclass(frozen=True, slots=True)
class Label:
    """A language code as we write it ("" for “none” or “undetermined”) and a script.

    `script` is an ISO 15924 code where the label names one, "" where it does not.
    """

    language: str
    script: str = ""


@dataclass(frozen=True, slots=True)
class _Tables:
    names: Mapping[str, str]
    bare: Mapping[str, str]
    regions: Mapping[str, str]
    none: frozenset[str]


@cache
def parse_label(label: str) -> Label | None:
    """The language and script that `label` stands for; None for what is not a language label.

    >>> parse_label("__label__arb_Arab"), parse_label("zh_tw")
    (Label(language='ar', script='Arab'), Label(language='zh', script='Hant'))
    """
    match = PARTS.fullmatch(label.strip().removeprefix(PREFIX))
    if not match:
        return None
    tables = _tables()
    code = match["language"].lower()
    script = (match["script"] or "").title()
    region = (match["region"] or "").lower()
    if code in tables.none:
        return Label("", "" if script in ("Zyyy", "Zxxx", "Zzzz") else script)
    if not script and code in tables.bare:
        return Label(tables.bare[code])
    code = tables.names.get(code, code)
    if code == "zh" and not script:
        script = tables.regions.get(region, "")
    return Label(code, script)


def language_of(label: str) -> Language:
    """The language that `label` names, in any of these notations: `zh_cn`, `pt-BR` and `arb_Arab` too.

    Raises UsageError, as `language` does, for a label that names none.

    >>> language_of("pt-BR").code
    'pt'
    """
    parsed = parse_label(label)
    return language(parsed.language if parsed and parsed.language else label)


def flores_code(code: str) -> str:
    """The FLORES-200 code that NLLB uses for a language, "" where we know none.

    >>> flores_code("zh")
    'zho_Hans'
    """
    return next((item.nllb for item in known_languages() if item.code == code), "")


@cache
def _tables() -> _Tables:
    data = yaml.safe_load(files("workbench.languages").joinpath("labels.yaml").read_text(encoding="utf-8"))
    names = {**data["iso639_3"], **data["members"], **data["old"]}
    return _Tables(names, data["bare"], data["regions"], frozenset(data["none"]))
