"""deep-translator's other engines: their languages, keys and refusals. No network."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from workbench import settings
from workbench.errors import MissingError, TranslationFailed, UsageError
from workbench.languages import S1_LANGUAGES
from workbench.translation.services.engines import ENGINES, online_translator
from workbench.translation.services.service_translator import Engine, ServiceTranslator

KEYED = [name for name, engine in ENGINES.items() if engine.needs]


def answering(name: str, answer: str | Exception) -> Engine:
    """The engine, whose every request gives or raises `answer`."""

    def make(source: str, target: str, keys: Sequence[str]) -> Callable[[str], str | None]:
        def translate(text: str) -> str | None:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return translate

    return replace(ENGINES[name], make=make)


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"Unknown translator “gogle”. Allowed: baidu, deepl, google"):
        online_translator("gogle")


@pytest.mark.parametrize("name", KEYED)
def test_without_a_key_an_engine_says_which_one_to_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", lambda key: None)
    with pytest.raises(MissingError) as caught:
        online_translator(name).translate(["Boat"], "en", "zh")
    assert all(key in str(caught.value) for key in ENGINES[name].needs)
    assert online_translator(name).missing() == ENGINES[name].needs


@pytest.mark.parametrize("name", KEYED)
def test_a_planted_key_is_in_no_error_and_no_identity(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from deep_translator.exceptions import AuthorizationException

    monkeypatch.setattr(settings, "secret", lambda key: "planted-key")
    translator = ServiceTranslator(answering(name, AuthorizationException("planted-key")))
    with pytest.raises(TranslationFailed, match="refused the key in") as caught:
        translator.translate(["Boat"], "en", "zh")
    assert "planted-key" not in f"{caught.value}{caught.value.__cause__}{translator.identity}{translator!r}"


@pytest.mark.parametrize("name", ["google", "mymemory"])
def test_engines_without_a_key_know_all_thirteen_languages(name: str) -> None:
    assert all(ENGINES[name].code(code) for code in S1_LANGUAGES)


@pytest.mark.parametrize(
    ("name", "code", "expected"),
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
def test_languages_go_by_the_engines_own_names(name: str, code: str, expected: str) -> None:
    assert ENGINES[name].code(code) == expected


def test_a_quota_message_is_no_translation() -> None:
    refused = answering("mymemory", "MYMEMORY WARNING: YOU USED ALL AVAILABLE FREE TRANSLATIONS FOR TODAY.")
    with pytest.raises(TranslationFailed, match="MyMemory refused with “MYMEMORY WARNING"):
        ServiceTranslator(refused).translate(["Boat"], "en", "de")


def test_an_error_of_an_unforeseen_kind_is_still_one_sentence() -> None:
    with pytest.raises(TranslationFailed, match=r"answered with an error \(KeyError\)"):
        ServiceTranslator(answering("mymemory", KeyError("responseData"))).translate(["Boat"], "en", "de")


def test_every_engine_says_where_texts_go() -> None:
    assert all(online_translator(name).sends_to for name in ENGINES)


def test_mymemory_gets_pieces_under_its_limit() -> None:
    assert ENGINES["mymemory"].fits("a" * 499)
    assert not ENGINES["mymemory"].fits("я" * 250)
