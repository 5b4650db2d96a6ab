"""Known models as data: what an analyst wants to know of a model before choosing or downloading it.

`data/*.yaml` hold one role each; every fact comes with its source, and one that we are not sure of is left out.  The
files are checked when loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from workbench.core import DataError, Role, UsageError
from workbench.languages import language
from workbench.workspace import read_mappings

GIGA = 1_000_000_000
Value = str | int | float | bool
"""What a parameter of an adapter can be."""


class Model(BaseModel):
    """One model. Facts that are not certain are None or empty.

    `parameters` is the number of weights; `download` the bytes of the files that are needed; `languages` are codes
    that its authors name, `coverage` states it in words; `also` are roles that it serves besides `role`; `defaults`
    are the adapter's parameters for this model; `gated`: the hub requires its licence to be accepted first; `url` is
    where the file lies if not on the hub; `package`, the package of the package index that carries the weights.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    title: str = Field(min_length=1)
    role: Role
    also: tuple[Role, ...] = ()
    adapter: str
    model: str = Field(min_length=1)
    revision: str | None = None
    licence: str | None = None
    parameters: int | None = Field(default=None, ge=1)
    download: int | None = Field(default=None, ge=1)
    dimensions: int | None = Field(default=None, ge=1)
    longest: int | None = Field(default=None, ge=1, description="tokens of one text, or of prompt and answer together")
    languages: tuple[str, ...] = ()
    coverage: str | None = None
    gated: bool | None = None
    remote: bool = False
    url: str | None = None
    package: str | None = None
    defaults: Mapping[str, Value] = {}
    note: str | None = None
    source: str = Field(min_length=1)

    @field_validator("languages")
    @classmethod
    def _codes(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(language(code).code for code in codes)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that it can serve as: the one it is listed under, and those it serves besides."""
        return (self.role, *self.also)

    def memory(self, bits: int = 32) -> int | None:
        """Bytes that the weights alone take at `bits` per weight (32, 16, 8 or 4); None where their number is unknown.

        Activations and caches come on top.
        """
        return None if self.parameters is None else self.parameters * bits // 8

    @property
    def size(self) -> str:
        """The download's size in words, else the number of weights, else ""."""
        if self.download:
            return f"{self.download / GIGA:.1f} GB" if self.download >= GIGA else f"{self.download / 1e6:.0f} MB"
        if self.parameters:
            large = self.parameters >= GIGA
            count = f"{self.parameters / GIGA:.1f} billion" if large else f"{self.parameters / 1e6:.0f} million"
            return f"{count} weights"
        return ""

    @property
    def facts(self) -> tuple[str, ...]:
        """Size and licence in words, as far as they are known."""
        licence = f"licence {self.licence}" if self.licence else ""
        return tuple(fact for fact in (self.size, licence) if fact)


def load_models(folder: Traversable | None = None) -> tuple[Model, ...]:
    """The models in the YAML files of `folder` (by default the ones that ship), by file and place.

    Raises DataError, one sentence that names file and entry, for the first thing that is wrong.
    """
    root = files("workbench.models").joinpath("data") if folder is None else folder
    models = [
        _model(file, str(name), facts)
        for file, entries in read_mappings(root, "Model file", "models by name")
        for name, facts in entries.items()
    ]
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"Two known models are called “{name}”; names must differ.")
    return tuple(models)


@cache
def known_models() -> tuple[Model, ...]:
    """The models that the workbench knows, loaded once."""
    return load_models()


def known_or_none(name: str) -> Model | None:
    """The known model with this name or hub id; None where there is none."""
    key = name.casefold()
    return next((model for model in known_models() if key in (model.name, model.model.casefold())), None)


def _model(file: str, name: str, facts: object) -> Model:
    if not isinstance(facts, dict):
        raise DataError(f"Model file {file}, {name}: must hold facts such as “role: encoder”.")
    try:
        model = Model.model_validate({**facts, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "entry"
        raise DataError(f"Model file {file}, {name}: {place}: {first['msg'].removeprefix('Value error, ')}.") from None
    except UsageError as error:
        raise DataError(f"Model file {file}, {name}: languages: {error}") from None
    return model
