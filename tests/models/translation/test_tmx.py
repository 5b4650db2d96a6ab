"""TMX files: reading, refusing, writing."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from workbench.core.errors import DataError, MissingError
from workbench.models.translation.translation_memory import Unit, read_tmx, write_tmx

TEXT = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), min_size=1).map(
    lambda text: " ".join(text.split())
)


def tmx(body: str, before: str = "") -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>{before}<tmx version="1.4"><header/><body>{body}</body></tmx>'


def read_text(folder: Path, text: str) -> list[Unit]:
    path = folder / "memory.tmx"
    path.write_text(text, encoding="utf-8")
    return list(read_tmx(path))


def test_units_come_in_order_with_regions_dropped(tmp_path: Path) -> None:
    body = (
        '<tu tuid="1"><tuv xml:lang="en-GB"><seg>Tea</seg></tuv><tuv xml:lang="pt-BR"><seg>Chá</seg></tuv></tu>'
        '<tu><tuv lang="FR"><seg>Thé</seg></tuv></tu>'
    )
    assert read_text(tmp_path, tmx(body)) == [Unit("1", (("en", "Tea"), ("pt", "Chá"))), Unit("", (("fr", "Thé"),))]


def test_inline_codes_are_left_out_and_marked_text_stays(tmp_path: Path) -> None:
    body = '<tu><tuv xml:lang="en"><seg>a <bpt i="1">&lt;b&gt;</bpt><hi>bold</hi> word</seg></tuv></tu>'
    assert read_text(tmp_path, tmx(body))[0].text("en") == "a bold word"


@pytest.mark.parametrize(
    "before",
    [
        '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE tmx SYSTEM "http://example.org/tmx14.dtd">',
    ],
)
def test_a_file_that_declares_entities_is_refused(tmp_path: Path, before: str) -> None:
    with pytest.raises(DataError, match="delete its <!DOCTYPE"):
        read_text(tmp_path, tmx("", before))


@pytest.mark.parametrize("text", ["", "no xml", tmx("<tu>"), tmx("")[:-5], "<html/>"])
def test_what_is_not_a_complete_tmx_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError):
        read_text(tmp_path, text)


def test_a_language_that_is_not_a_code_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="English language"):
        read_text(tmp_path, tmx('<tu><tuv xml:lang="English language"><seg>x</seg></tuv></tu>'))


@pytest.mark.parametrize("name", ["U0TF-8", "shift_jis"])
def test_an_encoding_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"memory\.tmx states an encoding that cannot be read .*save it as UTF-8\.$"):
        read_text(tmp_path, tmx("").replace("UTF-8", name))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"none\.tmx"):
        list(read_tmx(tmp_path / "none.tmx"))


def test_a_text_that_xml_cannot_carry_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.tmx"
    write_tmx(path, [Unit("1", (("en", "stays"),))])
    with pytest.raises(DataError, match=r"U\+0000"):
        write_tmx(path, [Unit("2", (("en", "bad\0"),))])
    assert list(read_tmx(path)) == [Unit("1", (("en", "stays"),))]
    assert [item.name for item in tmp_path.iterdir()] == ["memory.tmx"]


@given(st.lists(st.tuples(TEXT, TEXT), max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("tmx") / "memory.tmx"
    units = [Unit(str(n), (("en", left), ("th", right))) for n, (left, right) in enumerate(texts) if left and right]
    write_tmx(path, units)
    assert list(read_tmx(path)) == units
