"""Dumps of Wikipedia as the tests need them: the form of MediaWiki's export, texts of our own."""

from __future__ import annotations

import bz2
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

HEADER = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{code}">
  <siteinfo>
    <dbname>{code}wiki</dbname>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">Tiedosto</namespace>
      <namespace key="14" case="first-letter">Luokka</namespace>
    </namespaces>
  </siteinfo>
"""
END = "</mediawiki>\n"


def page(number: int, title: str, text: str, *, namespace: int = 0, redirect: str = "") -> str:
    target = f'<redirect title="{escape(redirect)}" />' if redirect else ""
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{namespace}</ns>\n    <id>{number}</id>{target}\n"
        f'    <revision>\n      <id>{number * 10}</id>\n      <text xml:space="preserve">{escape(text)}</text>\n'
        "    </revision>\n  </page>\n"
    )


def pages(count: int) -> list[str]:
    """Articles, every fifth a redirect, every seventh a page of talk."""
    return [
        page(
            number,
            f"Kylä {number}",
            f"'''Kylä {number}''' on [[kylä]] {'ja talo ' * (number % 50)}.\n== Väki ==\n{number} ihmistä.",
            namespace=1 if number % 7 == 0 else 0,
            redirect="Kylä 1" if number % 5 == 0 else "",
        )
        for number in range(1, count + 1)
    ]


def write_plain(path: Path, entries: Iterable[str], code: str = "fi") -> Path:
    path.write_text(HEADER.format(code=code) + "".join(entries) + END, encoding="utf-8")
    return path


def write_streams(path: Path, entries: list[str], code: str = "fi", per_stream: int = 10) -> Path:
    """A bz2 file of several streams, as `-multistream` dumps are: the header, some pages each, the end."""
    pieces = [HEADER.format(code=code)]
    pieces += ["".join(entries[at : at + per_stream]) for at in range(0, len(entries), per_stream)]
    path.write_bytes(b"".join(bz2.compress(piece.encode()) for piece in [*pieces, END]))
    return path
