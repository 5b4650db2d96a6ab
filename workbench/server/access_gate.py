"""What every request passes: who may come in, and what is written down of it.

A caller shows a key of the environment, which has the role reader, or a key of an account, which has the role that the
account has at that moment and stops working with it. Anybody on this machine may call where no key is asked for. Where
the workspace has sign-in, every call needs a key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core import WorkbenchError
from workbench.server.answer_run import HungUp
from workbench.server.api_errors import UNEXPECTED, ApiError, api_error
from workbench.server.serve_metrics import ServeMetrics
from workbench.server.serve_settings import ServeKeys, host_name, is_loopback
from workbench.workspace import (
    NOBODY,
    AccountKeys,
    Actor,
    Role,
    account_actor,
    acting_as,
    check,
    has_sign_in,
    workspace_actor,
)

HUNG_UP_STATUS = 499
"""nginx's status for a client that left before the end; it reaches nobody, and is logged and counted."""
FAILURE_STATUS = "failure_status"
"""Under which `scope["state"]` has the status of a failure that a response sent after it had begun."""
OTHER = "other"
"""The route of everything that has none, for logs and figures."""
OPEN = ""
"""In place of a verb, for paths that say nothing of questions or passages."""
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
