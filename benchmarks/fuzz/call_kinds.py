"""The kinds of calls: requests to `mrag serve`, command lines, statistics over degenerate numbers, links to screens."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from benchmarks.fuzz import seeds
from benchmarks.fuzz.file_kinds import REPOSITORY, Kind, Try
from benchmarks.fuzz.harness import call
from benchmarks.fuzz.mutations import VALUES, mutated_bytes, mutated_value, mutated_words
from benchmarks.fuzz.seeds import NASTY
from benchmarks.fuzz.workspace import Template


class Unexpected(Exception):
    """An answer that nothing should get: a server's failure, a traceback, the sentence of the last resort."""


BODIES: tuple[tuple[str, Any], ...] = (
    ("/v1/ask", {"question": "Kuka keksi radion?", "language": "fi"}),
    ("/v1/retrieve", {"question": "Who invented radio?", "language": "en"}),
    ("/v1/stream", {"question": "Who invented radio?"}),
    ("/v1/chat/completions", {
        "model": "radio", "messages": [{"role": "user", "content": "Who?"}], "stream": False, "temperature": 0.5,
        "metadata": {"language": "en"}, "n": 1, "response_format": {"type": "text"},
    }),
)  # fmt: skip
PATHS = ("/v1/models", "/health", "/metrics", "/openapi.json", "/docs", "/", "/v1/ask/", "/v1//ask", "/%00", "/..%2f..")
METHODS = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "TRACE", "BREW")
HEADERS = ("Host", "Authorization", "Content-Type", "Content-Length", "Transfer-Encoding", "Accept", "Origin", "Cookie")


def _serve(template: Template, place: Path) -> Try:
    from tests.server.running import running
    from workbench.app import Workbench
    from workbench.workspace import settings

    bench = Workbench(settings.load(template.copy(place)))
    block = running(bench, {"scope": "en+ul", "k": 3})
    service = block.__enter__()
    target = urlsplit(service.url)
    address = (str(target.hostname), int(target.port or 0))

    def attempt(random: Random, _open: object = block) -> str:
        try:
            request, is_whole = _request(random, f"{address[0]}:{address[1]}")
            reply = _answer(address, request, is_whole=is_whole)
        except OSError as error:
            raise Unexpected("The service cannot be reached, or does not answer.") from error
        status = reply.split(b" ", 2)[1:2]
        if service.failures or (status and status[0].startswith(b"5")) or b"Traceback (most" in reply:
            failures, service.failures[:] = list(service.failures), []
            raise Unexpected(f"{reply[:300]!r} {failures!r}") from (failures[0] if failures else None)
        return status[0].decode("ascii", "replace") if status else "no reply"

    return attempt


def _request(random: Random, host: str) -> tuple[bytes, bool]:
    """A request, and whether its head is as it should be, so that an answer can be waited for."""
    path, body = random.choice(BODIES) if random.random() < 0.8 else (random.choice(PATHS), None)
    method = "POST" if body is not None else "GET"
    if random.random() < 0.1:
        method = random.choice(METHODS)
    data = b""
    if body is not None:
        changed = mutated_value(body, random) if random.random() < 0.8 else body
        data = json.dumps(changed, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
        if random.random() < 0.2:
            data = mutated_bytes(data, [data], random)
    headers = {
        "Host": host,
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
        "Connection": "close",
    }
    is_whole = random.random() < 0.85
    if not is_whole:
        headers[random.choice(HEADERS)] = random.choice(NASTY)[:3_000].replace("\n", " ")
    if random.random() < 0.05:
        path += "?" + random.choice(NASTY)[:3_000].replace(" ", "+").replace("\n", "")
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    head = "\r\n".join(lines).encode("utf-8", "surrogateescape")
    if random.random() < 0.05:
        return mutated_bytes(head, [head], random) + data, False
    return head + data, is_whole


def _answer(address: tuple[str, int], request: bytes, *, is_whole: bool) -> bytes:
    """All that comes back. After half a request the sending side is closed: who does so waits for no answer."""
    reply = bytearray()
    with socket.create_connection(address, timeout=40) as connection:
        try:
            connection.sendall(request)
            if not is_whole:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before it was read to its end: the reply says why
        try:
            while piece := connection.recv(1 << 16):
                reply += piece
        except ConnectionError:
            pass
    return bytes(reply)


SLOW = (("serve",), ("import", "hub"), ("models", "download"), ("prepare",), ("corpora", "wikipedia"))
"""Verbs that serve for ever or fetch from elsewhere."""
FREE = ("start", "run")
"""Verbs whose plan alone is asked for: no process works the job off."""


def _commands(template: Template, place: Path) -> Try:
    os.environ["HF_HUB_OFFLINE"] = "1"
    home, files = template.copy(place / "home"), place / "files"
    paths = [str(path) for path in seeds.write_files(files).values()]
    known, verbs = seeds.commands(files, template.experiment), list(_verbs())
    words_of = ("mine", "sample", template.experiment, "en", "fi", "1", "2", "char3_recall", "builtin", "ours", *paths)

    def attempt(random: Random) -> str:
        if random.random() < 0.3:
            words = mutated_words(random.choice(known), random)
        else:
            words = _words(random.choice(verbs), words_of, random)
        if any(words[: len(slow)] == slow for slow in SLOW):
            words = (*words[:1], "--help")
        outcome = call(words, home, seconds=60)
        if outcome.fell or outcome.hung:
            raise Unexpected(f"{outcome.code} {' '.join(word[:80] for word in words)[:400]!r} {outcome.err[-1_200:]!r}")
        return "done" if outcome.code == 0 else "refused"

    return attempt


def _verbs() -> Iterator[tuple[tuple[str, ...], Sequence[Any]]]:
    import typer

    from workbench.cli.command_line import app

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Sequence[Any]]]:
        if not hasattr(command, "commands") and not hasattr(command, "list_commands"):
            yield path, command.params
            return
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*path, name))

    yield from walk(typer.main.get_command(app), ())


