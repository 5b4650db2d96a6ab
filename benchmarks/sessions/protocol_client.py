"""A visitor's page without its drawing: the messages that Streamlit's page and server exchange, counted and kept.

What is drawn is kept as the page keeps it, by place; messages that the page would have kept are not sent to it again;
fragments that run by themselves are run. Nothing else of the page is there: no static files, no scripts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

from lxml import html
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

FIELD, BUTTON = "Question", "Ask"
PATIENCE = 60.0
"""Seconds after which an answer is taken to be lost."""
MESSAGE_LIMIT = 1 << 26


class ScreenError(Exception):
    """The server hung up, sent an exception, or showed no answer."""


@dataclass
class ProtocolClient:
    """One session: what the page holds, and what came: bytes, messages, and when the last one did."""

    socket: ClientConnection
    page: str
    bytes: int = 0
    messages: int = 0
    last: float = 0.0
    _elements: dict[tuple[int, ...], tuple[Element, str]] = field(default_factory=dict)
    _kept: dict[str, ForwardMsg] = field(default_factory=dict)
    _timers: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _running: bool = True
    _query: str = ""
    _reader: asyncio.Task[None] | None = None
    _values: dict[str, str] = field(default_factory=dict)

    @classmethod
    async def open(cls, url: str, page: str = "") -> Self:
        """Connects to the server at `url` and runs a page; returns when it is drawn. Raises ScreenError."""
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        socket = await connect(address, subprotocols=["streamlit"], max_size=MESSAGE_LIMIT, proxy=None)  # type: ignore[list-item]
        client = cls(socket, page)
        client._reader = asyncio.create_task(client._read())
        await client._rerun()
        await client._until(lambda: not client._running)
        return client

    async def close(self) -> None:
        """Leaves, as a closed tab does."""
        self._stop(list(self._timers))
        await self.socket.close()
        if self._reader:
            await self._reader

    async def ask(self, question: str) -> tuple[float, str]:
        """Types a question and presses Ask: the seconds to the answer's last byte, and its claims.

        Raises ScreenError.
        """
        typed, _ = self._element("text_input", FIELD)
        button, fragment = self._element("button", BUTTON)
        self._values[typed.text_input.id] = question
        pressed = time.perf_counter()
        self._running = True
        await self._rerun(fragment, trigger=button.button.id)
        await self._until(lambda: not self._running and self._answer(question) is not None)
        return self.last - pressed, self._answer(question) or ""

    def _element(self, kind: str, label: str) -> tuple[Element, str]:
        for element, fragment in self._elements.values():
            if element.WhichOneof("type") == kind and getattr(element, kind).label == label:
                return element, fragment
        raise ScreenError(f"the page has no {kind} “{label}”")

    def _answer(self, question: str) -> str | None:
        """The claims of the answer to the question, None while the page does not show it."""
        for element, _ in list(self._elements.values()):
            if element.WhichOneof("type") == "exception":
                raise ScreenError(element.exception.message)
            if element.WhichOneof("type") != "html" or "wb-" not in element.html.body:
                continue
            body = html.fromstring(f"<div>{element.html.body}</div>")
            if body.find_class("wb-error"):
                raise ScreenError(body.text_content())
            for card in body.find_class("wb-answer"):
                texts = card.find_class("wb-said") or card.find_class("wb-none")
                if texts and question in card.text_content():
                    for number in texts[0].find_class("wb-jump"):
                        number.drop_tree()
                    claims = texts[0].findall(".//li") or [texts[0]]
                    return " … ".join(claim.text_content().strip() for claim in claims)
        return None

    async def _rerun(self, fragment: str = "", *, trigger: str = "", by_itself: bool = False) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_name, state.fragment_id = self._query, self.page, fragment
        state.is_auto_rerun = by_itself
        state.context_info.timezone, state.context_info.locale = "Europe/Helsinki", "en-GB"
        state.context_info.url, state.context_info.color_scheme = "http://127.0.0.1", "light"
        state.cached_message_hashes.extend(self._kept)
        for name, value in self._values.items():
            state.widget_states.widgets.add(id=name, string_value=value)
        if trigger:
            state.widget_states.widgets.add(id=trigger, trigger_value=True)
        await self.socket.send(message.SerializeToString())

    async def _until(self, ready: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not ready():
            self._changed.clear()
            if self._reader is None or self._reader.done():
                raise ScreenError("the server hung up")
            try:
                await asyncio.wait_for(self._changed.wait(), until - time.monotonic())
            except TimeoutError:
                raise ScreenError(f"no answer within {PATIENCE:.0f} s") from None

    async def _read(self) -> None:
        async for data in self.socket:
            assert isinstance(data, bytes)
            self.bytes, self.messages, self.last = self.bytes + len(data), self.messages + 1, time.perf_counter()
            message = ForwardMsg()
            message.ParseFromString(data)
            if message.WhichOneof("type") == "ref_hash":
                whole = ForwardMsg()
                whole.CopyFrom(self._kept[message.ref_hash])
                whole.metadata.CopyFrom(message.metadata)
                message = whole
            elif message.metadata.cacheable:
                self._kept[message.hash] = message
            self._take(message)
        self._changed.set()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta":
            place = tuple(message.metadata.delta_path)
            for inner in [path for path in self._elements if path[: len(place)] == place]:
                del self._elements[inner]
            if message.delta.WhichOneof("type") == "new_element":
                self._elements[place] = (message.delta.new_element, message.delta.fragment_id)
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            self._stop(message.stop_auto_rerun.fragment_ids)
        elif kind == "new_session":
            self._running = True
            if not message.metadata.run.fragment_ids:
                self._stop(list(self._timers))
        elif kind == "script_finished":
            self._running = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        self._changed.set()

    def _repeat(self, fragment: str, interval: float) -> None:
        async def run() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._rerun(fragment, by_itself=True)

        self._stop([fragment])
        self._timers[fragment] = asyncio.create_task(run())

    def _stop(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if timer := self._timers.pop(fragment, None):
                timer.cancel()
