"""Words marked in answers in a real browser: at the right characters in every script, undone, and kept."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from benchmarks.screens.running import running_app
from tests.browser.annotating import SEVERAL, add_answers, add_queue, annotate, answer, drag_over
from tests.browser.controls import settled
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import TextSpan, nfc
from workbench.experiments.results.result_store import ResultStore

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

TEXTS = {
    "ar": ("أُضيئتِ المنارةُ سنة ١٨٧٤ ثم احترق بيتُ الحارس.", "المنارةُ"),
    "he": ("הַמִּגְדַּלּוֹר הֻדְלַק בִּשְׁנַת 1874 ליד הַנָּמֵל.", "הֻדְלַק"),
    "zh": ("旧港的灯塔于1874年点亮，看守人的屋子后来烧毁了。", "点亮"),
    "ja": ("灯台は1874年に点灯され、ガラスは後に取り替えられた。", "ガラス"),
    "th": ("ประภาคารเปิดไฟครั้งแรกที่ท่าน้ำเก่าปี ๒๔๑๗", "ท่าน้ำ"),
    "hi": ("पुराना प्रकाशस्तंभ १८७४ में क़िले के पास जलाया गया।", "क़िले"),
    "ta": ("பழைய கலங்கரை விளக்கம் ௧௮௭௪ இல் ஏற்றப்பட்டது.", "விளக்கம்"),
    "bn": ("পুরোনো বাতিঘরটি ১৮৭৪ সালে ঘোড়ার আস্তাবলের পাশে জ্বলেছিল।", "ঘোড়ার"),
    "en": ("The 👩‍👩‍👧 of the 🇫🇮 keeper paid 🜁 café naïve Z̤͔̈́ą́l 👍🏽 then left.", "naïve Z̤͔̈́ą́l 👍🏽"),
}
"""An answer in each script, and a part of it that does not stand at its beginning."""
FORMS = ("NFC", "NFD")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with every answer in both forms."""
    folder = tmp_path_factory.mktemp("marks")
    texts = {
        f"{code}:{form}": unicodedata.normalize("NFC" if form == "NFC" else "NFD", text)
        for code, (text, _) in TEXTS.items()
        for form in FORMS
    }
    add_answers(folder, texts)
    return folder


@pytest.fixture(scope="module")
def url(home: Path) -> Iterator[str]:
    """The address of the app over that workspace."""
    with running_app(home) as address:
        yield address


@pytest.fixture
def store(home: Path) -> ResultStore:
    """Its results."""
    return ResultStore.at(f"sqlite:///{home / 'workbench.db'}")


@pytest.fixture(scope="module")
def queue(home: Path) -> AnnotationQueue:
    """All answers, for two people each."""
    return add_queue(ResultStore.at(f"sqlite:///{home / 'workbench.db'}"), home, people=50)


@pytest.fixture
def person() -> str:
    """Somebody who was never here, as a test that is run once more needs."""
    return f"Ada {uuid4().hex[:8]}"


def test_a_mark_is_of_the_right_characters_in_every_script_and_form(
    page: Page, url: str, store: ResultStore, queue: AnnotationQueue, person: str
) -> None:
    for item in QueueStore(store).items(queue.id):
        text, target = (nfc(part) for part in TEXTS[item.language])
        annotate(page, url, queue, person, item=str(item.number))
        page.keyboard.press("1")
        expect(page.get_by_role("button", name="1 Supported ✓")).to_be_visible()
        settled(page)
        drag_over(page, target)
        expect(page.locator(".wb-marks-list li")).to_have_count(1)
        (span,) = _spans(store, queue, item.number, person)
        where = (item.language, item.question_name)
        assert (where, span.text) == (where, target)
        assert (where, text[span.start : span.end]) == (where, target)
        assert answer(page).text_content() == text


