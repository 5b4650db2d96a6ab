"""A page's state: one frozen value, read from the URL and written to it, changed by controls, kept while away.

A page declares a `PageState`, a frozen pydantic model whose fields all have defaults. From the fields come the URL's
parameters and their checks, and the keys, values and callbacks of its controls. Reading a URL never fails: each value
that is not allowed is told in one sentence, the default is used in its place, and the rest still counts.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, cast
from urllib.parse import parse_qs, urlencode

import streamlit as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from streamlit.errors import StreamlitAPIException

from workbench.core import UsageError, shorten, unknown_name
from workbench.languages import is_named, language
from workbench.ui.parts import access, frame, safe_html

Params = Mapping[str, Sequence[str]]
"""A URL's parameters, each with all of its values."""
Allowed = Mapping[str, Collection[str]]
"""The values of parameters that exist now, such as the names of corpora."""
NOT_AVAILABLE = "The URL names something that is not available, so the default is used."
ADDRESSES = "addresses"
"""The session's key for the parameters that each page last read or wrote, by the page's name."""
KINDS = {"int": "a whole number", "float": "a number", "finite": "a number", "bool": "0 or 1"}
LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
"""How a sentence names the kinds of pydantic's errors, by how they begin, and the limits."""
TOLD = 3
"""Parameters that a page does not have and that are named one by one."""
FIELDS_LIMIT = 200
"""Parameters that one packed record may have."""

Number = Annotated[int, Field(ge=0, le=999_999_999)]
"""A stored number, 0 for none; a database takes no much larger ones."""


def _language(code: str) -> str:
    if not code or is_named(language(code).code) or any(code in codes for codes in access.corpora().values()):
        return code
    raise UsageError(f"Unknown language “{code}”: no language with a name has this code. For example: fi")


LanguageCode = Annotated[str, AfterValidator(_language)]
"""The code of a language that has a name or that a corpus is in, of which nothing else need be known, or ""."""


Check = Callable[[Any], Any]
"""Gives the value that a parameter's text, or the tuple of its texts, stands for; raises where it is not allowed."""


@dataclasses.dataclass(frozen=True)
class Param:
    """How a field is written in the URL: as which parameter ("" for the field's name), and whether as a default too."""

    name: str = ""
    always: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return (self.name,)

    def write(self, value: Any, default: Any) -> dict[str, list[str]]:
        """The value as parameters; {} where it is the default."""
        return {self.name: _texts(value)} if self.always or value != default else {}

    def read(self, params: Params, default: Any, allowed: Allowed, check: Check) -> tuple[Any, list[str]]:
        """The value that parameters name, and a sentence for each that is not allowed."""
        return _read(self.name, params, default, allowed, check)


