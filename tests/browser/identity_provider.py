"""A provider of OpenID Connect on this machine: authorization code with PKCE, and ID tokens signed with RS256."""

from __future__ import annotations

import base64
import hashlib
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "workbench", "the-client-secret"
PEOPLE = {"Olga": "olga@example.org", "Stranger": "stranger@example.org"}


class IdentityProvider:
    """Knows two people and asks which of them signs in."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.client_authentications: list[bool] = []
        self._key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self._codes: dict[str, dict[str, str]] = {}

    def app(self) -> Starlette:
        """The provider's routes."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configuration),
                Route("/authorize", self._authorize),
                Route("/take", self._take),
                Route("/token", self._token, methods=["POST"]),
                Route("/jwks", self._jwks),
            ]
        )

    async def _configuration(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def _authorize(self, request: Request) -> Response:
        links = (
            f'<p><a href="/take?{urlencode({**request.query_params, "person": name})}">I am {name}</a></p>'
            for name in PEOPLE
        )
        return HTMLResponse(f"<h1>The provider</h1>{''.join(links)}")

    async def _take(self, request: Request) -> Response:
        code = secrets.token_urlsafe()
        self._codes[code] = dict(request.query_params)
        query = urlencode({"code": code, "state": request.query_params["state"]})
        return RedirectResponse(f"{request.query_params['redirect_uri']}?{query}", 302)

    async def _token(self, request: Request) -> Response:
        form = {key: values[0] for key, values in parse_qs((await request.body()).decode()).items()}
        request_values = self._codes.pop(form["code"])
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode()
        is_client = request.headers.get("authorization") == f"Basic {expected}"
        self.client_authentications.append(is_client)
        if not is_client or challenge.rstrip("=") != request_values["code_challenge"]:
            return JSONResponse({"error": "invalid_client"}, 401)
        now, person = int(time.time()), request_values["person"]
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": person,
            "name": person,
            "email": PEOPLE[person],
            "email_verified": True,
            "nonce": request_values["nonce"],
            "iat": now,
            "exp": now + 300,
        }
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self._key)
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": token})

    async def _jwks(self, request: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})


@contextmanager
def running_provider() -> Iterator[IdentityProvider]:
    """A provider while it runs, on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    provider = IdentityProvider(f"http://127.0.0.1:{port}")
    server = uvicorn.Server(uvicorn.Config(provider.app(), host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.02)
        yield provider
    finally:
        server.should_exit = True
        thread.join(10)