@pytest.mark.parametrize(("code", "ahead"), [("ar", "ArrowLeft"), ("en", "ArrowRight"), ("th", "ArrowRight")])
def test_words_are_marked_by_keyboard_in_the_direction_of_reading(
    code: str, ahead: str, page: Page, url: str, store: ResultStore, queue: AnnotationQueue, person: str
) -> None:
    number = next(item.number for item in QueueStore(store).items(queue.id) if item.language == code)
    annotate(page, url, queue, person, item=str(number))
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="2 Not supported ✓")).to_be_visible()
    expect(page.get_by_text("Select words to mark")).to_be_visible()
    settled(page)
    page.keyboard.press("m")
    expect(answer(page)).to_be_focused()
    for key in (ahead, ahead, f"Shift+{ahead}", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".wb-marks-list li")).to_have_count(1)
    second_and_third = {"ar": "المنارةُ سنة", "en": "of the", "th": "เปิดไฟ"}
    assert [span.text for span in _spans(store, queue, number, person)] == [nfc(second_and_third[code])]
    settled(page)
    page.keyboard.press("Escape")
    expect(answer(page)).not_to_be_focused()
    page.keyboard.press("m")
    for key in (ahead, ahead, "Delete"):
        page.keyboard.press(key)
    expect(page.locator(".wb-marks-list li")).to_have_count(0)
    assert _spans(store, queue, number, person) == ()


def test_a_mark_survives_a_reload_is_taken_back_by_u_and_removed_by_its_cross(
    page: Page, url: str, store: ResultStore, queue: AnnotationQueue, person: str
) -> None:
    number = next(item.number for item in QueueStore(store).items(queue.id) if item.language == "en")
    annotate(page, url, queue, person, item=str(number))
    marks = page.locator(".wb-marks-list li")
    page.keyboard.press("1")
    expect(page.get_by_role("button", name="1 Supported ✓")).to_be_visible()
    settled(page)
    for count, word in enumerate(("keeper", "paid"), start=1):
        drag_over(page, word)
        expect(marks).to_have_count(count)
        settled(page)
    page.reload()
    expect(marks).to_have_count(2)
    expect(answer(page).locator(".wb-mark")).to_have_text(["keeper", "paid"])
    settled(page)
    # A session takes back its own acts: after the reload there is none yet.
    page.keyboard.press("u")
    settled(page)
    expect(marks).to_have_count(2)
    page.get_by_role("button", name="Remove the mark “paid” of Supported").click()
    expect(marks).to_have_count(1)
    settled(page)
    page.get_by_role("button", name="Remove the mark “keeper” of Supported").click()
    expect(marks).to_have_count(0)
    settled(page)
    page.keyboard.press("u")
    expect(marks).to_have_count(1)
    assert [span.text for span in _spans(store, queue, number, person)] == ["keeper"]


def test_what_is_selected_without_a_label_is_not_marked(
    page: Page, url: str, store: ResultStore, queue: AnnotationQueue, person: str
) -> None:
    number = next(item.number for item in QueueStore(store).items(queue.id) if item.language == "en")
    annotate(page, url, queue, person, item=str(number))
    drag_over(page, "keeper")
    page.keyboard.press("1")
    expect(page.get_by_role("button", name="1 Supported ✓")).to_be_visible()
    assert _spans(store, queue, number, person) == ()


def test_each_mark_is_of_the_label_that_is_active(
    page: Page, url: str, store: ResultStore, home: Path, person: str
) -> None:
    queue = add_queue(store, home, name=f"Errors {person}", kind=SEVERAL)
    number = next(item.number for item in QueueStore(store).items(queue.id) if item.language == "en")
    annotate(page, url, queue, person, item=str(number))
    marks = page.locator(".wb-marks-list li")
    for key, name in (("1", "1 Wrong word ✓"), ("2", "2 Wrong year ✓")):
        page.keyboard.press(key)
        expect(page.get_by_role("button", name=name)).to_be_visible()
        settled(page)
    drag_over(page, "keeper")
    expect(marks).to_have_count(1)
    settled(page)
    page.get_by_role("radio", name="Wrong word").click()
    expect(page.get_by_text("Select words to mark what “Wrong word” is about.")).to_be_visible()
    settled(page)
    drag_over(page, "keeper")
    expect(marks).to_have_count(2)
    assert {(span.text, span.label) for span in _spans(store, queue, number, person)} == {
        ("keeper", "word"),
        ("keeper", "year"),
    }
    settled(page)
    page.keyboard.press("1")
    expect(marks).to_have_count(1)
    assert [span.label for span in _spans(store, queue, number, person)] == ["year"]


def _spans(store: ResultStore, queue: AnnotationQueue, number: int, person: str) -> tuple[TextSpan, ...]:
    item = QueueStore(store).item(queue.id, number)
    return tuple(span for record in LabelStore(store).current(item, person) for span in record.spans)
