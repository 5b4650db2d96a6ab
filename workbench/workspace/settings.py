"""Where things are stored and how much is allowed, from the environment; keys are read only when needed."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

QUESTION_LIMIT = 2_000
"""Characters of a question. The longest in MKQA and XQuAD have under 400."""

PASSAGES_LIMIT = 20
"""Passages given to the generator."""

CANDIDATES_LIMIT = 200
"""Passages retrieved before reranking."""

DEFAULT_HOME = "~/.workbench"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a workspace is: `home` is its folder, `database_url` an SQLAlchemy URL (by default SQLite in `home`)."""

    home: Path
    database_url: str

    @property
    def corpora(self) -> Path:
        """The folder with one folder per corpus."""
        return self.home / "corpora"

    @property
    def datasets(self) -> Path:
        """The folder with one folder per dataset."""
        return self.home / "datasets"


def load(home: Path | None = None) -> Settings:
    """Settings from `WORKBENCH_HOME` and `WORKBENCH_DATABASE_URL`, or from `home` where given."""
    folder = (home or Path(os.environ.get("WORKBENCH_HOME") or DEFAULT_HOME)).expanduser().absolute()
    return Settings(home=folder, database_url=os.environ.get("WORKBENCH_DATABASE_URL") or default_database(folder))


def default_database(home: Path) -> str:
    """The address of the database that a workspace has where none is named: a file in its folder."""
    return f"sqlite:///{home / 'workbench.db'}"


IDENTIFIER_VARIABLE = "WORKBENCH_IDENTIFIER"


def environment_identifier() -> str:
    """The language identifier that the environment names, which overrides the workspace's; "" for none."""
    return os.environ.get(IDENTIFIER_VARIABLE, "").strip()


SECRETS_FILE = Path(__file__).parents[2] / ".streamlit" / "secrets.toml"


def secret(name: str) -> str | None:
    """A key by its name, from the environment or else from `.streamlit/secrets.toml`; None where there is none.

    Read each time it is needed: keys are never stored, logged, cached, exported or shown.
    """
    if value := os.environ.get(name):
        return value
    try:
        value = tomllib.loads(SECRETS_FILE.read_text(encoding="utf-8")).get(name)
    except (OSError, ValueError):
        return None
    return value if isinstance(value, str) and value else None
