"""Tokens and money: what an answer used, and what that costs by a price table that users write.

The table is `prices.yaml` in the workspace; docs/methods.md shows its form.  No prices are shipped, because they
change: a cost is shown only where somebody entered a price, together with its source and date.
"""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.core import DataError, Usage, shorten
from workbench.workspace import yaml_files

FILE = "prices.yaml"
TOKENS_PRICED = 1_000_000
"""Prices are per million tokens, as providers print them."""
BYTES_PER_TOKEN = 4
"""Bytes of UTF-8; close enough for an estimate in any script: about 4 letters of Latin, 2 of Cyrillic or Arabic and 1.3
of Chinese or Thai make a token."""
DECIMALS = 6
"""Decimals of a cost; a short answer from a cheap model costs millionths."""


class Price(BaseModel):
    """A model's price per million tokens read (`prompt`) and written (`completion`).

    `source` states where the price is from, `date` the day on which it was valid.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)
    source: str = Field(min_length=1, max_length=200)
    date: datetime.date


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedUsage(Usage):
    """Tokens with their cost: `cost` in `currency` by the price of `date` (ISO 8601) from `source`."""

    cost: float
    currency: str
    source: str
    date: str

    @property
    def label(self) -> str:
        """The cost with its price's day and source, in words. The source is text that a user wrote."""
        figure = f"{self.cost:,.{DECIMALS}f}".rstrip("0").rstrip(".")
        amount = f"under {10**-DECIMALS:.{DECIMALS}f}" if self.cost and figure == "0" else figure
        return f"{amount} {self.currency} (price of {self.date}: {self.source})"


class PriceTable(BaseModel):
    """Prices by the generator's name as a recipe has it, without its adapter: `gpt-4o`, `llama3:8b@my-server`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = Field(default="USD", min_length=1, max_length=10)
    models: dict[str, Price] = Field(default_factory=dict)

    def priced(self, model: str, usage: Usage) -> PricedUsage | None:
        """`usage` of `model` with its cost; None where the table has no price for it."""
        price = self.models.get(model)
        if price is None:
            return None
        cost = usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion
        return PricedUsage(
            **asdict(usage),
            cost=cost / TOKENS_PRICED,
            currency=self.currency,
            source=" ".join(price.source.split()),
            date=price.date.isoformat(),
        )


def estimated_tokens(text: str) -> int:
    """A rough count of the tokens of `text`, for servers that do not count them.

    >>> estimated_tokens("Who invented the radio?"), estimated_tokens("谁发明了收音机？"), estimated_tokens("")
    (6, 6, 0)
    """
    return -(-len(text.encode(errors="replace")) // BYTES_PER_TOKEN)


def load_prices(home: Path) -> PriceTable:
    """The price table of the workspace in folder `home`; empty where it has none. Raises DataError."""
    path = home / FILE
    return read_prices(path) if path.exists() else PriceTable()


def read_prices(path: Path) -> PriceTable:
    """The price table in a file. Raises DataError, in one sentence with an example, for a file that cannot be used."""
    try:
        data = yaml_files.load(path)
        return PriceTable.model_validate(data if data is not None else {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = " → ".join(str(part) for part in first["loc"]) or "the file"
        problem = f"{place} is “{shorten(first['input'])}” ({first['msg']})"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"it is not YAML, or has a value that cannot be read{f', at line {mark.line + 1}' if mark else ''}"
    except (OSError, UnicodeDecodeError):
        problem = "it cannot be read as UTF-8 text"
    except ValueError:
        problem = "it is too long, nested too deeply, or uses aliases"
    raise DataError(
        f"The price table {path.name} cannot be used: {problem}; write prices per million tokens, for example: "
        "models: {my-model: {prompt: 0.5, completion: 1.5, source: the provider's price page, date: 2026-01-31}}"
    )
