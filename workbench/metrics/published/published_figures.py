"""Published result tables as tidy frames, one figure per row, checked when loaded.

Columns as in the files (`value` and `unit` as printed) and also: `amount` in `scale` (a share from 0 to 1 where
percent or a fraction is printed), `measure` (our metric that measures the same, "" for none), `variant`, `mode` and
`scope` (ours, "" where the table does not say), and `citation`, which every mark shows. What has no counterpart here
stays as printed, so nothing is compared that should not be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.core import DataError, unknown_name

if TYPE_CHECKING:
    from pandas import DataFrame


Unit = Literal["share", "difference", "seconds", "count", "scale 1 to 5"]
"""`share`: 0 to 1. `difference`: of two shares, -1 to 1."""

CITATIONS: Mapping[str, str] = {
    "chirkova2024": "Chirkova et al. (2024)",
    "ranaldi2025_drag": "Ranaldi et al. (2025, D-RAG)",
    "ranaldi2025_crossrag": "Ranaldi et al. (2025, CrossRAG)",
    "singh_docqa": "Singh et al. (n.d.)",
    "kim2024_autorag": "Kim et al. (2024)",
}
"""How a source is named in a legend."""

PUBLISHED_MEASURES: Mapping[str, str] = {
    "char3_recall": "char3_recall_paper",
    "clr": "clr",
    "flexible_em": "flexible_em_paper",
    "mrr": "mrr",
    **{f"hit_at_{k}": f"hit@{k}" for k in (1, 3, 5, 10)},
}
"""Published metrics that are measured here in the same way.

