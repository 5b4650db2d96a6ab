"""Nothing in a text survives as markup."""

import ast
import html as standard
import inspect
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from workbench.ui.ask import page_scripts, presentation
from workbench.ui.parts import safe_html

ROOT = Path(__file__).resolve().parents[2]
NASTY = st.text(alphabet=st.sampled_from("<>&\"'/=!- abc\u202e\u200b\n["), max_size=40)
SPANS = st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50)), max_size=6)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")

    def handle_decl(self, decl: str) -> None:
        self.tags.append("declaration")

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(piece: str) -> _Reader:
    reader = _Reader()
    reader.feed(piece)
    reader.close()
    return reader


@given(NASTY | st.text(max_size=60))
def test_an_escaped_text_holds_no_angle_bracket_or_quote_and_reads_back_the_same(text: str) -> None:
    piece = safe_html.escaped(text)
    assert not set(piece) & set("<>\"'")
    assert standard.unescape(piece) == standard.unescape(standard.escape(text))


@given(NASTY)
def test_a_text_block_holds_one_tag_and_the_whole_text(text: str) -> None:
    reader = _read(safe_html.text_block(text, "en"))
    assert reader.tags == ["div"]
    assert reader.text == text


@given(NASTY, SPANS)
def test_marking_changes_no_character_and_adds_marks_only(text: str, spans: list[tuple[int, int]]) -> None:
    reader = _read(safe_html.marked_text(text, spans))
    assert reader.text == text
    assert set(reader.tags) <= {"div", "mark"}


@given(NASTY)
def test_an_attribute_cannot_be_left(text: str) -> None:
    assert _read(safe_html.element("span", css=text, lang=text, role=text)).tags == ["span"]


def test_a_span_is_marked_by_character_offset_in_any_script() -> None:
    assert "<mark>北京</mark>是" in safe_html.marked_text("答案：北京是首都", [(3, 5)], "zh")


def test_each_span_has_a_mark_of_its_own_without_what_the_one_before_has() -> None:
    shown = safe_html.marked_text("abcdef", [(2, 4), (0, 2), (3, 5)], anchor="document-1")
    assert (
        '<mark id="document-1-0">ab</mark><mark id="document-1-2">cd</mark><mark id="document-1-4">e</mark>f' in shown
    )


def test_a_span_beyond_the_text_is_cut() -> None:
    assert "<mark>c</mark></div>" in safe_html.marked_text("abc", [(2, 99), (7, 9)])


def test_a_text_block_takes_the_direction_of_its_first_letter() -> None:
    assert 'dir="auto"' in safe_html.text_block("من أسس الجامع؟", "ar")


@given(NASTY | st.text(max_size=60))
def test_a_plain_label_has_every_sign_of_markdown_escaped(text: str) -> None:
    label = safe_html.plain_label(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[\]^-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", label))
    assert re.sub(r"\\(.)", r"\1", label).replace("\u200b", "") == " ".join(text.split()).replace("\u200b", "")


@pytest.mark.parametrize("address", ["https://stranger.example/a", "www.stranger.example", "a@stranger.example"])
def test_an_address_in_a_plain_label_is_cut_so_that_it_is_no_link(address: str) -> None:
    assert address not in safe_html.plain_label(address).replace("\\", "")


def test_nothing_else_puts_markup_or_scripts_on_a_page() -> None:
    # What these two show is escaped by the tests above, or is a file and a script of our own.
    allowed = {"workbench/ui/parts/safe_html.py", "workbench/ui/parts/frame.py"}
    words = ("st.html", "unsafe_allow", "components.v1", "components.html", "iframe(")
    files = [path for folder in ("workbench", "pages") for path in sorted((ROOT / folder).rglob("*.py"))]
    users = {path.relative_to(ROOT).as_posix() for path in files if any(w in path.read_text("utf-8") for w in words)}
    assert users == allowed


def test_nothing_evaluates_code_or_reads_pickles() -> None:
    for path in (ROOT / "workbench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                assert getattr(node.func, "id", "") not in ("eval", "exec", "compile", "__import__"), path
                for word in node.keywords:
                    assert word.arg != "allow_pickle" or getattr(word.value, "value", None) is False, path
            if isinstance(node, ast.Import):
                assert not {"pickle", "dill", "joblib", "shelve"} & {item.name for item in node.names}, path


def test_every_script_is_a_constant_that_no_data_enters() -> None:
    running = ("safe_html.run_script", "run_script", "keyboard.listen")
    calls = [
        node
        for path in (ROOT / "workbench" / "ui").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in running
    ]
    scripts = [node.id for call in calls for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)]
    assert len(scripts) >= len(calls) >= 3
    assert [name for name in scripts if not name.isupper() and name not in ("move", "script")] == []
    files = [path.read_text("utf-8") for path in (ROOT / "workbench" / "ui").rglob("*.js")]
    assert {page_scripts.HEAR_ANSWER, presentation.KEYBOARD, safe_html.COPY} < set(files)
    for script in files:
        assert "</" not in script
        assert "innerHTML" not in script


def test_the_script_of_the_dashboard_is_the_same_whatever_is_shown() -> None:
    assert safe_html.LOOK_AT_INSTANCES.count("<script>") == safe_html.LOOK_AT_INSTANCES.count("</script>") == 1
    assert not inspect.signature(safe_html.look_at_instances).parameters
