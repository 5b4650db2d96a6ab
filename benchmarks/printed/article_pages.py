"""The articles as data, as web pages like an encyclopedia's, and as the PDF files that a browser prints of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import yaml

from benchmarks.documents.printing import FONTS
from benchmarks.screens.running import chromium
from workbench.languages.catalogue import language

if TYPE_CHECKING:
    from playwright.sync_api import Route

FOLDER = Path(__file__).parent / "articles"
WORDS = Path(__file__).parent / "words.yaml"
HOST = "https://encyclopedia.example.org"
PRINTED_ON = "24/11/2026, 10:15"
CITATION = "^"
"""What stands in a text where a reference is cited."""
STYLE = """
body { font-size: 10.5pt; line-height: 1.5; }
h1 { border-bottom: 1px solid #999; font-size: 20pt; font-weight: normal; }
h2 { border-bottom: 1px solid #bbb; font-size: 15pt; font-weight: normal; break-after: avoid; }
nav { font-size: 8.5pt; color: #555; border-bottom: 1px solid #ccc; padding-bottom: 4px; }
nav span { margin-inline-end: 14px; }
sup { font-size: 7pt; line-height: 1; }
a { color: #333; text-decoration: none; }
table { float: inline-end; width: 16em; margin: 0 0 1em 1em; border: 1px solid #aaa; font-size: 9pt;
  border-collapse: collapse; }
[dir=rtl] table { margin: 0 1em 1em 0; }
caption, td, th { padding: 3px 6px; text-align: start; vertical-align: top; }
caption { font-weight: bold; text-align: center; }
.contents { display: inline-block; border: 1px solid #aaa; padding: 6px 14px; font-size: 9.5pt; }
.contents ol { margin: 4px 0; }
.references { font-size: 8.5pt; line-height: 1.35; list-style-position: outside; }
.references li { overflow-wrap: anywhere; }
.narrow { columns: 2; column-gap: 28px; }
footer { margin-top: 18px; border-top: 1px solid #aaa; font-size: 8.5pt; color: #555; }
"""
EDGE = "width: 100%; margin: 0 10mm; display: flex; justify-content: space-between; font-size: 8px;"
CUT = "max-width: 85%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;"
DIGITS_APART = re.compile(r"(?<=\d)(?:[,.٬'’\u00a0\u202f ](?=\d{3}(?!\d))|,(?=\d{2},\d{3}(?!\d)))")
"""The separator of thousands, as the languages have it, and of lakhs."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of the list of references: what was read, where, and when it was looked up."""

    title: str
    source: str
    date: str

    @property
    def url(self) -> str:
        """Where it is said to lie."""
        path = re.sub(r"\W+", "-", self.title.casefold()).strip("-")
        return f"https://{re.sub(r'[^a-z]+', '', self.source.casefold())}.example.org/{self.date[:4]}/{path}"


@dataclass(frozen=True, slots=True)
class FigureQuestion:
    """A question about an article, by language; the figure is in digits, with other forms that are right too."""

    name: str
    article: str
    article_language: str
    figure: str
    accepted: tuple[str, ...]
    texts: Mapping[str, str]

    def is_in(self, text: str) -> bool:
        """Whether a text holds the figure, in any digits, with or without separators."""
        return self.count_in(text) > 0

    def count_in(self, text: str) -> int:
        """How often a text holds it, but not as a part of a date in digits."""
        plain = plain_figures(text)
        forms = {plain_figures(form) for form in (self.figure, *self.accepted)}
        return sum(len(re.findall(rf"(?<![\d./-]){re.escape(form)}(?![./-]?\d)", plain)) for form in forms)


@dataclass(frozen=True, slots=True)
class Article:
    """An article: a lead, an info box, sections of paragraphs, references, and the questions about it."""

    name: str
    language: str
    title: str
    words: Mapping[str, Any]
    box: Sequence[tuple[str, str]]
    lead: str
    sections: Sequence[tuple[str, str]]
    see_also: Sequence[str]
    categories: Sequence[str]
    references: Sequence[Reference]
    questions: Sequence[FigureQuestion]

    @property
    def url(self) -> str:
        """Where the article is said to lie."""
        return f"{HOST}/{self.language}/{quote(self.title.replace(' ', '_'))}"

    @property
    def body(self) -> str:
        """What is not the list of references: the lead, the info box, and the sections."""
        box = "\n".join(f"{label}\n{value}" for label, value in self.box)
        sections = "\n".join(f"{heading}\n{text}" for heading, text in self.sections)
        return f"{self.title}\n{self.lead}\n{box}\n{sections}".replace(CITATION, "")


def plain_figures(text: str) -> str:
    """A text with the digits of all scripts as ASCII's, without separators of thousands, with decimal points.

    >>> plain_figures("১,২৫০ · 3 400 · ٣٫٥ · 12,5")
    '1250 · 3400 · 3.5 · 12.5'
    """
    digits = "".join(
        str(unicodedata.digit(char)) if unicodedata.category(char) == "Nd" else char
        for char in unicodedata.normalize("NFKC", text)
    )
    return re.sub(r"(?<=\d)[,٫](?=\d)", ".", DIGITS_APART.sub("", digits))


def articles() -> tuple[Article, ...]:
    """All articles, by name."""
    words = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return tuple(_article(path, words) for path in sorted(FOLDER.glob("*.yaml")))


def _article(path: Path, words: Mapping[str, Mapping[str, Any]]) -> Article:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    code = data["language"]
    questions = tuple(
        FigureQuestion(
            name=f"{path.stem}-{number}",
            article=path.stem,
            article_language=code,
            figure=str(item.pop("figure")),
            accepted=tuple(map(str, item.pop("accepted", ()))),
            texts=item,
        )
        for number, item in enumerate(data["questions"], start=1)
    )
    return Article(
        name=path.stem,
        language=code,
        title=data["title"],
        words=words[code],
        box=[(label, str(value)) for label, value in data["box"]],
        lead=data["lead"],
        sections=[(item["heading"], item["text"]) for item in data["sections"]],
        see_also=data["see_also"],
        categories=data["categories"],
        references=[Reference(*map(str.strip, line.split(" | "))) for line in data["references"].strip().split("\n")],
        questions=questions,
    )


def web_page(article: Article) -> str:
    """The article as a page with a strip of links, contents, an info box, references and categories."""
    words = article.words
    cited = _citations(len(article.references))

    def paragraphs(text: str) -> str:
        parts = (" ".join(part.split("\n")) for part in text.strip().split("\n\n"))
        marked = (re.sub(re.escape(CITATION), lambda _: next(cited), escape(part)) for part in parts)
        return "".join(f"<p>{part}</p>" for part in marked)

    headings = [heading for heading, _ in article.sections] + [words["see_also"], words["references"]]
    strip = "".join(f"<span>{escape(word)}</span>" for word in words["strip"])
    contents = "".join(f"<li>{escape(heading)}</li>" for heading in headings)
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in article.box)
    lead = paragraphs(article.lead)
    sections = "".join(f"<h2>{escape(heading)}</h2>{paragraphs(text)}" for heading, text in article.sections)
    see_also = "".join(f"<li>{escape(name)}</li>" for name in article.see_also)
    references = "".join(
        f"<li>^ “{escape(item.title)}”. <i>{escape(item.source)}</i>. <a href='{item.url}'>{item.url}</a>. "
        f"Retrieved {item.date}.</li>"
        for item in article.references
    )
    # Every second article has its references in two columns, as wide screens and print styles do.
    narrow = "narrow" if len(article.name) % 2 else ""
    direction = language(article.language).direction
    font = FONTS.get(article.language) or FONTS["hi" if article.language == "mr" else "en"]
    return (
        f'<!doctype html><html lang="{article.language}" dir="{direction}"><head><meta charset="utf-8">'
        f"<title>{escape(article.title)} – {escape(words['site'])}</title>"
        f"<style>body {{ font-family: '{font}', sans-serif; }}{STYLE}</style></head><body><nav>{strip}</nav>"
        f"<h1>{escape(article.title)}</h1><table><caption>{escape(article.title)}</caption>{rows}</table>{lead}"
        f"<div class='contents'><b>{escape(words['contents'])}</b><ol>{contents}</ol></div>{sections}"
        f"<h2>{escape(words['see_also'])}</h2><ul>{see_also}</ul><h2>{escape(words['references'])}</h2>"
        f"<ol class='references {narrow}' dir='ltr'>{references}</ol>"
        f"<footer>{escape(words['categories'])}: {escape(' | '.join(article.categories))}</footer></body></html>"
    )


def _citations(count: int) -> Iterator[str]:
    number = 0
    while True:
        yield f"<sup>[{number % count + 1 if count else number + 1}]</sup>"
        number += 1


def write_texts(every: Sequence[Article], folder: Path) -> dict[str, Path]:
    """The articles as text files without markup and without references, by name."""
    files = {article.name: folder / f"{article.name}.txt" for article in every}
    for article in every:
        files[article.name].write_text(article.body, encoding="utf-8")
    return files


def print_articles(every: Sequence[Article], folder: Path) -> dict[str, Path]:
    """The PDF files of articles, by name, with the browser's running heads; none where Chromium is missing."""
    path = chromium()
    if path is None or find_spec("playwright") is None:
        return {}
    # In a thread of its own: Playwright starts only once in a thread, and a test's browser may be open.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_print, path, every, folder).result()


def _serve(content: str, route: Route) -> None:
    route.fulfill(body=content, content_type="text/html; charset=utf-8")


def _print(chromium_path: str, every: Sequence[Article], folder: Path) -> dict[str, Path]:
    from playwright.sync_api import sync_playwright

    head = f"<div style='{EDGE}'><span>{PRINTED_ON}</span><span class='title'></span><span></span></div>"
    foot = (
        f"<div style='{EDGE}'><span class='url' style='{CUT}'></span>"
        "<span><span class='pageNumber'></span>/<span class='totalPages'></span></span></div>"
    )
    files: dict[str, Path] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        for article in every:
            page = browser.new_page()
            page.route("**/*", partial(_serve, web_page(article)))
            page.goto(article.url)
            files[article.name] = folder / f"{article.name}.pdf"
            page.pdf(
                path=str(files[article.name]),
                format="A4",
                display_header_footer=True,
                header_template=head,
                footer_template=foot,
                margin={"top": "15mm", "bottom": "15mm", "left": "12mm", "right": "12mm"},
            )
            page.close()
        browser.close()
    return files
