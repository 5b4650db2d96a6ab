"""What a refusal means for the host that gave it."""

from __future__ import annotations

import pytest

from workbench.models.llm.endpoint import is_host_failure, retry_after


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (404, "Not Found"),
        (400, "Invalid model name passed in model=m"),
        (429, "Slow down"),
        (500, ""),
        (502, "<html>Bad Gateway</html>"),
        (503, "Loading"),
        (529, "Overloaded"),
    ],
)
def test_a_host_that_is_overloaded_or_broken_or_lacks_the_model_has_failed(status: int, reply: str) -> None:
    assert is_host_failure(status, reply)


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (200, "The model was not found in the paper."),
        (400, "Bad request"),
        (401, "Incorrect API key"),
        (403, "The model does not exist or you do not have access to it"),
        (408, ""),
        (422, "Unexpected fields"),
        (429, "You exceeded your current quota"),
    ],
)
def test_what_every_host_would_refuse_is_not_the_failure_of_one(status: int, reply: str) -> None:
    assert not is_host_failure(status, reply)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds
