"""What a visitor's page costs the server, screen by screen: processor time, bytes, messages and memory.

python -m benchmarks.sessions.by_screen [--visitors 20] [--home FOLDER]

Each visitor opens one screen in a session of their own, by the page's protocol, and stays; the first of a screen, which
reads what all share, is not counted. An answer on Ask is each visitor's second question, asked by nobody before where
the workspace is a fresh one.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.screens.running import ROOT, AppServer, environment
from benchmarks.sessions.process import processor_seconds, resident_mb
from benchmarks.sessions.protocol_client import ProtocolClient
from workbench.data.corpora import sample

SCREENS = ("", "ask", "compare", "data", "runs", "optimise", "dashboard", "inspect", "tour", "settings")
WARM = "Who invented radio?"
SETTLING = 0.3
"""Seconds in which a page's fragments run for the first time."""


async def main(options: argparse.Namespace, server: AppServer) -> None:
    """Prints a table, a row for each screen."""
    await _loaded(server)
    questions = [question.text for question in sample.questions("en")]
    print("| screen | processor ms | kB | messages | memory kB |\n| --- | --- | --- | --- | --- |")
    for screen in SCREENS:
        await (await ProtocolClient.open(server.url, screen)).close()
        before, began = resident_mb(server.pid), processor_seconds(server.pid)[0]
        clients = [await _settled(server.url, screen) for _ in range(options.visitors)]
        row = [processor_seconds(server.pid)[0] - began, resident_mb(server.pid) - before]
        _print(screen or "home", row, [client.bytes for client in clients], [client.messages for client in clients])
        if screen == "ask":
            for client in clients:
                await client.ask(WARM)
            sizes, counts = [client.bytes for client in clients], [client.messages for client in clients]
            before, began = resident_mb(server.pid), processor_seconds(server.pid)[0]
            for client, question in zip(clients, questions, strict=False):
                await client.ask(question)
            row = [processor_seconds(server.pid)[0] - began, resident_mb(server.pid) - before]
            _print(
                "an answer on Ask",
                row,
                [client.bytes - size for client, size in zip(clients, sizes, strict=True)],
                [client.messages - count for client, count in zip(clients, counts, strict=True)],
            )
        for client in clients:
            await client.close()


async def _loaded(server: AppServer) -> None:
    """What all visitors share is loaded in the background: until the server is at rest."""
    await (await ProtocolClient.open(server.url)).close()
    before = -1.0
    while processor_seconds(server.pid)[0] - before > SETTLING / 10:
        before = processor_seconds(server.pid)[0]
        await asyncio.sleep(10 * SETTLING)


async def _settled(url: str, screen: str) -> ProtocolClient:
    client = await ProtocolClient.open(url, screen)
    await asyncio.sleep(SETTLING)
    return client


def _print(name: str, work: list[float], sizes: list[int], counts: list[int]) -> None:
    milliseconds, kilobytes = (1000 * value / len(sizes) for value in work)
    size, count = median(sizes) / 1000, median(counts)
    print(f"| {name} | {milliseconds:.0f} | {size:.1f} | {count:.0f} | {kilobytes:.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sessions.by_screen", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        home = options.home or Path(fresh)
        subprocess.run([sys.executable, "-m", "workbench", "prepare"], cwd=ROOT, env=environment(home), check=True)
        running = AppServer(home)
        running.start()
        try:
            asyncio.run(main(options, running))
        finally:
            running.stop()
