"""Which keys may be sent to which servers: decided by whoever runs the workbench, never on a screen.

- A key is the value of a variable whose name fits WORKBENCH_KEY_NAMES, by default `*_API_KEY`: anything else in the
  environment is not a key of an endpoint, whatever `endpoints.yaml` or a form says.
- Where only the person at this machine can reach the screens, that person decides where keys go. Where the screens are
  served to others, endpoints are called at the services that come with the workbench, with the key of each, and on the
  hosts in WORKBENCH_ENDPOINT_HOSTS; nowhere else, and not on this machine either.
- The screens are served to others where WORKBENCH_SHARED says so. They set it themselves when their address is not
  this machine's, when they answer under further names (WORKBENCH_HOSTS), and when the workspace has accounts.

Whoever calls an endpoint gets its key here, at the moment of the call.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

from workbench.core import UsageError, shorten
from workbench.workspace import settings

KEY_NAMES = "WORKBENCH_KEY_NAMES"
"""The variable with the names of keys, separated by commas; `*` stands for any characters."""
ENDPOINT_HOSTS = "WORKBENCH_ENDPOINT_HOSTS"
"""The variable with the hosts that may be called where the screens are served to others, each alone or with a port;
`*` as in KEY_NAMES."""
SCREEN_HOSTS = "WORKBENCH_HOSTS"
"""The variable with the names under which the screens answer, besides this machine's; `*` as in KEY_NAMES."""
SHARED = "WORKBENCH_SHARED"
"""The variable that says, by any value but "" and 0, that others than the person at this machine reach the screens."""
OPENAI_HOST = "api.openai.com"
DEFAULT_KEY_NAMES = ("*_API_KEY",)
SERVICES: Mapping[str, str] = {OPENAI_HOST: "OPENAI_API_KEY", "api.groq.com": "GROQ_API_KEY"}
"""The hosts of the services that come with the workbench, and the one key that each is given where others are
served."""
ACCOUNT_HEADERS = ("OpenAI-Organization", "OpenAI-Project")
"""Headers that name the account at OpenAI; its client would send them to every endpoint."""
CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
"""The variable with further headers, a line each, that OpenAI's client would send to every endpoint."""
NEAR_NAMES = (".lan", ".local", ".internal", ".home.arpa")
"""How names end that no public server has."""
HOST = re.compile(r"[a-z0-9.:-]+")


def is_this_machine(host: str) -> bool:
    """Whether a host's name or address is this machine's own.

    >>> is_this_machine("localhost"), is_this_machine("127.0.0.2"), is_this_machine("0.0.0.0"), is_this_machine("::1")
    (True, True, False, True)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_near(host: str) -> bool:
    """Whether a host is this machine, or has an address or name of a private network, where servers rarely speak TLS.

    >>> is_near("192.168.1.5"), is_near("localhost"), is_near("8.8.8.8"), is_near("api.openai.com")
    (True, True, False, False)
    """
    try:
        return ip_address(host).is_private
    except ValueError:
        return is_this_machine(host) or "." not in host or host.endswith(NEAR_NAMES)


def serve_at(address: str) -> None:
    """Notes the address that the screens are served at, "" for every network: others may reach all but this machine's.

    They reach this machine's, too, through a proxy, whose name is then in WORKBENCH_HOSTS.
    """
    if not is_this_machine(address.strip("[]")) or listed(SCREEN_HOSTS):
        note_shared()


def note_shared() -> None:
    """Notes that others reach the screens, also for the processes that this one starts."""
    os.environ[SHARED] = "1"


def is_shared() -> bool:
    """Whether others than the person at this machine reach the screens."""
    return os.environ.get(SHARED, "").strip() not in ("", "0")


def check_endpoint(url: str, key: str) -> None:
    """Checks that the endpoint at `url` may be called with the key in the variable `key`, "" for none.

    Raises UsageError with what is allowed and how to allow more.
    """
    if key and not is_allowed_key(key):
        raise UsageError(
            f"The variable “{shorten(key)}” is not allowed as the key of an endpoint. Allowed: "
            f"{', '.join(_key_names())}. Whoever runs the workbench can allow others before starting it: "
            f"export {KEY_NAMES}='{','.join((*_key_names(), 'MY_KEY'))}'"
        )
    host = (urlsplit(url).hostname or "").rstrip(".")
    names = (host, urlsplit(url).netloc.rpartition("@")[2])
    if HOST.fullmatch(host) and any(fits(name, listed(ENDPOINT_HOSTS)) for name in names):
        return
    if key and urlsplit(url).scheme == "http" and (host in SERVICES or (not is_shared() and not is_near(host))):
        raise UsageError(
            f"The key {shorten(key)} would be sent to {shorten(host)} unencrypted, so anyone on the way could read it. "
            f"Begin the address with https://, leave the key out, or name the host in {ENDPOINT_HOSTS}."
        )
    if not is_shared() or (host in SERVICES and key in ("", SERVICES[host])):
        return
    what = f"The key {key} is not that of {host}" if host in SERVICES else f"The host “{shorten(host)}” is not allowed"
    raise UsageError(
        f"{what}, since this workbench is served to others. Allowed: {', '.join(_allowed_hosts())}. "
        "Whoever runs it can allow others "
        f"before starting it: export {ENDPOINT_HOSTS}={shorten(host) or 'models.example.org'}"
    )


def is_allowed_key(name: str) -> bool:
    """Whether a variable's name is one that may be the key of an endpoint."""
    return fits(name, _key_names())


def allowed_words() -> str:
    """What is allowed, in words for the screen on which endpoints are added."""
    keys = f"Keys: {', '.join(_key_names())}"
    hosts = f"Hosts: {', '.join(_allowed_hosts())}" if is_shared() else "Hosts: any"
    return f"{keys}. {hosts}. Whoever runs the workbench sets this with {KEY_NAMES} and {ENDPOINT_HOSTS}."


def key_for(url: str, key: str) -> str | None:
    """The key in the variable `key` for a call to `url`; None where it names none, or where the variable is not set.

    Raises UsageError as `check_endpoint` does, before the variable is read.
    """
    check_endpoint(url, key)
    return settings.secret(key) if key else None


def foreign_headers(url: str) -> Sequence[str]:
    """The headers that OpenAI's client takes from the environment and that are not for the server at `url`."""
    if urlsplit(url).hostname == OPENAI_HOST:
        return ()
    custom = (line.partition(":")[0].strip() for line in os.environ.get(CUSTOM_HEADERS, "").splitlines())
    return (*ACCOUNT_HEADERS, *filter(None, custom))


def _key_names() -> Sequence[str]:
    return listed(KEY_NAMES) or DEFAULT_KEY_NAMES


def _allowed_hosts() -> Sequence[str]:
    """The hosts that may be called where the screens are served to others, in words."""
    return tuple(dict.fromkeys((*SERVICES, *listed(ENDPOINT_HOSTS))))


def listed(variable: str) -> tuple[str, ...]:
    """The entries of a variable, in its order."""
    return tuple(filter(None, (item.strip() for item in os.environ.get(variable, "").split(","))))


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name fits one of the patterns, in upper or lower case."""
    # A bracket is that of an IPv6 address.
    return any(fnmatchcase(name.casefold(), pattern.casefold().replace("[", "[[]")) for pattern in patterns)
