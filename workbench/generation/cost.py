"""Tokens and money: what an answer used, and what that costs by a price table that users edit.

The table is YAML, `prices.yaml` in the workspace.  The one that ships holds no prices, only its form: prices change,
and a cost is shown only where somebody entered them.  Costs are in the table's currency.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.errors import DataError, shorten
from workbench.records import Usage

FILE = "prices.yaml"
TOKENS_PRICED = 1_000_000
"""Prices are per million tokens, as providers print them."""
BYTES_A_TOKEN = 4
"""Of UTF-8.  Near enough for an estimate in any script: about 4 letters of Latin, 2 of Cyrillic or Arabic and 1.3 of
Chinese or Thai make a token."""


class Price(BaseModel):
    """Per million tokens read (`prompt`) and written (`completion`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)


class PriceTable(BaseModel):
    """Prices by the model's name as the endpoint knows it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = "USD"
    models: dict[str, Price] = Field(default_factory=dict)

    def cost(self, model: str, usage: Usage) -> float | None:
        """What `usage` of `model` costs; None where the table has no price for it."""
        price = self.models.get(model)
        if price is None:
            return None
        return (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) / TOKENS_PRICED


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over answers. `cost` is None as soon as one answer's cost is not known; `estimated` as soon as one is."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    cost: float | None


def total(model: str, usages: Iterable[Usage], table: PriceTable) -> Total:
    """What all of `usages` come to."""
    used = tuple(usages)
    costs = [table.cost(model, usage) for usage in used]
    known = [cost for cost in costs if cost is not None]
    return Total(
        prompt_tokens=sum(usage.prompt_tokens for usage in used),
        completion_tokens=sum(usage.completion_tokens for usage in used),
        estimated=any(usage.estimated for usage in used),
        cost=sum(known) if len(known) == len(costs) else None,
    )


def estimated_tokens(text: str) -> int:
    """Tokens of `text`, roughly, where the server does not count them.

    >>> estimated_tokens("Who invented the radio?"), estimated_tokens("谁发明了收音机？"), estimated_tokens("")
    (6, 6, 0)
    """
    return -(-len(text.encode(errors="replace")) // BYTES_A_TOKEN)


def prices(home: Path) -> PriceTable:
    """The workspace's price table, or the empty one that ships. Raises DataError."""
    path = home / FILE
    return read_prices(path) if path.exists() else PriceTable()


def editable_prices(home: Path) -> Path:
    """The workspace's table to be edited; the one that ships is copied there first where there is none."""
    path = home / FILE
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files("workbench.generation").joinpath(FILE).read_text(encoding="utf-8"), encoding="utf-8")
    return path


def read_prices(path: Path) -> PriceTable:
    """The price table in a file. Raises DataError in one sentence."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return PriceTable.model_validate(data if data is not None else {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = " → ".join(str(part) for part in first["loc"]) or "the whole file"
        wrong = f"{place} is “{shorten(first['input'])}” ({first['msg']})"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        wrong = f"it is not YAML{f' at line {mark.line + 1}' if mark else ''}"
    except (OSError, UnicodeDecodeError):
        wrong = "it cannot be read as UTF-8 text"
    raise DataError(
        f"The price table {path.name} cannot be used: {wrong}; write prices per million tokens, "
        "for example: models: {my-model: {prompt: 0.5, completion: 1.5}}"
    )
