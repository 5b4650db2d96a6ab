"""What every request passes: who may come in, within which limits, and what is written down of it.

A caller shows a key of the environment, which has the role reader, or a key of an account, which has the role that the
account has at that moment and stops working with it. Anybody on this machine may call where no key is asked for. Where
the workspace has sign-in, every call needs a key.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import regex
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core import UsageError, WorkbenchError, shorten
from workbench.server.api_errors import UNEXPECTED, ApiError, HungUp, api_error
from workbench.server.worker_pool import ServeMetrics
from workbench.workspace import (
    NOBODY,
    AccountKeys,
    Actor,
    Role,
    account_actor,
    acting_as,
    check,
    has_sign_in,
    settings,
    workspace_actor,
)

KEYS_VARIABLE = "WORKBENCH_SERVE_KEYS"
KEY_FORM = regex.compile(r"[\x21-\x7e]{16,200}")
"""What fits a header, is not split by commas, and is not guessed."""
WORKERS_LIMIT, QUEUE_LIMIT, SECONDS_LIMIT = 64, 10_000, 3_600


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """The most that a service does, all of its processes together.

    `workers`: answers at the same time; `queue`: further requests that wait; `seconds`: from a request's arrival to
    the end of its answer; `processes`: those that answer.
    """

    workers: int = 4
    queue: int = 64
    seconds: float = 120.0
    processes: int = 1

    def check(self) -> None:
        """Raises UsageError for a limit that cannot be kept."""
        _within("--workers", self.workers, 1, WORKERS_LIMIT, example=4)
        most = self.workers if sys.platform == "linux" else 1  # elsewhere processes cannot share the models
        _within("--processes", self.processes, 1, most, example=1)
        _within("--queue", self.queue, 0, QUEUE_LIMIT, example=64)
        _within("--timeout", self.seconds, 1, SECONDS_LIMIT, example=120)


@dataclass(frozen=True)
class ServeKeys:
    """The keys that clients may show, as digests: nothing that is printed can contain a key."""

    digests: tuple[bytes, ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        """Whether a key is needed."""
        return bool(self.digests)

    def fit(self, header: str) -> bool:
        """Whether an Authorization header shows one of the keys; the time it takes does not depend on which."""
        scheme, _, key = header.partition(" ")
        digest = _digest(key.strip())
        matches = [hmac.compare_digest(digest, item) for item in self.digests]
        return scheme.casefold() == "bearer" and any(matches)


def serve_keys() -> ServeKeys:
    """The keys of the environment, none where it names none. Raises UsageError for one that is not a key."""
    names = [key.strip() for key in (settings.secret(KEYS_VARIABLE) or "").split(",")]
    keys = [key for key in names if key]
    for number, key in enumerate(keys, start=1):
        if not KEY_FORM.fullmatch(key):
            raise UsageError(
                f"Key {number} of {KEYS_VARIABLE} has {len(key):,} characters or holds some that a header cannot have: "
                "a key has 16 to 200 visible ASCII characters. For example, let “openssl rand -hex 24” make one."
            )
    return ServeKeys(tuple(map(_digest, keys)))


def check_binding(host: str, keys: ServeKeys, *, has_accounts: bool = False) -> None:
    """Raises UsageError where a service without keys would be reachable from other machines.

    Where the workspace `has_accounts`, their keys are asked for.
    """
    if keys or has_accounts or is_loopback(host):
        return
    raise UsageError(
        f"Without keys a recipe is served on this machine alone, and “{shorten(host)}” can be reached from others. Set "
        f"{KEYS_VARIABLE} to one or more keys, separated by commas, add an account (mrag accounts add NAME --role "
        "admin), or leave --host at 127.0.0.1."
    )


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0"), is_loopback("localhost")
    (True, True, False, True)
    """
    name = host.strip().removeprefix("[").removesuffix("]").casefold()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The host of a Host header, without its port.

    >>> host_name("localhost:8080"), host_name("[::1]:8080"), host_name("example.org")
    ('localhost', '::1', 'example.org')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


def _within(option: str, value: float, least: int, most: int, example: int) -> None:
    if not least <= value <= most:
        raise UsageError(f"{option} is {value:g}; allowed are {least:,} to {most:,}. For example: {option} {example}")


