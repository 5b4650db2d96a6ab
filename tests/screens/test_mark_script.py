"""The scripts of components: constants that turn data into text and never into markup."""

from __future__ import annotations

import pytest

from workbench.ui.annotate.answer_marks import FRAME, SCRIPT
from workbench.ui.annotate.label_keys import REJOIN
from workbench.ui.dashboard.leaderboard_view import SCRIPT as LEADERBOARD


@pytest.mark.parametrize("script", [SCRIPT, REJOIN, LEADERBOARD])
def test_no_script_writes_markup(script: str) -> None:
    assert "</" not in script
    assert not [
        word for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(") if word in script
    ]


def test_texts_come_in_by_text_content() -> None:
    assert "textContent = words" in SCRIPT and FRAME.count("<") == 2