def _words(verb: tuple[tuple[str, ...], Sequence[Any]], known: Sequence[str], random: Random) -> tuple[str, ...]:
    """A call of a verb with its arguments and some of its options; the values are known ones, or nasty."""
    path, parameters = verb
    words = list(path)

    def value() -> str:
        return random.choice(known) if random.random() < 0.7 else random.choice(NASTY).replace("\0", "")

    for item in parameters:
        if item.param_type_name == "argument":
            words += [value()] if random.random() < 0.95 else []
        elif getattr(item, "is_flag", False):
            words += [random.choice([*item.opts, *item.secondary_opts])] if random.random() < 0.3 else []
        elif item.required or random.random() < 0.3:
            words += [item.opts[0], value()]
    if path[-1] in FREE and path != ("jobs", "start"):
        words.append("--plan")
    elif path[-1] == "resume":
        words.append("--detach")
    return tuple(words)


Floats = npt.NDArray[np.float64]
ODD = (0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), 1e-12)


def _numbers(random: Random, size: int) -> Floats:
    form = random.choice(("yes-no", "even", "equal", "odd", "small", "scores"))
    if form == "yes-no":
        return np.array([float(random.random() < 0.5) for _ in range(size)])
    if form == "equal":
        return np.full(size, random.choice(ODD[:7]))
    if form == "odd":
        return np.array([random.choice(ODD) for _ in range(size)])
    scale = {"even": 1.0, "small": 1e-200, "scores": 100.0}[form]
    return np.array([random.random() * scale for _ in range(size)])


