"""`serve`: a recipe over HTTP, for other programs and any client of OpenAI's chat completions."""

from __future__ import annotations

import logging
from threading import Thread
from typing import Annotated

import typer

from workbench.cli import last_resort
from workbench.cli.shared import open_workbench, progress, say


def register(app: typer.Typer) -> None:
    """Adds the verb to the program."""
    app.command()(serve)


def serve(
    recipe: Annotated[str, typer.Option(help="A recipe file or a shipped recipe; clients call it by its name.")],
    host: Annotated[str, typer.Option(help="Where to listen. Other than loopback needs keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    workers: Annotated[int, typer.Option(help="Answers at the same time, 1 to 64.")] = 4,
    queue: Annotated[int, typer.Option(help="Requests that wait; more are turned away with 429.")] = 64,
    timeout: Annotated[float, typer.Option(help="Seconds after which a request is given up, waiting included.")] = 120,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep the steps of answers in the workspace, as ask does.")
    ] = True,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Write questions to the log too.")] = False,
) -> None:
    """Serve a recipe over HTTP; keys are those of accounts, and in WORKBENCH_SERVE_KEYS, separated by commas."""
    from workbench.server import (
        KEYS_VARIABLE,
        HttpServer,
        ServedRecipe,
        ServeLimits,
        check_binding,
        recipe_named,
        serve_keys,
    )
    from workbench.workspace import has_sign_in

    # What is wrong with the words of the command is known before a corpus is built, which takes a while.
    limits = ServeLimits(workers, queue, timeout)
    limits.check()
    keys = serve_keys()
    bench = open_workbench()
    has_accounts = has_sign_in(bench.settings.database_url)
    check_binding(host, keys, has_accounts=has_accounts)
    name, choices = recipe_named(recipe)
    served = ServedRecipe(bench, choices, name, cached=cache)
    bench.registry.check(choices)
    corpus = bench.corpus(choices.corpus, progress())
    hosts = served.prepare()
    if note := bench.registry.stand_in(choices, corpus):
        say(note)
    for item in hosts:
        say(f"Texts are sent to {item}.")
    # Libraries announce each call to a model; what they write is not for the log of a service.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    server = HttpServer(served, host, port, keys, limits, say, last_resort.record, log_questions)
    listener = server.listen()
    Thread(target=served.warm_up, daemon=True).start()
    say(_keys_words(len(keys.digests) if keys else 0, KEYS_VARIABLE, has_accounts=has_accounts))
    say(f"“{name}” is served at {server.address(listener)} (its API: /docs). Stop it with Ctrl-C.")
    server.run(listener)


def _keys_words(number: int, variable: str, *, has_accounts: bool) -> str:
    if has_accounts:
        return "Clients must show a key of an account (create one: mrag accounts key NAME)" + (
            f", or one in {variable}, which has the role reader." if number else "."
        )
    if not number:
        return f"No key is needed: {variable} is not set."
    return f"Clients must show {'the key' if number == 1 else f'one of the {number:,} keys'} in {variable}."
