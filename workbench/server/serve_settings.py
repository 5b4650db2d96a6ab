"""What a service is allowed: its keys, where it may listen, and its limits."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass, field

import regex

from workbench.core import UsageError, shorten
from workbench.workspace import settings

KEYS_VARIABLE = "WORKBENCH_SERVE_KEYS"
KEY_FORM = regex.compile(r"[\x21-\x7e]{16,200}")
"""What fits a header, is not split by commas, and is not guessed."""
WORKERS_LIMIT, QUEUE_LIMIT, SECONDS_LIMIT = 64, 10_000, 3_600


@dataclass(frozen=True, slots=True)
class ServeLimits:
    """The most that a service does.

    `workers`: answers at the same time; `queue`: further requests that wait; `seconds`: from a request's arrival to
    the end of its answer.
    """

    workers: int = 4
    queue: int = 64
    seconds: float = 120.0

    def check(self) -> None:
        """Raises UsageError for a limit that cannot be kept."""
        _within("--workers", self.workers, 1, WORKERS_LIMIT, example=4)
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
