from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tests.data.documents.dumps import END, HEADER, page, pages, write_plain, write_streams
from workbench.core.errors import DataError
from workbench.data.documents.wikipedia import dump_pages
from workbench.data.documents.wikipedia.article import WikiArticle
from workbench.data.documents.wikipedia.dump_pages import PagesArticles, plain_paragraphs


def articles(path: Path) -> list[WikiArticle]:
    return [article for _, article in PagesArticles(path).articles({}) if article]


def test_redirects_and_pages_of_other_kinds_are_no_articles(tmp_path: Path) -> None:
    read = articles(write_plain(tmp_path / "d.xml", pages(35)))
    assert [article.id for article in read] == [str(n) for n in range(1, 36) if n % 5 and n % 7]
    assert {article.language for article in read} == {"fi"}


@pytest.mark.parametrize("form", ["xml", "bz2", "streams", "gz"])
def test_every_packing_gives_the_same_articles(tmp_path: Path, form: str) -> None:
    entries = pages(60)
    plain = write_plain(tmp_path / "d.xml", entries)
    packed = {
        "xml": lambda: plain,
        "bz2": lambda: _written(tmp_path / "d.xml.bz2", bz2.compress(plain.read_bytes())),
        "streams": lambda: write_streams(tmp_path / "s.xml.bz2", entries),
        "gz": lambda: _written(tmp_path / "d.xml.gz", gzip.compress(plain.read_bytes())),
    }[form]()
    assert articles(packed) == articles(plain)


@pytest.mark.parametrize("form", ["xml", "streams", "gz"])
def test_reading_goes_on_from_every_place(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_pages, "PIECE", 700)  # so that places lie within and between pieces
    entries = pages(40)
    path = write_plain(tmp_path / "d.xml", entries)
    if form == "streams":
        path = write_streams(tmp_path / "d.xml.bz2", entries, per_stream=7)
    if form == "gz":
        path = _written(tmp_path / "d.xml.gz", gzip.compress(path.read_bytes()))
    source = PagesArticles(path)
    complete = list(source.articles({}))
    assert len(complete) == 40
    for at, (place, _) in enumerate(complete):
        assert list(source.articles(place)) == complete[at + 1 :]


def test_reading_goes_on_in_the_stream_that_holds_the_place(tmp_path: Path) -> None:
    source = PagesArticles(write_streams(tmp_path / "d.xml.bz2", pages(100)))
    places = [place for place, _ in source.articles({})]
    assert places[5]["stream"] < places[55]["stream"] < places[95]["stream"] < source.size


@pytest.mark.parametrize("keep", [0.3, 0.9])
@pytest.mark.parametrize("form", ["xml", "bz2"])
def test_a_cut_dump_is_told(tmp_path: Path, keep: float, form: str) -> None:
    data = write_plain(tmp_path / "x.xml", pages(200)).read_bytes()
    data = bz2.compress(data) if form == "bz2" else data
    path = _written(tmp_path / f"d.{form if form == 'xml' else 'xml.bz2'}", data[: int(len(data) * keep)])
    with pytest.raises(DataError, match=r"not complete|not a dump"):
        articles(path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a dump of Wikipedia"):
        PagesArticles(_written(tmp_path / "d.xml", b"<html><page></page></html>"))


def test_entities_that_a_page_declares_are_refused(tmp_path: Path) -> None:
    bomb = '  <page><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><title>&x;</title></page>\n'
    with pytest.raises(DataError, match="not XML"):
        articles(write_plain(tmp_path / "d.xml", [bomb]))


def test_a_page_without_end_is_refused_before_memory_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_pages, "PAGE_LIMIT", 1 << 20)
    endless = HEADER.format(code="fi") + "<page>" + "a" * (5 << 20) + END
    with pytest.raises(DataError, match="more than 1 MiB"):
        articles(_written(tmp_path / "d.xml.bz2", bz2.compress(endless.encode())))


def test_templates_tables_references_and_files_are_left_out() -> None:
    text = """{{Infobox|a={{b}}}}
'''Oulu''' ({{lang|x}}) is a [[city]]<ref>source</ref> in [[Finland|the ''north'']].
[[Tiedosto:a.jpg|thumb|A [[view]]]]
{| class="wikitable"
! head
|-
| cell
|}
== Name ==
* one<br/>line
<gallery>x.jpg</gallery><!-- note -->
[[Luokka:Cities]] [[:Luokka:Cities|shown]]
"""
    assert plain_paragraphs(text, frozenset({"tiedosto", "luokka"})) == [
        ("", "Oulu is a city in the north."),
        ("Name", "one line"),
        ("Name", "shown"),
    ]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="[]{}|'=<>&;:*#\n abcرهไท", max_size=200))
def test_any_wikitext_gives_paragraphs_without_line_ends(text: str) -> None:
    assert all(paragraph.strip() and "\n" not in paragraph for _, paragraph in plain_paragraphs(text))


def test_braces_nested_without_end_are_read_in_bounded_time() -> None:
    assert plain_paragraphs("{{" * 20_000 + "text") == [("", "text")]


def test_a_dump_of_no_known_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not know"):
        PagesArticles(write_plain(tmp_path / "d.xml", [page(1, "A", "b")], code="x y"))


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