@dataclasses.dataclass(frozen=True)
class Flat:
    """A field that is a record, whose own fields are parameters of the URL beside those of the page.

    `paths` gives the path of a field in the record by the parameter's name: `{"mode": "mode", "extraction":
    "dialectic.extraction"}`. `make` is the record of nested plain values; it raises UsageError or pydantic's
    ValidationError. `always` are written as defaults too.
    """

    paths: Mapping[str, str]
    make: Callable[[dict[str, Any]], Any]
    always: Collection[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(self.paths)

    def write(self, value: Any, default: Any) -> dict[str, list[str]]:
        """The record as parameters; what is as in `default` is left out."""
        values = {name: (_at(value, path), _at(default, path)) for name, path in self.paths.items()}
        return {name: _texts(now) for name, (now, usual) in values.items() if now != usual or name in self.always}

    def read(self, params: Params, default: Any, allowed: Allowed, check: Check | None = None) -> tuple[Any, list[str]]:
        """The record that parameters name, and a sentence for each that is not allowed."""
        values: dict[str, Any] = {}
        problems: list[str] = []
        for name in [name for name in self.paths if name in params]:
            path = self.paths[name]
            usual = _at(default, path)
            value, sentences = _read(name, params, usual, allowed, functools.partial(self._one, path))
            problems += sentences
            if value != usual or not sentences:
                _put(values, path, value)
        try:
            return (self.make(values) if values else default), problems
        except (UsageError, ValidationError) as error:
            return default, [*problems, _sentence(error, self.names[0], "")]

    def _one(self, path: str, value: Any) -> Any:
        values: dict[str, Any] = {}
        _put(values, path, value)
        return _at(self.make(values), path)


@dataclasses.dataclass(frozen=True)
class Packed:
    """A field that is a tuple of records: the parameter `name`, once for each, holds its parameters as one text."""

    name: str
    flat: Flat
    make_default: Callable[[], Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return (self.name,)

    def write(self, value: Any, default: Any) -> dict[str, list[str]]:
        """The records as parameters; {} where they are the default."""
        usual = self.make_default()
        texts = [urlencode(self.flat.write(record, usual), doseq=True) for record in value]
        return {self.name: texts} if value != default else {}

    def read(self, params: Params, default: Any, allowed: Allowed, check: Check) -> tuple[Any, list[str]]:
        """The records that parameters name, and a sentence for each value that is not allowed."""
        usual, records, problems = self.make_default(), [], list[str]()
        for text in params.get(self.name, ()):
            record, sentences = self.flat.read(parse_qs(text, max_num_fields=FIELDS_LIMIT), usual, allowed)
            records.append(record)
            problems += sentences
        return (tuple(records) or default), problems


class PageState(BaseModel):
    """Everything that a user can choose on a page. Each field has a default, which the URL leaves out.

    A sequence is a tuple, and repeats its parameter for each value. A field's annotation may hold a `Param`, a `Flat`
    for a record, or a `Packed` for several. `PAGE` begins the keys of the page's controls. `STRICT`: a parameter that
    is none of the page's is told; elsewhere it is ignored, since trackers add theirs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    PAGE: ClassVar[str]
    STRICT: ClassVar[bool] = False

    @classmethod
    def begin(cls) -> Self:
        """What a page begins with where no URL says: the defaults, or what the workspace puts in their place."""
        return cls()

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of the URL's parameters."""
        return tuple(name for way in _ways(cls).values() for name in way.names)

    @classmethod
    def names_any(cls, params: Params) -> bool:
        """Whether a URL was made for this page: one with other parameters alone was not."""
        return bool(params) and (cls.STRICT or not set(params).isdisjoint(cls.parameters()))

    def to_params(self) -> dict[str, list[str]]:
        """The state as parameters of the URL; defaults are left out."""
        default, params = type(self)(), dict[str, list[str]]()
        for field, way in _ways(type(self)).items():
            params |= way.write(getattr(self, field), getattr(default, field))
        return params

    @classmethod
    def from_params(cls, params: Params, allowed: Allowed | None = None) -> tuple[Self, tuple[str, ...]]:
        """The state that a URL names, and a sentence for each value in it that is not allowed."""
        default, values = cls(), dict[str, Any]()
        problems: list[str] = []
        for field, way in _ways(cls).items():
            check = functools.partial(cls._one, field)
            values[field], sentences = way.read(params, getattr(default, field), allowed or {}, check)
            problems += sentences
        if cls.STRICT:
            unknown = [shorten(name) for name in params if name not in cls.parameters()]
            problems += [f"“{name}” is not a parameter of this page." for name in unknown[:TOLD]]
            if len(unknown) > TOLD:
                problems.append(f"{len(unknown) - TOLD:,} more are none either.")
        return cls(**values), tuple(problems)

    def with_(self, **values: Any) -> Self:
        """This state with some fields changed, checked anew."""
        return type(self).model_validate({**dict(self), **values})

    def at(self, path: str) -> Any:
        """A field, or with a dot a record's own: `filter_.runs`."""
        return _at(self, path)

    def with_at(self, path: str, value: Any) -> Self:
        """This state with a field, or with a dot a record's own, changed."""
        return cast("Self", _changed(self, path, value))

    def after(self, path: str) -> Self:
        """This state once a person changed a field: here a page says what then begins again, such as a page number."""
        return self

    @classmethod
    def _one(cls, field: str, value: Any) -> Any:
        return getattr(cls.model_validate({field: value}), field)


StateT = TypeVar("StateT", bound=PageState)


@dataclasses.dataclass(frozen=True)
class PageSession(Generic[StateT]):
    """A page's state in the session of one browser tab: what its controls show and change, and its URL names."""

    kind: type[StateT]

    @property
    def current(self) -> StateT:
        """The state now."""
        return cast("StateT", st.session_state.get(self._key("state")) or self.kind.begin())

    def set(self, state: StateT) -> None:
        """Makes `state` the current one."""
        st.session_state[self._key("state")] = state

    def change(self, **values: Any) -> None:
        """Changes fields, whereupon a link's problems are settled: for the callbacks of controls."""
        self.set(self.current.with_(**values))
        self.note_problems(())
        st.session_state[self._key("used")] = True

    def restore(self, allowed: Allowed | None = None, keep: Collection[str] = ()) -> StateT:
        """The state before any control is drawn: from a new URL, else as it last was.

        A URL is new where it is none that the page read or wrote last. One without parameters is new as well when
        somebody goes back to it, but not when they come from another page: they want the state as they left it. In a
        run that a control began, the browser may not know the latest URL yet, so what it sends does not count. Nor do
        parameters of another page, which the browser may still be setting after somebody left it at work.

        `keep` are fields, such as a person's name, that stay as they are where a URL does not name them.
        """
        params = {name: st.query_params.get_all(name) for name in st.query_params}
        addresses = st.session_state.setdefault(ADDRESSES, {})
        seen, visit = addresses.get(self.kind.PAGE), st.session_state.get(frame.VISIT, 0)
        arrives = visit != st.session_state.get(self._key("visit"))
        used = st.session_state.pop(self._key("used"), False)
        unknown = set(params) - set(self.kind.parameters())
        elsewhere = [set(names) for page, names in addresses.items() if page != self.kind.PAGE]
        named = self.kind.names_any(params) and not (unknown and any(unknown <= names for names in elsewhere))
        new = params != seen and (
            named if arrives else not used and (not params or (named and params not in addresses.values()))
        )
        st.session_state[self._key("visit")], st.session_state[self._key("fresh")] = visit, new
        st.session_state[self._key("opening")] = arrives or new
        if new:
            self._open(params, allowed, keep)
        elif arrives and params != seen:
            st.session_state[self._key("written")] = params
        if arrives:
            addresses[self.kind.PAGE] = params
        elif params != seen:
            # What the browser shows is not known: a link from a page to itself changes only what Streamlit passes on.
            addresses.pop(self.kind.PAGE, None)
        return self.current

    def remember(self) -> None:
        """Writes the state into the URL: last on the page."""
        st.session_state.pop(self._key("used"), None)
        addresses = st.session_state.setdefault(ADDRESSES, {})
        params = self.current.to_params()
        if self.kind.PAGE not in addresses or params != st.session_state.get(self._key("written")):
            st.query_params.from_dict(params)
            addresses[self.kind.PAGE] = st.session_state[self._key("written")] = params

    def complete(self, state: StateT) -> None:
        """Makes current what a page filled in where neither a link nor a person named anything.

        The URL that opened the page stays then: another would be an entry in the browser's history, to which Back
        would lead in vain.
        """
        is_opening = bool(st.session_state.get(self._key("opening"))) and state != self.current
        self.set(state)
        if is_opening:
            self.accept()

    def accept(self) -> None:
        """Leaves the URL as it is, although the state differs: for what is shown in place of what a link names in vain.

        Writing it would put an entry into the browser's history.
        """
        st.session_state[self._key("written")] = self.current.to_params()

    def control(
        self, path: str, among: Collection[Any] | None = None, shown: Any = None, part: str = ""
    ) -> dict[str, Any]:
        """The key and the callback of the control of a field, whose value is set: `st.selectbox(…, **control("mode"))`.

        Its value is the state's: of a sequence the values that are `among` the options; or `shown`, where a default
        depends on more than the state. It is set only where it differs, so that nobody loses what they are typing; and
        it persists, so that Streamlit sends it again to a browser that has not drawn the control yet. A change draws
        the `part` of the page with this key alone again, where there is one (see `signed_in.part`).
        """
        key, value = self.key(path), self.current.at(path) if shown is None else shown
        if isinstance(value, tuple):
            value = [one for one in value if among is None or one in among]
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        return {"key": key, "persist_state": "page", "on_change": self._take, "args": (path, part)}

    def choose_view(self, titles: Mapping[Any, str], label: str = "View", *, wrap: bool = False) -> StateT:
        """The switch between the views of a page, its field `view`; the state with the one that is chosen."""
        self.switch("view", label, titles, wrap=wrap, label_visibility="collapsed")
        return self.current

    def switch(self, path: str, label: str, titles: Mapping[Any, str], shown: Any = None, **options: Any) -> None:
        """The switch of a field between few values; `shown` is that of `control`, `options` are Streamlit's own."""
        control = self.control(path, shown=shown)
        st.segmented_control(label, list(titles), format_func=titles.__getitem__, required=True, **options, **control)

    def box(self, path: str, label: str, titles: Mapping[Any, str], shown: Any = None, **options: Any) -> None:
        """The box of a field with one of many values; `shown` is that of `control`, `options` are Streamlit's own."""
        control = self.control(path, shown=shown)
        st.selectbox(label, list(titles), format_func=titles.__getitem__, **options, **control)

    def page_within(self, count: int) -> int:
        """The page of the field `page`, or the last of `count` where there are fewer, which is told."""
        page: int = self.current.page  # type: ignore[attr-defined]
        if page > max(1, count):
            safe_html.message(f"There is no page {page:,}; the last one is {max(1, count):,}.", "error")
        return min(page, max(1, count))

    def turn_pages(self, count: int, words: str = "") -> None:
        """The buttons to the pages before and after the one of the field `page`, in a row, where there are several."""
        if count <= 1:
            return
        page = min(self.current.page, count)  # type: ignore[attr-defined]
        with st.container(horizontal=True, vertical_alignment="center", width="content", key=self._key("pages")):
            for label, name, other in (("Previous", "earlier", page - 1), ("Next", "later", page + 1)):
                if name == "later":
                    st.markdown(f"Page {page:,} of {count:,}{words}")
                beyond = not 1 <= other <= count
                st.button(label, key=self._key(name), disabled=beyond, on_click=self.change, kwargs={"page": other})

    def key(self, path: str) -> str:
        """The key of a field's control."""
        return self._key(path.rpartition(".")[2].rstrip("_"))

    def choose(self, path: str, value: Any) -> None:
        """A person's choice for a field: what depends on it begins again."""
        self.set(self.current.with_at(path, value).after(path))
        self.change()

    def note_problems(self, problems: Sequence[str]) -> None:
        """Keeps what is wrong with a link, or another source of a state, until a person chooses something."""
        st.session_state[self._key("problems")] = tuple(problems)

    @property
    def is_fresh(self) -> bool:
        """Whether this run is the first that a new URL is read in."""
        return bool(st.session_state.get(self._key("fresh")))

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the URL."""
        return tuple(st.session_state.get(self._key("problems"), ()))

    def show_problems(self) -> None:
        """Shows what is wrong with the URL."""
        if self.problems:
            safe_html.message("\n".join((NOT_AVAILABLE, *self.problems)), "error")

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Keeps the sentence of an error that is raised inside, for the next run to show: for callbacks."""
        st.session_state[self._key("used")] = True
        with access.caught(lambda sentence: st.session_state.__setitem__(self._key("notice"), sentence)):
            yield

    def show_notice(self) -> None:
        """Shows what went wrong in a callback, once."""
        if sentence := st.session_state.pop(self._key("notice"), ""):
            safe_html.message(sentence, "error")

    def _open(self, params: Params, allowed: Allowed | None, keep: Collection[str]) -> None:
        before, (state, problems) = self.current, self.kind.from_params(params, allowed)
        if not self.kind.names_any(params):
            state = self.kind.begin()
        st.session_state[self._key("written")] = state.to_params()
        self.set(state.with_(**{name: before.at(name) for name in keep if not state.at(name)}))
        self.note_problems(problems)

    def _take(self, path: str, part: str) -> None:
        value = st.session_state[self.key(path)]
        if value is None and self.current.at(path) is not None:
            return  # Nothing is selected where something must be: the next run shows the former value again.
        with self.noticed():
            self.choose(path, tuple(value) if isinstance(value, list) else value)
        if part:
            with suppress(StreamlitAPIException):  # The page has no such part now.
                st.rerun(part)

    def _key(self, name: str) -> str:
        return f"{self.kind.PAGE}_{name}"


@functools.cache
def _ways(kind: type[PageState]) -> Mapping[str, Param | Flat | Packed]:
    """How each field is written in the URL."""
    ways: dict[str, Param | Flat | Packed] = {}
    for name, field in kind.model_fields.items():
        way = next((one for one in field.metadata if isinstance(one, Param | Flat | Packed)), Param())
        ways[name] = Param(way.name or name, way.always) if isinstance(way, Param) else way
    return ways


def _read(name: str, params: Params, default: Any, allowed: Allowed, check: Check) -> tuple[Any, list[str]]:
    """The value of one parameter, of a sequence those values that are allowed, and a sentence for each other one."""
    several, problems, values = isinstance(default, tuple), list[str](), list[Any]()
    texts = params.get(name, ())
    for text in dict.fromkeys(filter(None, texts)) if several else texts[:1]:
        try:
            if text and name in allowed and text not in allowed[name]:
                raise unknown_name(name, text, allowed[name])
            values += check((text,)) if several else (check(text),)
        except (UsageError, ValidationError) as error:
            problems.append(_sentence(error, name, text))
    if several:
        return (tuple(dict.fromkeys(values)) if name in params else default), problems
    return (values[0] if values else default), problems


def _sentence(error: UsageError | ValidationError, name: str, text: str) -> str:
    """What was given for a parameter, what is allowed, and what to type."""
    if isinstance(error, UsageError):
        return error.on_screen
    first = error.errors()[0]
    context, given = first.get("ctx", {}), f"“{name}” in the URL is “{shorten(text)}”."
    if options := re.findall(r"'([^']*)'", str(context.get("expected", ""))):
        return f"{given} Allowed: {', '.join(options)}. For example: {name}={options[0]}"
    if "max_length" in context:
        return f"{given} At most {context['max_length']:,} characters are allowed."
    limit = next((f"{words} {context[key]:,}" for key, words in LIMITS.items() if key in context), "")
    if kind := limit or next((words for start, words in KINDS.items() if first["type"].startswith(start)), ""):
        example = next((context[key] for key in ("ge", "le") if key in context), 1)
        return f"{given} It must be {kind}, for example: {name}={example}"
    return f"{given} {first['msg'].removeprefix('Value error, ')}."


def _texts(value: Any) -> list[str]:
    return [_text(one) for one in value] if isinstance(value, tuple) else [_text(value)]


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else "" if value is None else str(value)


def _at(record: Any, path: str) -> Any:
    return functools.reduce(getattr, path.split("."), record)


def _put(values: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for name in outer:
        values = values.setdefault(name, {})
    values[last] = value


def _changed(record: Any, path: str, value: Any) -> Any:
    """The record with a value changed, at whatever depth. Models check it by their own `with_`."""
    name, _, rest = path.partition(".")
    value = _changed(getattr(record, name), rest, value) if rest else value
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return dataclasses.replace(record, **{name: value})
    if isinstance(record, PageState) or hasattr(record, "with_"):
        return record.with_(**{name: value})
    return type(record).model_validate({**dict(record), name: value})
