"""`app`: the screens, from a checkout or from an installed wheel, in any folder.

A checkout has `app.py`, `pages` and `.streamlit` at its top; in a wheel they lie in the package, in `screens`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import workbench
from workbench.cli import models
from workbench.cli.shared import say
from workbench.core import MissingError


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command("app")(start)


def start(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8501,
    address: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 serves other machines too.")] = "localhost",
) -> None:
    """Start the screens, after preparing the sample where that is not done yet."""
    from workbench.server import is_loopback

    script = _script()
    models.prepare()
    if not is_loopback(address):
        say(
            f"WARNING: the workbench listens on {address}. Unless the workspace has accounts (mrag accounts add), "
            "whoever reaches this machine can use it, without sign-in: read and delete what is in the workspace, run "
            "models, and spend your keys. See docs/people.md, “Serving others”. It answers to requests for bare "
            "addresses; for names, list them: WORKBENCH_HOSTS=NAME"
        )
    say(f"The workbench starts at http://localhost:{port}  (stop it with Ctrl-C)")
    options = {"address": address, "port": str(port), "headless": "true"}
    flags = [word for name, value in options.items() for word in (f"--server.{name}", value)]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *flags, "--browser.serverAddress", "localhost"]
    # In place of this process, so that what is sent to it reaches the screens. Of this interpreter and our own words.
    os.execv(sys.executable, command)  # noqa: S606


def _script() -> Path:
    package = Path(workbench.__file__).parent
    # The wheel's first: beside an installed package may lie an `app.py` of somebody else.
    for path in (package / "screens" / "app.py", package.parent / "app.py"):
        if path.is_file():
            return path
    raise MissingError(
        "The screens are not part of this installation: install the wheel, or start them in a checkout with make run."
    )
