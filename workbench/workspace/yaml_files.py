"""YAML files: folders of data that ship with the workbench, and values that people write and read.

Another file in such a folder adds to the data, and nothing else need change. Everything is checked when it is read; an
error is one sentence that names the file and what to write instead.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from workbench.core import DataError, UsageError, shorten, unknown_name

Value = TypeVar("Value", bound=BaseModel)
FILE_LIMIT = 1 << 18
"""Characters of a file that `load` reads."""
DEPTH_LIMIT = 50
"""Lists and mappings within each other, in a file that a person wrote."""


def read_mappings(folder: Traversable, kind: str, content: str) -> Iterator[tuple[str, dict[Any, Any]]]:
    """The name and the keys of each YAML file of `folder`, in order of name.

    `kind` is what people call such a file, `content` what must be in it. Raises DataError for a file that is not YAML
    or has other content.
    """
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".yaml"):
            continue
        try:
            data = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: not UTF-8, or an impossible date
            raise DataError(f"{kind} {file.name}: it is not YAML in UTF-8: {shorten(error, 120)}.") from None
        if not isinstance(data, dict):
            raise DataError(f"{kind} {file.name}: it must hold {content}.")
        yield file.name, data


def read_text(path: Path, limit: int) -> str:
    """The text of a file of at most `limit` characters, or its first characters, more than `limit` of them.

    Raises OSError where it is missing or not an ordinary file, UnicodeDecodeError where it is not UTF-8.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not an ordinary file", str(path))
    with path.open(encoding="utf-8") as file:
        return file.read(limit + 1)


def load(path: Path) -> Any:
    """The content of a short YAML file that a person wrote, without aliases; None for an empty one.

    Raises OSError, UnicodeDecodeError, yaml.YAMLError, or ValueError for a value that cannot be read.
    """
    text = read_text(path, FILE_LIMIT)
    if len(text) > FILE_LIMIT:
        raise ValueError(f"it has more than {FILE_LIMIT:,} characters")
    if _has_aliases(text):
        raise ValueError("it uses aliases")
    return yaml.safe_load(text)


def _has_aliases(text: str) -> bool:
    """Whether a YAML text uses aliases. Raises ValueError for one that is nested too deeply, yaml.YAMLError.

    It stops at DEPTH_LIMIT, since reading further takes time that grows with the square of the depth.
    """
    depth, has_aliases = 0, False
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_LIMIT:
            raise ValueError("it is nested too deeply")
        has_aliases |= isinstance(event, yaml.AliasEvent)
    return has_aliases


@dataclass(frozen=True, slots=True)
class YamlForm(Generic[Value]):
    """How people write a value of type `model` as YAML.

    `noun` is what people call it, `example` a line of it, `command` the words that name a file of it on the command
    line; `limit` is in characters; `remedy` is a further sentence for messages, "" for none.
    """

    model: type[Value]
    noun: str
    example: str
    command: str
    limit: int
    remedy: str = ""

    def make(self, choices: Mapping[Any, Any]) -> Value:
        """The value with these choices. Raises UsageError for the first one that is not allowed."""
        try:
            return self.model.model_validate(choices)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or self.noun
            if first["type"] == "extra_forbidden":
                raise unknown_name(f"{self.noun} key", place, _keys(self.model, first["loc"][:-1])) from error
            if first["type"] == "too_short":
                raise UsageError(f"The {self.noun}'s {place} is empty: name at least one.") from error
            reason = first["msg"].removeprefix("Value error, ")
            raise UsageError(f"The {self.noun}'s {place} is “{shorten(first['input'])}”. {reason}.") from error

    def read(self, text: str, name: str) -> Value:
        """The value in `text`, called `name` in messages. Raises UsageError."""
        if len(text) > self.limit:
            raise self._error(name, f"has more than {self.limit:,} characters, the most {self._a_noun} may have.")
        try:
            if _has_aliases(text):
                raise self._error(
                    name, f"uses YAML aliases (“*name”), which {self._a_noun} may not: write the value out."
                )
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f" at line {mark.line + 1}: correct that line" if mark else ""
            raise self._error(name, f"is not YAML{where}.") from error
        except ValueError as error:
            raise self._error(name, "holds a value that cannot be read.") from error
        if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
            raise self._error(name, f"holds no {self.noun}: expected lines such as “{self.example}”.")
        return self.make(data)

    def read_file(self, path: Path) -> Value:
        """The value in a file. Raises UsageError."""
        try:
            return self.read(read_text(path, self.limit), path.name)
        except FileNotFoundError as error:
            raise UsageError(
                f"There is no file “{shorten(path)}”. Type the path of {self._a_noun}, for example: {self.command}"
            ) from error
        except (UnicodeDecodeError, OSError) as error:
            if path.exists() and not path.is_file():
                raise UsageError(
                    f"“{shorten(path)}” is not an ordinary file. Type the path of {self._a_noun}, for example: "
                    f"{self.command}"
                ) from error
            raise UsageError(
                f"“{shorten(path)}” cannot be read as UTF-8 text: save the {self.noun} as UTF-8 YAML."
            ) from error

    def write(self, value: Value, comments: Iterable[str]) -> str:
        """The value as YAML that people can read and edit, below lines of comment."""
        text: str = yaml.safe_dump(value.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        return "".join(f"# {line}\n" for line in comments) + text

    @property
    def _a_noun(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def _error(self, name: str, problem: str) -> UsageError:
        return UsageError(f"“{shorten(name)}” {problem} {self.remedy}".rstrip())


def _keys(model: type[BaseModel], place: Iterable[int | str]) -> Iterable[str]:
    """The keys that are allowed at a place of the model."""
    for part in place:
        inner = model.model_fields[str(part)].annotation if part in model.model_fields else None
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model = inner
    return model.model_fields
