"""Labels of language identifiers and translators, read as our codes: `__label__arb_Arab`, `zho_Hans`, `zh_cn`, `por`.

lid.176 labels with Wikipedia's codes, OpenLID, GlotLID and NLLB with ISO 639-3 and a script; others write regions or
hyphens.  Varieties that one corpus keeps together (Egyptian and Gulf Arabic, Dari and Persian) become one code; the
tables and their sources lie in `labels.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import regex
import yaml

from workbench.languages.language import Language, known_languages, language

PREFIX = "__label__"
PARTS = regex.compile(r"(?P<code>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?", regex.I)


@dataclass(frozen=True, slots=True)
class Label:
    """A language `code` as we write it ("" for “none” or “undetermined”), and the ISO 15924 `script` where the label
    says which, "" where it does not.
    """

    code: str
    script: str = ""


@dataclass(frozen=True, slots=True)
class _Tables:
    names: Mapping[str, str]
    bare: Mapping[str, str]
    regions: Mapping[str, str]
    none: frozenset[str]


@cache
def parse_label(label: str) -> Label | None:
    """The language and script that `label` stands for; None for what is no language label at all.

    >>> parse_label("__label__arb_Arab"), parse_label("zh_tw")
    (Label(code='ar', script='Arab'), Label(code='zh', script='Hant'))
    """
    found = PARTS.fullmatch(label.strip().removeprefix(PREFIX))
    if not found:
        return None
    tables = _tables()
    code = found["code"].lower()
    script = (found["script"] or "").title()
    region = (found["region"] or "").lower()
    if code in tables.none:
        return Label("", "" if script in ("Zyyy", "Zxxx", "Zzzz") else script)
    if not script and code in tables.bare:
        return Label(tables.bare[code])
    named = tables.names.get(code, code)
    if named == "zh" and not script:
        script = tables.regions.get(region, "")
    return Label(named, script)


def language_of(label: str) -> Language:
    """The language that `label` names in whatever way: `zh_cn`, `pt-BR` and `arb_Arab` too.

    Raises UsageError, as `language` does, for what names none.

    >>> language_of("pt-BR").code
    'pt'
    """
    found = parse_label(label)
    return language(found.code if found and found.code else label)


def flores_code(code: str) -> str:
    """The FLORES-200 code that NLLB uses for a language of ours, "" where we know none.

    >>> flores_code("zh")
    'zho_Hans'
    """
    return next((item.nllb for item in known_languages() if item.code == code), "")


@cache
def _tables() -> _Tables:
    data = yaml.safe_load(files("workbench.languages").joinpath("labels.yaml").read_text(encoding="utf-8"))
    names = {**data["iso639_3"], **data["members"], **data["old"]}
    return _Tables(names, data["bare"], data["regions"], frozenset(data["none"]))
