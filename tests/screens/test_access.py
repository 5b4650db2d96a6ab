"""What goes wrong below a screen becomes one sentence on it, and what Streamlit raises to steer a run passes."""

from __future__ import annotations

import pytest
from streamlit.runtime.scriptrunner_utils.exceptions import StopException

from workbench.ui.parts import access, safe_html


class PanicException(BaseException):
    """As pyo3 raises it when a package written in Rust panics."""


@pytest.fixture
def sentences(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that reach the screen."""
    shown: list[str] = []
    monkeypatch.setattr(safe_html, "message", lambda sentence, kind="note": shown.append(sentence))
    return shown


def _panic() -> None:
    raise PanicException("index out of bounds")


def _stop() -> None:
    raise StopException


def test_the_panic_of_a_compiled_package_is_shown_as_a_sentence(sentences: list[str]) -> None:
    with access.guarded():
        _panic()
    assert sentences == [access.UNEXPECTED]


def test_what_streamlit_raises_to_end_a_run_passes(sentences: list[str]) -> None:
    with pytest.raises(StopException), access.guarded():
        _stop()
    assert sentences == []