HUNG_UP_STATUS = 499
"""nginx's status for a client that left before the end; it reaches nobody, and is logged and counted."""
FAILURE_STATUS = "failure_status"
"""Under which `scope["state"]` has the status of a failure that a response sent after it had begun."""
OTHER = "other"
"""The route of everything that has none, for logs and figures."""
OPEN = ""
"""In place of a verb, for paths that say nothing of questions or passages."""
TWO_LENGTHS = ApiError(
    400,
    "The headers give the body's length twice, by Content-Length and by Transfer-Encoding: send one of them.",
    "invalid_request",
    {"Connection": "close"},
)
"""A proxy in between may read such a request as two: it is refused, and its connection ends (RFC 9112, 6.3)."""
ENVIRONMENT_CALLER = Actor("a key of the environment", Role.READER)
"""What they call is answered, not changed, so nothing of it is recorded."""


@dataclass(frozen=True)
class Callers:
    """The callers of one service over the workspace with a database.

    `is_reachable`: it listens for other machines too, so a key is needed even after the last account is removed.
    """

    keys: ServeKeys
    database_url: str = field(repr=False)
    is_reachable: bool = False

    def needs_key(self) -> bool:
        """Whether a call must show a key. Raises MissingError where the database cannot be read."""
        return bool(self.keys) or self.is_reachable or has_sign_in(self.database_url)

    def caller(self, host: str, header: str, *, is_open: bool) -> Actor | None:
        """Who calls, by the headers Host and Authorization; None for a path that `is_open` to everybody.

        Raises ApiError for a call that may not come in, MissingError where the database cannot be read.
        """
        if not self.needs_key():
            # A page of another site may reach this machine under a name of its own, but not under this one.
            if not is_loopback(host_name(host)):
                raise ApiError(
                    403,
                    "Without keys this service answers requests to localhost or 127.0.0.1 alone.",
                    "host_not_allowed",
                )
            return None if is_open else workspace_actor(self.database_url, "api")
        if is_open:
            return None
        if self.keys.fit(header):
            return ENVIRONMENT_CALLER
        scheme, _, key = header.partition(" ")
        if scheme.casefold() == "bearer" and has_sign_in(self.database_url):
            account = AccountKeys.at(self.database_url).account(key.strip())
            if account is not None:
                return account_actor(self.database_url, account, "api")
        fault = "is not one of this service" if header else "is missing"
        raise ApiError(
            401,
            f"The key {fault}: send it as “Authorization: Bearer KEY”.",
            "invalid_api_key",
            {"WWW-Authenticate": "Bearer"},
        )


@dataclass(frozen=True)
class Gate:
    """Pure ASGI around the routes of `app`, so that a refusal has the same form everywhere and is counted.

    `verbs` has the service's paths, each with the verb that its caller must be allowed, or `OPEN`. `log` is given one
    line per request; with `logs_questions` the question is part of it. A failure after a response began is noted and
    counted under its status. `app` raises it, or sends it and leaves its status in `scope["state"]`.
    """

    app: ASGIApp
    callers: Callers
    metrics: ServeMetrics
    verbs: Mapping[str, str]
    log: Callable[[str], None]
    log_failure: Callable[[BaseException], object]
    logs_questions: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or answers why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def counted_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        async def refuse(error: ApiError) -> None:
            nonlocal status
            if status:
                status = error.status
            else:
                await error.response(scope, receive, counted_send)

        scope.setdefault("state", {})
        try:
            headers = Headers(scope=scope)
            if "content-length" in headers and "transfer-encoding" in headers:
                raise TWO_LENGTHS
            verb = self.verbs.get(scope["path"])
            # In another thread: a database that makes it wait must not make the other requests wait.
            person = await asyncio.to_thread(
                self.callers.caller,
                headers.get("host", ""),
                headers.get("authorization", ""),
                is_open=verb == OPEN,
            )
            if verb is None:
                raise ApiError(404, "There is nothing at this address; GET /docs lists what there is.", "not_found")
            with acting_as(person or NOBODY):
                if verb != OPEN:
                    check(verb)
                await self.app(scope, receive, counted_send)
            status = scope["state"].get(FAILURE_STATUS, status)
        except HungUp:
            status = HUNG_UP_STATUS
            self.metrics.hung_up.inc()
        except ApiError as error:
            await refuse(error)
        except WorkbenchError as error:
            await refuse(api_error(error))
        except Exception as error:
            self.log_failure(error)
            await refuse(UNEXPECTED)
        finally:
            self._note(scope, status or HUNG_UP_STATUS, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope["path"] if scope["path"] in self.verbs else OTHER
        self.metrics.count(route, status, seconds)
        question = scope["state"].get("question", "") if self.logs_questions else ""
        words = f" “{' '.join(question.split())}”" if question else ""
        method = scope["method"] if scope["method"].isalpha() else OTHER
        self.log(f"{method} {route} {status} {seconds:.3f} s{words}")
