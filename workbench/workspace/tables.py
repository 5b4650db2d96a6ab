"""The tables of the database, by subject, in one `metadata`."""

from sqlalchemy import MetaData, String
from sqlalchemy.ext.compiler import compiles

metadata = MetaData()


@compiles(String, "postgresql")
def _unlimited(_kind: String, _compiler: object, **_options: object) -> str:
    """PostgreSQL refuses a text above its column's length, which SQLite stores; what one holds, the other must hold."""
    return "TEXT"