The recall@5 of Chirkova et al. (2024), Table 7, is before reranking and counts the relevant Wikipedia pages of KILT.
Ours counts the same only over a dataset whose gold is by page, which stored figures do not say, so the two are not
drawn next to each other. The METEOR of Kim et al. (2024) knows synonyms, and its ROUGE does not say which it is."""

VARIANTS: Mapping[str, str] = {
    "Reply short (EN)": "reply-short-en",
    "Reply short in same lang (EN)": "reply-short-same-lang-en",
    "Reply short in UL (EN)": "reply-short-in-ul-en",
    "Reply short (UL)": "reply-short-ul",
    "Reply short in UL (UL)": "reply-short-in-ul-ul",
    "Reply short in UL + NE in UL (UL)": "reply-short-in-ul-ne-ul",
    "translated into UL, with an instruction to answer in UL": "reply-short-in-ul-ul",
}

SETTINGS: Mapping[str, str] = {
    "baseline": "baseline",
    "tRAG": "trag",
    "monoRAG": "monorag",
    "MultiRAG": "multirag",
    "CrossRAG": "crossrag",
    "D-RAG": "drag",
}
"""A setting that is one of these, or begins with one, is that mode."""

SCOPES = ("none", "en", "ul", "en+ul", "all")


def mode_of(setting: str) -> str:
    """The mode that a printed setting is, "" where it is none; a difference of two settings is not a mode.

    >>> mode_of("tRAG, translator GPT-4o"), mode_of("CrossRAG minus MultiRAG"), mode_of("D-RAG as ICL")
    ('trag', '', 'drag')
    """
    if " minus " in setting:
        return ""
    return next(
        (mode for name, mode in SETTINGS.items() if setting == name or setting.startswith((f"{name},", f"{name} "))), ""
    )


def unit_of(metric: str, printed: str) -> tuple[Unit, float]:
    """The unit that figures are drawn in, and what a printed value is multiplied by. Raises KeyError.

    >>> unit_of("char3_recall", "percent"), unit_of("flexible_em_delta", "points"), unit_of("g_eval", "points")
    (('share', 0.01), ('difference', 0.01), ('scale 1 to 5', 1.0))
    """
    if printed == "points":
        # Two things are printed as points: differences of percentages, and a judge's marks.
        return ("difference", 0.01) if metric.endswith("_delta") else ("scale 1 to 5", 1.0)
    units: Mapping[str, tuple[Unit, float]] = {
        "percent": ("share", 0.01),
        "fraction": ("share", 1.0),
        "seconds": ("seconds", 1.0),
        "count": ("count", 1.0),
    }
    return units[printed]


FOLDER = Path(__file__).with_name("data")
COLUMNS = (
    "source", "table", "dataset", "language", "setting", "model", "prompt", "retrieval", "metric", "value", "unit",
    "note",
)  # fmt: skip
BOUNDS = {"share": (0.0, 1.0), "difference": (-1.0, 1.0), "seconds": (0.0, 3600.0), "count": (0.0, 1e6)}

__all__ = ["PublishedTable", "load_table", "published_figures", "published_tables"]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One published table. `key` names it in an address, such as `chirkova2024.1`; `metrics` are the papers' names."""

    key: str
    source: str
    table: str
    citation: str
    rows: int
    metrics: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name for people.

        >>> PublishedTable("chirkova2024.1", "chirkova2024", "1", "Chirkova et al. (2024)", 91, ("char3_recall",)).title
        'Chirkova et al. (2024), Table 1'
        """
        return f"{self.citation}, Table {self.table}"


def published_figures(keys: Sequence[str] = ()) -> DataFrame:
    """The rows of the tables with these keys, of all where none is given. Raises UsageError for an unknown key."""
    known = [published.key for published in published_tables()]
    for key in keys:
        if key not in known:
            raise unknown_name("published table", key, known)
    rows = _all()
    return rows[rows["key"].isin(keys)].reset_index(drop=True) if keys else rows.copy()


@lru_cache(maxsize=1)
def published_tables() -> tuple[PublishedTable, ...]:
    """Every table, in order of source and number."""
    rows = _all()
    return tuple(
        PublishedTable(
            str(key),
            str(rows_of_key["source"].iloc[0]),
            str(rows_of_key["table"].iloc[0]),
            str(rows_of_key["citation"].iloc[0]),
            len(rows_of_key),
            tuple(dict.fromkeys(rows_of_key["metric"])),
        )
        for key, rows_of_key in rows.groupby("key", sort=False)
    )


def load_table(path: Path) -> DataFrame:
    """One file's rows. Raises DataError with file and row for a column, unit or value that is not allowed."""
    from pandas import read_csv, to_numeric

    # Everything is text: otherwise “NA” would be a missing value, and a table's number a fraction.
    rows = read_csv(path, dtype=str, keep_default_na=False)
    if tuple(rows.columns) != COLUMNS:
        raise DataError(f"{path.name} has the columns {', '.join(rows.columns)}; expected {', '.join(COLUMNS)}.")
    rows["printed"] = rows["value"]
    rows["value"] = to_numeric(rows["value"], errors="coerce")
    for index, row in enumerate(rows.itertuples(), start=2):
        _check(path, index, str(row.source), str(row.metric), str(row.unit), float(str(row.value)))
    scales = [unit_of(metric, unit) for metric, unit in zip(rows["metric"], rows["unit"], strict=True)]
    rows["scale"] = [scale for scale, _ in scales]
    rows["amount"] = rows["value"] * [factor for _, factor in scales]
    rows["measure"] = [PUBLISHED_MEASURES.get(metric, "") for metric in rows["metric"]]
    rows["variant"] = [VARIANTS.get(prompt, "") for prompt in rows["prompt"]]
    rows["mode"] = [mode_of(setting) for setting in rows["setting"]]
    rows["scope"] = [retrieval if retrieval in SCOPES else "" for retrieval in rows["retrieval"]]
    rows["citation"] = [CITATIONS[source] for source in rows["source"]]
    rows["key"] = rows["source"] + "." + rows["table"]
    return rows


@lru_cache(maxsize=1)
def _all() -> DataFrame:
    from pandas import concat

    files = sorted(FOLDER.glob("*.csv"), key=lambda path: (path.stem.rpartition("_table")[0], _number(path)))
    return concat([load_table(path) for path in files], ignore_index=True)


def _number(path: Path) -> int:
    return int(path.stem.rpartition("_table")[2])


def _check(path: Path, place: int, source: str, metric: str, unit: str, value: float) -> None:
    where = f"{path.name}, row {place}"
    if source not in CITATIONS:
        raise DataError(f"{where} names the source “{source}”; allowed: {', '.join(CITATIONS)}.")
    try:
        scale, factor = unit_of(metric, unit)
    except KeyError as error:
        raise DataError(
            f"{where} has the unit “{unit}”; allowed: percent, fraction, points, seconds, count."
        ) from error
    low, high = BOUNDS.get(scale, (1.0, 5.0))
    if not low <= value * factor <= high:
        raise DataError(
            f"{where} has a value outside the range of its unit ({scale}): from {low:g} to {high:g} once scaled."
        )
