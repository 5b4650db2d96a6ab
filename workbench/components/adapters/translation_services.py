"""Online translation services, called through deep-translator: one adapter per service, under its name."""

from __future__ import annotations

from pathlib import Path

from workbench.components.adapter import Adapter, Listing, Package, Reference, Surroundings, needs
from workbench.core import Translator
from workbench.models import TRANSLATION_SERVICES, TranslationService, online_translator

DEEP_TRANSLATOR = Package("deep_translator", "deep-translator")


def _translator(reference: Reference, _surroundings: Surroundings) -> Translator:
    return online_translator(reference.adapter)


def _host(reference: Reference, _home: Path) -> str:
    return online_translator(reference.adapter).sends_to


def _adapter(service: TranslationService) -> Adapter:
    return Adapter(
        service.name,
        service.title,
        translator=_translator,
        takes_model=False,
        local=False,
        packages=needs(DEEP_TRANSLATOR),
        keys=lambda _reference, _home: tuple(service.required_keys),
        host=_host,
        example=service.name,
        listing=Listing(
            service.title,
            licence="the service's terms",
            source=f"{service.host}, through the package deep-translator",
        ),
    )


ADAPTERS = tuple(_adapter(service) for service in TRANSLATION_SERVICES.values())