def _statistics(_template: Template, _place: Path) -> Try:
    from workbench.metrics.statistics import agreement as a, intervals as i
    from workbench.optimise.selection import chance, importance, paired_scores

    def size(random: Random) -> int:
        return random.choice((0, 1, 1, 2, 3, 5, 6, 14, 15, 60, 400))

    def labels(random: Random, count: int) -> list[str | None]:
        return [
            random.choice(random.choice((("a", "b", "c", None), ("a",), (None,), ("a", "\u202e"))))
            for _ in range(count)
        ]

    def pairs(random: Random) -> tuple[Floats, Floats, Floats]:
        count = size(random)
        weights = np.abs(np.nan_to_num(_numbers(random, count * 3).reshape(3, count), nan=0.0, posinf=1.0))
        return _numbers(random, count), _numbers(random, count), weights

    def judged(random: Random) -> Any:
        count, more = size(random), size(random)
        labels, judged, others = (np.clip(np.nan_to_num(_numbers(random, n)), 0, 1) for n in (count, count, more))
        questions = [f"q{n // 2}" for n in range(count)], [f"r{n // 2}" for n in range(more)]
        return i.JudgedSample(labels, judged, others, *questions)

    def table(random: Random) -> tuple[Floats, list[str]]:
        recipes, questions = random.choice((0, 1, 2, 3, 12)), random.choice((0, 1, 2, 3, 8, 40))
        scores = _numbers(random, recipes * questions).reshape(recipes, questions)
        scores[np.array([random.random() < 0.1 for _ in range(scores.size)], dtype=bool).reshape(scores.shape)] = np.nan
        return scores, [f"g{n // random.choice((1, 2))}" for n in range(questions)]

    functions: dict[str, Callable[[Random], object]] = {
        "mean_interval": lambda r: i.mean_interval(
            _numbers(r, size(r)), mean=r.choice((None, 0.5)), share=r.choice((1.0, 0.1))
        ),
        "clustered_interval": lambda r: (
            lambda n: i.clustered_interval(_numbers(r, n), [k // 2 for k in range(n)])
        )(size(r)),
        "corrected_mean": lambda r: i.corrected_mean([judged(r) for _ in range(r.choice((1, 2, 5)))]),
        "permutation_p": lambda r: i.permutation_p(_numbers(r, size(r)).tolist()),
        "holm": lambda r: i.holm([r.choice((None, 0.0, 1.0, 0.03, 5e-324)) for _ in range(size(r))]),
        "smallest_detectable": lambda r: i.smallest_detectable(_numbers(r, size(r)).tolist()),
        "auc": lambda r: a.auc(*pairs(r)),
        "kendall_tau_b": lambda r: a.kendall_tau_b(*pairs(r)),
        "pearson_r": lambda r: a.pearson_r(*pairs(r)),
        "binary_kappa": lambda r: a.binary_kappa(*pairs(r)),
        "cohen_kappa": lambda r: (lambda n: a.cohen_kappa(labels(r, n), labels(r, n)))(size(r)),
        "krippendorff_alpha": lambda r: a.krippendorff_alpha(
            [labels(r, r.choice((0, 1, 2, 3))) for _ in range(size(r))]
        ),
        "luck_gauge": lambda r: chance.luck_gauge(*table(r), draws=200),
        "recipe_confidence_set": lambda r: paired_scores.recipe_confidence_set(*table(r), draws=200),
        "pilot_spread": lambda r: chance.pilot_spread(*table(r)),
        "language_means": lambda r: (lambda t: importance.language_means(t[0], t[1]))(table(r)),
        "groups_needed": lambda r: chance.groups_needed(r.choice(ODD), r.choice(ODD), r.choice((1, 2, 50))),
        "visible_gain": lambda r: chance.visible_gain(abs(r.choice(ODD)), size(r), r.choice((1, 2, 50))),
    }  # fmt: skip

    def attempt(random: Random) -> str:
        name = random.choice(list(functions))
        with np.errstate(all="ignore"):
            functions[name](random)
        return name

    return attempt


def _screens(template: Template, place: Path) -> Try:
    from functools import cache

    import pytest
    from streamlit.components.v2 import manifest_scanner
    from streamlit.runtime.scriptrunner.script_cache import ScriptCache
    from streamlit.testing.v1 import app_test

    from tests.screens.conftest import html, open_page
    from tests.screens.results import add_results
    from workbench.app import Workbench
    from workbench.ui.ask.ask_state import Choice
    from workbench.ui.compare.compare_state import CompareState
    from workbench.ui.dashboard.dashboard_state import DashboardState
    from workbench.ui.data.data_state import Selection
    from workbench.ui.inspect.inspect_state import InspectState
    from workbench.ui.optimise.search_view import OptimiseState
    from workbench.ui.parts import access
    from workbench.ui.parts.page_state import PageState
    from workbench.ui.runs.jobs_view import RunsState
    from workbench.workspace import settings

    bench = Workbench(settings.load(template.copy(place)))
    add_results(bench)
    patch = pytest.MonkeyPatch()
    patch.setattr(access, "workbench", lambda: bench)
    patch.setattr(access, "warm", lambda _corpus: None)
    scripts = ScriptCache()
    patch.setattr(app_test, "ScriptCache", lambda: scripts)
    patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
    states: dict[str, type[PageState]] = {
        "ask": Choice, "compare": CompareState, "data": Selection, "inspect": InspectState, "runs": RunsState,
        "dashboard": DashboardState, "optimise": OptimiseState,
    }  # fmt: skip
    Path(".streamlit").symlink_to(REPOSITORY / ".streamlit")  # the app's settings, read from the current folder
    parameters = {page: state.parameters() for page, state in states.items()}
    parameters |= {"tour": ("tour", "stop", "parts", "list"), "settings": ("section",), "home": ("x",)}
    usual = ("en", "fi", "sample", "mine", "1", "2", "0", "-1", template.experiment, "annotate", "languages", "votes",
             "char3_recall", "multirag", "all", "questions", "documents", "cost")  # fmt: skip

    def attempt(random: Random) -> str:
        page = random.choice(list(parameters))
        names = random.sample(parameters[page], random.randint(1, min(4, len(parameters[page]))))
        params: dict[str, str | list[str]] = {
            name: random.choice(usual) if random.random() < 0.6 else str(random.choice((*NASTY, *VALUES)))[:10_000]
            for name in names
        }
        if random.random() < 0.2:
            params[random.choice(names)] = [random.choice(usual), random.choice(NASTY)]
        params.pop("ask", None)  # an answer takes seconds, and is what the service's requests are about
        app = open_page(page, **params)
        shown = html(app)
        if app.exception or access.UNEXPECTED in shown:
            raise Unexpected(f"{page} {str(params)[:500]} {[item.value for item in app.exception]} {shown[-300:]!r}")
        return page

    return attempt


CALL_KINDS = (
    Kind("requests to mrag serve", 3_700, _serve),
    Kind("command lines", 1_400, _commands),
    Kind("statistics", 1_500, _statistics),
    Kind("links to screens", 400, _screens),
)
