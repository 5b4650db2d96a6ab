"""What a host's refusal of a call means for the host: whether another one may do better, and how long it asks to wait.

Language models and encoders at several hosts follow the same rules.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import regex

RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
NO_MODEL = regex.compile(
    r"(?i)model[_ ]not[_ ]found|pinned to|(?:no|unknown|invalid|unsupported) model"
    r"|model\b.*(?:not (?:found|exist)|does ?n.t exist)"
)
NO_CREDIT = regex.compile(r"(?i)insufficient[_ ]quota|exceeded your current quota|billing|credit")


def is_host_failure(status: int, reply: str) -> bool:
    """Whether a refusal is that of the one host, which is overloaded, broken or without the model.

    A key, a request or an account that is refused would be refused by every host. `reply`: what the server wrote.

    >>> is_host_failure(503, ""), is_host_failure(404, "Not Found"), is_host_failure(401, "Incorrect key")
    (True, True, False)
    """
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return False
    if status == HTTPStatus.NOT_FOUND or (status >= HTTPStatus.BAD_REQUEST and NO_MODEL.search(reply)):
        return True
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return not NO_CREDIT.search(reply)
    return status in RETRYABLE and status >= HTTPStatus.INTERNAL_SERVER_ERROR


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait according to a response's headers; at least 0, None where they state nothing usable.

    Read are Retry-After, a number or a date (RFC 9110, 10.2.3), and OpenAI's `retry-after-ms`, which goes first.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after": "soon"})
    (7.0, None)
    """
    milliseconds, header = headers.get("retry-after-ms"), headers.get("retry-after")
    for value, unit in ((milliseconds, 1000.0), (header, 1.0)):
        try:
            seconds = float(value or "") / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(header or "").timestamp() - time.time())
    except ValueError:
        return None
