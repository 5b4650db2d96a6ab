"""Language models and NLLB on this machine, through transformers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.components.adapter import Adapter, Package, Reference, Surroundings, find_local, needs, parameters_of
from workbench.core import Generator, Role, Translator

if TYPE_CHECKING:
    from workbench.models import Device, HuggingFaceGenerator, Quantised

TRANSFORMERS = Package("transformers", "transformers")
BITSANDBYTES = Package("bitsandbytes", "bitsandbytes")
MODELS_IN_MEMORY = 4
"""Language models that stay in memory."""


@lru_cache(maxsize=MODELS_IN_MEMORY)
def _model(model: str, revision: str, facts: str, quantised: Quantised, device: Device) -> HuggingFaceGenerator:
    from workbench.models import HuggingFaceGenerator

    return HuggingFaceGenerator(model, revision=revision, facts=facts, quantised=quantised, device=device)


def _generator(reference: Reference, surroundings: Surroundings) -> Generator:
    values: dict[str, Any] = {"quantised": "none", "device": "auto", **reference.parameters}
    # A generator that also judges or translates is one model in memory.
    model = _model(
        reference.model, reference.revision or "main", reference.facts, values["quantised"], values["device"]
    )
    return model.with_limits(surroundings.limits)


def _nllb(reference: Reference, _surroundings: Surroundings) -> Translator:
    from workbench.models import NllbTranslator

    return NllbTranslator(find_local(reference), **parameters_of(reference, "beams", "device"))


def _packages(reference: Reference, _role: Role) -> tuple[Package, ...]:
    quantised = str(reference.parameters.get("quantised", "none")) != "none"
    return (TRANSFORMERS, BITSANDBYTES) if quantised else (TRANSFORMERS,)


ADAPTERS = (
    Adapter(
        "huggingface",
        "a local causal language model through transformers",
        generator=_generator,
        parameters=("quantised", "device"),
        packages=_packages,
        example="huggingface:meta-llama/Llama-3.2-1B-Instruct",
    ),
    Adapter(
        "nllb",
        "NLLB-200 through transformers",
        translator=_nllb,
        parameters=("beams", "device"),
        packages=needs(TRANSFORMERS),
        example="nllb:facebook/nllb-200-distilled-600M",
    ),
)
