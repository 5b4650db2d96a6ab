"""The online services: their language codes, keys and refusals. No network."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

import deep_translator
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

REPLIES: dict[str, Any] = {
    "deepl": {"translations": [{"text": "Boot"}]},
    "libre": {"translatedText": "Boot"},
    "microsoft": [{"translations": [{"text": "Boot", "to": "de"}]}],
    "mymemory": {"responseData": {"translatedText": "Boot"}},
    "papago": {"message": {"result": {"translatedText": "Boot"}}},
    "baidu": {"trans_result": [{"dst": "Boot"}]},
}
"""How each service replies to “Boat”."""
LANGUAGES = {"translation": {code: {"name": code} for code in ("en", "de")}}
"""What Microsoft answers when it is asked for its languages."""
KEYED = [name for name, service in TRANSLATION_SERVICES.items() if service.required_keys]


def answering(name: str, answer: str | Exception) -> TranslationService:
    """The service, whose every request returns or raises `answer`."""

    class Answering(TranslationService):
        def make_call(self, source: str, target: str, keys: Sequence[str]) -> TranslateCall:
            def translate(text: str) -> str | None:
                if isinstance(answer, Exception):
                    raise answer
                return answer

            return translate

    service = TRANSLATION_SERVICES[name]
    return Answering(**{item.name: getattr(service, item.name) for item in fields(service)})


@dataclass
class Reply:
    content: Any
    status_code: int = 200

    def json(self) -> Any:
        return self.content

    @property
    def text(self) -> str:
        return json.dumps(self.content)

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class Wire:
    """Stands in for `requests`: records every call and answers as the service does."""

    reply: Any
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def get(self, url: str, **options: Any) -> Reply:
        self.calls.append((url, options))
        return Reply(LANGUAGES if "/languages?" in url else self.reply)

    post = get


def wired(name: str, monkeypatch: pytest.MonkeyPatch) -> Wire:
    """A service's wire, with the keys that it needs and no others."""
    service = TRANSLATION_SERVICES[name]
    keys = {key: f"planted {key}" for key in service.required_keys}
    monkeypatch.setattr(settings, "secret", keys.get)
    wire = Wire(REPLIES[name])
    module = getattr(deep_translator, service.kind).__module__
    monkeypatch.setattr(importlib.import_module(module), "requests", wire)
    return wire


@pytest.mark.parametrize("name", list(REPLIES))
def test_a_text_goes_with_every_key_to_the_host_that_the_service_names_and_to_no_other(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = wired(name, monkeypatch)
    source, target = ("en", "ko") if name == "papago" else ("en", "de")
    (translation,) = online_translator(name).translate(["Boat"], source, target)
    assert translation.text == "Boot"
    host = TRANSLATION_SERVICES[name].host.split(",")[0]
    assert {urlsplit(url).hostname for url, _ in wire.calls} == {host}
    assert all(options["timeout"] > 0 for _, options in wire.calls), "no call waits for ever"
    assert "Boat" in str(wire.calls[-1])
    # The last of Baidu's keys signs the text and is not sent itself.
    shown = [key for key in TRANSLATION_SERVICES[name].required_keys if key != "BAIDU_APPKEY"]
    assert all(f"planted {key}" in str(wire.calls[-1]) for key in shown)


def test_a_key_of_deepls_free_interface_goes_to_its_own_host(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = wired("deepl", monkeypatch)
    monkeypatch.setattr(settings, "secret", {"DEEPL_API_KEY": "planted:fx"}.get)
    online_translator("deepl").translate(["Boat"], "en", "de")
    assert [urlsplit(url).hostname for url, _ in wire.calls] == ["api-free.deepl.com"]


@pytest.mark.parametrize("address", ["http://127.0.0.1:5000", "http://127.0.0.1:5000/"])
def test_a_libretranslate_of_ones_own_is_called_with_and_without_a_slash_at_the_end(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = wired("libre", monkeypatch)
    monkeypatch.setattr(settings, "secret", {"LIBRE_API_KEY": "planted", "LIBRE_URL": address}.get)
    online_translator("libre").translate(["Boat"], "en", "de")
    assert [url for url, _ in wire.calls] == ["http://127.0.0.1:5000/translate"]


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
