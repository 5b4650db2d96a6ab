"""Signing in with a provider of OpenID Connect: which ones are configured, and what becomes of their word.

Streamlit does the exchange with the provider (`st.login`) and keeps the person's claims in a signed cookie of its own,
for 30 days. Here they open a session once, while they are fresh; from then on the session counts, with the same limits
as anybody's.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitAPIException

from workbench.core import MissingError, UsageError
from workbench.ui.parts import access, outcome, safe_html
from workbench.workspace import opened_store, sign_in_by_email

FRESH = 600.0
"""Seconds after the provider's word that it opens a session; the provider's clock and ours may differ."""
DEFAULT = ""
UNNAMED = "default"
"""What Streamlit notes as the provider of a person whom an unnamed one has signed in."""
TRUST = "trust_email"
"""The key in a provider's section of secrets.toml: its addresses count although it says nothing of checking them."""

_lock = threading.Lock()
_used: dict[str, float] = {}
"""Digests of the claims that have opened a session, with the time until which they are fresh."""


def providers() -> Mapping[str, str]:
    """What buttons call the configured providers, by the name that `st.login` takes ("" for an unnamed one)."""
    section = _section()
    named = {name: value for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value}
    titles = {name: name.replace("-", " ").title() for name in named}
    if "client_id" in section:
        host = urlsplit(str(section.get("server_metadata_url", ""))).hostname or "the provider"
        titles = {DEFAULT: host, **titles}
    return titles


def buttons() -> None:
    """A button for each provider."""
    for name, title in providers().items():
        st.button(
            f"Sign in with {safe_html.plain_label(title)}",
            key=f"sign_in_with_{name}",
            icon=":material/login:",
            width="stretch",
            on_click=_login,
            args=(name,),
        )


def token() -> str:
    """The token of a new session for the person whose fresh claims Streamlit has; "" where it has none.

    Raises SignInFailed for a person without an account.
    """
    claims = _claims()
    now = time.time()
    issued = claims.get("iat")
    if not claims.get("is_logged_in") or not isinstance(issued, int | float) or abs(now - issued) > FRESH:
        return ""
    digest = hashlib.sha256(json.dumps(claims, sort_keys=True, default=str).encode()).hexdigest()
    with _lock:
        if _used.get(digest, 0.0) > now:
            return ""
        engine = opened_store(access.workbench().settings.database_url)
        result = sign_in_by_email(engine, str(claims.get("email") or ""), is_verified=_is_verified(claims))
        for old in [key for key, until in _used.items() if until <= now]:
            del _used[old]
        _used[digest] = issued + 2 * FRESH
    return result


def sign_out() -> None:
    """Has Streamlit forget the person, and the provider where it can."""
    if _claims().get("is_logged_in"):
        st.logout()


def _is_verified(claims: Mapping[str, Any]) -> bool:
    """Whether an address counts: the provider says that it checked it, or it says nothing and its section trusts it."""
    if "email_verified" in claims:
        return claims["email_verified"] is True or claims["email_verified"] == "true"
    section = _section()
    name = str(claims.get("provider") or "")
    named = section.get(name)
    values = named if isinstance(named, Mapping) else section if name == UNNAMED else {}
    return values.get(TRUST) is True


def _login(name: str) -> None:
    with outcome.kept(PLACE):
        try:
            st.login(name or None)
        except StreamlitAPIException as error:
            raise UsageError(
                "Sign-in with the provider is not set up completely. Whoever runs the server finds the reason in its "
                "log, and the steps in docs/people.md."
            ) from error
        except ImportError as error:
            raise MissingError(
                "Sign-in with a provider needs the package Authlib. Type: pip install 'mrag-workbench[team]'"
            ) from error


PLACE = "sign_in"
"""The place where it is said why the last attempt came to nothing."""


def _section() -> Mapping[str, Any]:
    try:
        section = st.secrets.get("auth", {})
    except FileNotFoundError:  # no secrets.toml
        return {}
    return section if isinstance(section, Mapping) else {}


def _claims() -> Mapping[str, Any]:
    # Our own word of which browser it is would make one person's claims differ between two.
    return {name: value for name, value in st.user.to_dict().items() if name != "visitor"}
