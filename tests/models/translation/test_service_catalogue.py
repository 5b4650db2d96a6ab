"""The online services: their language codes, keys and refusals. No network."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from workbench.core.errors import MissingError, TranslationFailed, UsageError
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES
from workbench.models.translation.services import (
    TRANSLATION_SERVICES,
    ServiceTranslator,
    TranslateCall,
    TranslationService,
    online_translator,
)
from workbench.workspace import settings

KEYED = [name for name, service in TRANSLATION_SERVICES.items() if service.required_keys]


def answering(name: str, answer: str | Exception) -> TranslationService:
    """The service, whose every request returns or raises `answer`."""

    def make_call(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
        def translate(text: str) -> str | None:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return translate

    return replace(TRANSLATION_SERVICES[name], make_call=make_call)


def test_an_unknown_service_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"Unknown translator “gogle”. Allowed: baidu, deepl, google"):
        online_translator("gogle")


@pytest.mark.parametrize("name", KEYED)
def test_without_a_key_the_error_names_the_one_to_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", lambda key: None)
    with pytest.raises(MissingError) as caught:
        online_translator(name).translate(["Boat"], "en", "zh")
    assert all(key in str(caught.value) for key in TRANSLATION_SERVICES[name].required_keys)
    assert online_translator(name).missing() == TRANSLATION_SERVICES[name].required_keys


@pytest.mark.parametrize("name", KEYED)
def test_a_planted_key_is_in_no_error_and_no_identity(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from deep_translator.exceptions import AuthorizationException

    monkeypatch.setattr(settings, "secret", lambda key: "planted-key")
    translator = ServiceTranslator(answering(name, AuthorizationException("planted-key")))
    with pytest.raises(TranslationFailed, match="refused the key in") as caught:
        translator.translate(["Boat"], "en", "zh")
    assert "planted-key" not in f"{caught.value}{caught.value.__cause__}{translator.identity}{translator!r}"


@pytest.mark.parametrize("name", ["google", "mymemory"])
def test_services_without_a_key_know_all_thirteen_languages(name: str) -> None:
    assert all(TRANSLATION_SERVICES[name].language_code(language) for language in CHIRKOVA_LANGUAGES)


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("google", "zh", "zh-CN"),
        ("google", "he", "iw"),
        ("google", "bo", ""),
        ("deepl", "fi", "fi"),
        ("deepl", "th", ""),
        ("mymemory", "en", "en-GB"),
        ("mymemory", "de", "de-DE"),
        ("mymemory", "ja", "ja-JP"),
        ("papago", "zh", "zh-CN"),
        ("papago", "fi", ""),
        ("baidu", "ja", "jp"),
        ("baidu", "th", "th"),
        ("baidu", "te", ""),
        ("microsoft", "zh", "zh-hans"),
    ],
)
def test_languages_have_the_codes_of_the_service(name: str, language: str, expected: str) -> None:
    assert TRANSLATION_SERVICES[name].language_code(language) == expected


def test_a_quota_message_is_not_a_translation() -> None:
    service = answering("mymemory", "MYMEMORY WARNING: YOU USED ALL AVAILABLE FREE TRANSLATIONS FOR TODAY.")
    with pytest.raises(TranslationFailed, match="MyMemory refused with “MYMEMORY WARNING"):
        ServiceTranslator(service).translate(["Boat"], "en", "de")


def test_an_error_of_an_unforeseen_kind_is_still_one_sentence() -> None:
    with pytest.raises(TranslationFailed, match=r"answered with an error \(KeyError\)"):
        ServiceTranslator(answering("mymemory", KeyError("responseData"))).translate(["Boat"], "en", "de")


def test_every_service_names_the_host_that_texts_go_to() -> None:
    assert all(online_translator(name).sends_to for name in TRANSLATION_SERVICES)


def test_mymemory_gets_chunks_under_its_limit() -> None:
    assert TRANSLATION_SERVICES["mymemory"].fits("a" * 499)
    assert not TRANSLATION_SERVICES["mymemory"].fits("я" * 250)
