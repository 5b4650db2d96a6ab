"""Who calls a service: by a key of the environment, by a key of an account, or anybody on this machine.

A key of the environment has the role reader. A key of an account has the role that the account has at that moment, and
stops working with it. Where the workspace has sign-in, every call needs a key.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.server.api_errors import ApiError
from workbench.server.serve_settings import ServeKeys, host_name, is_loopback
from workbench.workspace import AccountKeys, Actor, Role, account_actor, has_sign_in, workspace_actor

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
