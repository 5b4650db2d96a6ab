"""Google through deep-translator, against a stand-in for the page it reads."""

import socket
from collections.abc import Iterator

import pytest

from tests.servers.google_page import Page, google_page, translated
from workbench.core.errors import TranslationFailed
from workbench.core.records import Translation
from workbench.models.translation.services import ServiceTranslator, fits_in_url, online_translator

SENTENCE = "Sentence number {} tells of a lake and its boats. "
LONG = "".join(SENTENCE.format(number) for number in range(240)).strip()
CHINESE = "".join(f"第{number}句说的是湖和船。" for number in range(1100))


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    from deep_translator import constants

    with google_page() as running:
        monkeypatch.setitem(constants.BASE_URLS, "GOOGLE_TRANSLATE", running.url)
        yield running


@pytest.fixture
def google(page: Page) -> ServiceTranslator:
    return online_translator("google", timeout=10, sleep=lambda seconds: None)


def failure(translator: ServiceTranslator, text: str, source: str = "en", target: str = "de") -> str:
    with pytest.raises(TranslationFailed) as caught:
        translator.translate([text], source, target)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_short_text_is_one_request_in_googles_codes(google: ServiceTranslator, page: Page) -> None:
    translations = google.translate(["水很深。"], "zh", "he")
    assert page.requests == [("zh-CN", "iw", "水很深。")]
    assert translations == [Translation("深很水。", "zh", "he", "model")]


def test_twelve_thousand_characters_come_back_complete_and_in_order(google: ServiceTranslator, page: Page) -> None:
    assert len(LONG) > 12_000
    assert google.translate([LONG], "en", "de")[0].text == translated(LONG)
    assert len(page.requests) >= 3


def test_every_request_of_a_long_text_ends_with_a_sentence(google: ServiceTranslator, page: Page) -> None:
    google.translate([LONG], "en", "de")
    assert all(text.endswith("boats.") and fits_in_url(text) for _, _, text in page.requests)


def test_twelve_thousand_chinese_characters_fit_into_addresses(google: ServiceTranslator, page: Page) -> None:
    assert len(CHINESE) > 12_000
    translation = google.translate([CHINESE], "zh", "en")[0].text
    assert translation.replace(" ", "") == translated(CHINESE)
    assert all(text.endswith("。") for _, _, text in page.requests)


def test_line_breaks_stay_where_they_were(google: ServiceTranslator) -> None:
    paragraphs = "\n\n".join([LONG[:4000], LONG[:4000]])
    assert google.translate([paragraphs], "en", "de")[0].text == translated(paragraphs)


def test_several_texts_keep_their_order(google: ServiceTranslator) -> None:
    texts = [f"Boat {number}" for number in range(20)]
    assert [item.text for item in google.translate(texts, "en", "de")] == [translated(text) for text in texts]


def test_markup_in_a_text_stays_text(google: ServiceTranslator) -> None:
    assert google.translate(["a <b>bold</b> & <i>"], "en", "de")[0].text == "a <b>dlob</b> & <i>"


def test_a_number_needs_no_request(google: ServiceTranslator, page: Page) -> None:
    assert google.translate(["1990", ""], "en", "de")[0].text == "1990"
    assert page.requests == []


def test_a_server_error_is_tried_again(google: ServiceTranslator, page: Page) -> None:
    page.statuses = [500, 503, 429]
    assert google.translate(["Boat"], "en", "de")[0].text == "taoB"
    assert len(page.requests) == 4


def test_errors_without_end_are_one_sentence(google: ServiceTranslator, page: Page) -> None:
    page.statuses = [500] * 50
    assert "answered with an error" in failure(google, "Boat")


def test_too_many_requests_are_reported(google: ServiceTranslator, page: Page) -> None:
    page.statuses = [429] * 50
    assert "accepts no more requests" in failure(google, "Boat")


def test_the_original_is_never_passed_off_as_a_translation(google: ServiceTranslator, page: Page) -> None:
    page.behaviour = "echo"
    message = failure(google, "The lake is very deep and its boats are old.")
    assert "gave back “The lake is very deep and its boats are old.” instead of a translation to German" in message


def test_a_name_may_come_back_as_it_was(google: ServiceTranslator, page: Page) -> None:
    page.behaviour = "echo"
    assert google.translate(["Alan Turing"], "en", "de")[0].text == "Alan Turing"


def test_a_page_without_a_result_is_a_failure(google: ServiceTranslator, page: Page) -> None:
    page.behaviour = "empty"
    assert "answered without a translation" in failure(google, "Boat")
    assert len(page.requests) == 1


def test_one_failed_chunk_fails_the_text(google: ServiceTranslator, page: Page) -> None:
    page.statuses = [200, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500]
    assert failure(google, LONG)
    assert len(page.requests) > 1


def test_a_silent_server_is_abandoned_after_the_time_out(page: Page) -> None:
    page.behaviour = "hang"
    assert "no answer within 0.3 seconds" in failure(online_translator("google", timeout=0.3), LONG)


def test_without_a_connection_it_fails_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from deep_translator import constants

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setitem(constants.BASE_URLS, "GOOGLE_TRANSLATE", f"http://127.0.0.1:{unused.getsockname()[1]}/m")
        message = failure(online_translator("google", timeout=2, sleep=lambda seconds: None), "Boat")
    assert message == (
        "Google Translate cannot be reached: there is no connection to translate.google.com; "
        "try again or choose another translator. For example: --translator builtin"
    )


def test_a_language_google_does_not_know_is_named(google: ServiceTranslator, page: Page) -> None:
    assert "does not translate Tibetan" in failure(google, "Boat", target="bo")
    assert page.requests == []


def test_the_same_language_comes_back_as_same(google: ServiceTranslator, page: Page) -> None:
    assert google.translate(["Boat"], "en", "en")[0].kind == "same"
    assert page.requests == []


def test_the_identity_names_service_and_package() -> None:
    assert online_translator("google").identity.startswith("google package=")
