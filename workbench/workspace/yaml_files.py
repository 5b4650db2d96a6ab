"""YAML files: folders of data that ship with the workbench, values that people write and read, and prompts.

Another file in such a folder adds to the data, and nothing else need change. Everything is checked when it is read; an
error is one sentence that names the file and what to write instead.

Prompt files are checked key by key and placeholder by placeholder. A placeholder is a name in single braces,
`{question}`. Texts that people or documents wrote are only ever substituted for one; they are never searched for
placeholders themselves. Files by language are a folder of `<code>.yaml`, complete for the workbench's languages.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, TypeVar

import regex
import yaml
from pydantic import BaseModel, ValidationError
from yaml.constructor import ConstructorError

from workbench.core import LOADER, DataError, UsageError, shorten, unknown_name
from workbench.languages import PROMPT_LANGUAGES

Value = TypeVar("Value", bound=BaseModel)
FILE_LIMIT = 1 << 18
"""Characters of a file that `load` reads."""
DEPTH_LIMIT = 50
"""Lists and mappings within each other, in a file that a person wrote."""
NUMBER_LIMIT = 50
"""Characters of a number: more are not one that anything here counts, and some take long or cannot be printed."""


NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


class _Strict(yaml.constructor.BaseConstructor):
    """A part of PyYAML's loaders, in which a value that they cannot read is an error with a line.

    Over `!!timestamp 1-1-1`, `!!bool x` or `2024-99-99` PyYAML itself raises AttributeError, KeyError and ValueError.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        reason = "a value that cannot be read"
        if isinstance(node, yaml.ScalarNode) and node.tag in NUMBER_TAGS and len(node.value) > NUMBER_LIMIT:
            raise ConstructorError(problem=reason, problem_mark=node.start_mark)
        with _yaml_errors(partial(ConstructorError, problem=reason, problem_mark=node.start_mark)):
            return super().construct_object(node, deep)


class _Loader(_Strict, yaml.SafeLoader):
    """For what people write."""


class _ShippedLoader(_Strict, LOADER):  # type: ignore[misc]
    """For files of ours: libyaml has no limits."""


def parse(text: str, loader: Any = _Loader) -> Any:
    """The content of a YAML text, None for an empty one. Raises yaml.YAMLError, whatever the parser fails with."""
    with _yaml_errors(yaml.YAMLError):
        return yaml.load(text, loader)  # noqa: S506 - a safe one


@contextmanager
def _yaml_errors(make: Callable[[], yaml.YAMLError]) -> Iterator[None]:
    """Within it PyYAML fails with its own errors only: any other becomes the one that is made."""
    try:
        yield
    except yaml.YAMLError:
        raise
    except Exception as error:  # what its authors did not expect, such as an OverflowError over "\U99999999"
        raise make() from error


