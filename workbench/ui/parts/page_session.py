"""A page's state between runs: one frozen value, read from a new URL, changed by controls, and written into the URL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from workbench.ui.parts import access, safe_html

StateT = TypeVar("StateT")
"""A frozen dataclass."""
Params = Mapping[str, list[str]]
"""A URL's parameters, each with all of its values."""
NOT_AVAILABLE = "The URL names something that is not available, so the default is used."


@dataclass(frozen=True)
class PageSession(Generic[StateT]):
    """The session of one page. `name` begins the session's keys; `to_params` gives a state's parameters."""

    name: str
    default: StateT
    to_params: Callable[[StateT], Params]

    @property
    def current(self) -> StateT:
        """The state now."""
        return cast("StateT", st.session_state.get(f"{self.name}_state", self.default))

    def set(self, state: StateT) -> None:
        """Makes `state` the current one."""
        st.session_state[f"{self.name}_state"] = state

    def change(self, **values: Any) -> None:
        """Changes parts of the state, whereupon a link's problems are settled: for the callbacks of controls."""
        self.set(replace(cast(Any, self.current), **values))
        self.settle()

    def arrival(self) -> Params | None:
        """The URL's parameters where they are not those that the page wrote or read last, else None."""
        params = {key: st.query_params.get_all(key) for key in st.query_params}
        return params if params and params != st.session_state.get(self._address) else None

    def arrive(self, state: StateT, params: Params, problems: Sequence[str]) -> None:
        """Takes over the state that a new URL's `params` name, and what is wrong with them."""
        self.set(state)
        self.note_problems(problems)
        st.session_state[self._address] = params

    def note_problems(self, problems: Sequence[str]) -> None:
        """Keeps what is wrong with a link, or another source of a state, until a person chooses something."""
        st.session_state[self._problems] = tuple(problems)

    def settle(self) -> None:
        """A person chose something: what was wrong before is shown no longer."""
        self.note_problems(())

    def show_problems(self) -> None:
        """Shows what was wrong with the URL."""
        if problems := st.session_state.get(self._problems, ()):
            safe_html.message("\n".join((NOT_AVAILABLE, *problems)), "error")

    def remember(self) -> None:
        """Writes the state into the URL."""
        params = self.to_params(self.current)
        if params != st.session_state.get(self._address):
            st.query_params.from_dict(params)
            st.session_state[self._address] = params

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Keeps the sentence of an error that is raised inside, for the next run to show: for callbacks."""
        with access.caught(lambda sentence: st.session_state.__setitem__(self._notice, sentence)):
            yield

    def show_notice(self) -> None:
        """Shows what went wrong in a callback, once."""
        if sentence := st.session_state.pop(self._notice, ""):
            safe_html.message(sentence, "error")

    @property
    def _address(self) -> str:
        """The session's key for the parameters as they were last read or written."""
        return f"{self.name}_address"

    @property
    def _problems(self) -> str:
        return f"{self.name}_problems"

    @property
    def _notice(self) -> str:
        return f"{self.name}_notice"