def read_mappings(folder: Traversable, kind: str, content: str) -> Iterator[tuple[str, dict[Any, Any]]]:
    """The name and the keys of each YAML file of `folder`, in order of name.

    `kind` is what people call such a file, `content` what must be in it. Raises DataError for a file that is not YAML
    or has other content.
    """
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".yaml"):
            continue
        try:
            data = parse(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
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

    Raises OSError, UnicodeDecodeError, yaml.YAMLError, or ValueError for a text that is too long or too deep.
    """
    text = read_text(path, FILE_LIMIT)
    if len(text) > FILE_LIMIT:
        raise ValueError(f"it has more than {FILE_LIMIT:,} characters")
    if _has_aliases(text):
        raise ValueError("it uses aliases")
    return parse(text)


def _has_aliases(text: str) -> bool:
    """Whether a YAML text uses aliases. Raises ValueError for one that is nested too deeply, yaml.YAMLError.

    It stops at DEPTH_LIMIT, since reading further takes time that grows with the square of the depth.
    """
    depth, has_aliases = 0, False
    with _yaml_errors(yaml.YAMLError):
        for event in yaml.parse(text, yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            has_aliases |= isinstance(event, yaml.AliasEvent)
            if depth > DEPTH_LIMIT:
                break
    if depth > DEPTH_LIMIT:
        raise ValueError("it is nested too deeply")
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
                raise UsageError(f"The {self.noun} names none of its {place}: name at least one.") from error
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
            data = parse(text)
        except ConstructorError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise self._error(name, f"holds a value at line {line} that cannot be read: correct that line.") from error
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


READERS = ("authors", "native speaker")
"""Who may have read a file's texts, as its `reviewed_by` says."""


def language_blocks(folder: Traversable, need: str) -> dict[str, Block]:
    """The files of a folder by the code of their language, in the order of the codes.

    `need` says what the languages are for, for messages: “judges are asked in”. Raises DataError, one sentence with the
    file's name, for a language of `PROMPT_LANGUAGES` without a file, and for a file that states another language.
    """
    paths = {item.name.removesuffix(".yaml"): item for item in folder.iterdir() if item.name.endswith(".yaml")}
    for code in PROMPT_LANGUAGES:
        if code not in paths:
            raise DataError(f"Prompt file {code}.yaml is missing: {need} {', '.join(PROMPT_LANGUAGES)}.")
    blocks = {code: read_block(paths[code]) for code in sorted(paths)}
    for code, block in blocks.items():
        if block.values.get("language", code) != code:
            raise block.error(f"“language” must be “{code}”, as the file is named")
    return blocks


PLACEHOLDER = regex.compile(r"\{([A-Za-z_]+)\}")
BRACE = regex.compile(r"[{}]")


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with each placeholder replaced by its value, in one pass: braces inside a value stay as they are.

    >>> fill("{a} and {b}", {"a": "{b}", "b": "%s"})
    '{b} and %s'

    Raises KeyError for a placeholder without a value: the files are checked, so that is a bug.
    """
    filled: str = PLACEHOLDER.sub(lambda match: values[match.group(1)], template)
    return filled


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping of a prompt file, and its place in the file, for messages."""

    where: str
    values: Mapping[object, object]

    def error(self, reason: str) -> DataError:
        """The error with `reason`, a clause that starts in lower case, and with the block's place."""
        return DataError(f"Prompt file {self.where}: {reason}.")

    def checked(self, shape: Mapping[str, Any]) -> dict[str, Any]:
        """The values, of exactly the keys of a shape, in its order.

        For each key it has a shape again; the placeholders that a text holds, separated by spaces, each as often as it
        is named; `list` for texts, at least one; or a tuple with the texts that are allowed. Raises DataError.
        """
        listed = ", ".join(shape)
        for key in self.values:
            if key not in shape:
                raise self.error(f"unknown key “{shorten(key)}”; allowed are {listed}")
        for key in shape:
            if key not in self.values:
                raise self.error(f"key “{key}” is missing; needed are {listed}")
        return {key: self._value(key, kind) for key, kind in shape.items()}

    def _value(self, key: str, kind: Any) -> Any:
        value: Any = self.values[key]
        given, is_text = f"not “{shorten(value)}”", isinstance(value, str) and bool(value.strip())
        if isinstance(kind, Mapping):
            if not isinstance(value, dict):
                raise self.error(f"“{key}” must hold keys itself, {given}")
            return Block(f"{self.where}, {key}", value).checked(kind)
        if kind is list:
            texts = value if isinstance(value, list) else []
            if not texts or not all(isinstance(item, str) and item.strip() for item in texts):
                raise self.error(f"“{key}” must be a list of texts that are not empty, {given}")
            return tuple(texts)
        if isinstance(kind, tuple) and value not in kind:
            raise self.error(f"“{key}” must be one of {', '.join(kind)}, {given}")
        if not is_text:
            raise self.error(f"“{key}” must be a text that is not empty (quote it), {given}")
        counts = Counter(PLACEHOLDER.findall(value))
        expected = Counter(() if isinstance(kind, tuple) else kind.split())
        if counts != expected or BRACE.search(PLACEHOLDER.sub("", value)):
            raise self.error(f"“{key}” must hold {_listed(expected)} and no other brace, not {_listed(counts)}")
        return value


def read_block(file: Traversable) -> Block:
    """The contents of a prompt file. Raises DataError where it is missing, not UTF-8, not YAML or not a mapping."""
    try:
        value = parse(file.read_text(encoding="utf-8"), _ShippedLoader)
    except FileNotFoundError:
        raise DataError(f"Prompt file {file.name} is missing.") from None
    except UnicodeDecodeError:
        raise DataError(f"Prompt file {file.name} is not UTF-8; save it as UTF-8.") from None
    except yaml.YAMLError as error:
        raise DataError(f"Prompt file {file.name} is not YAML: {shorten(error, 160)}.") from None
    if not isinstance(value, dict):
        raise DataError(f"Prompt file {file.name} must hold keys, not “{shorten(value)}”.")
    return Block(file.name, value)


def _listed(counts: Mapping[str, int]) -> str:
    names = [f"{{{name}}}" + (f" {times} times" if times > 1 else "") for name, times in sorted(counts.items())]
    return ", ".join(names) or "no placeholder"
