"""What a browser page has cost so far: its main thread's processor time, what came over the network, its elements."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from playwright.sync_api import Page

QUIET_MS, LOOK_MS = 600, 150
"""Milliseconds without a change after which a page counts as still, and between two looks."""
DRAWN = "[data-testid='stApp'][data-test-script-state='notRunning'] .stMain"

ELEMENTS = "document.querySelectorAll('*').length"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the main thread, kB over HTTP as sent, kB and frames over the WebSocket, and elements on the page."""

    seconds: float
    http_kb: float
    socket_kb: float
    frames: float
    elements: float

    def since(self, before: Cost) -> Cost:
        """What came after `before`; the elements are those that are there now."""
        spent = {item.name: getattr(self, item.name) - getattr(before, item.name) for item in fields(self)}
        return Cost(**{**spent, "elements": self.elements})


class Meter:
    """Counts what a page costs, from before it is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._http = self._socket = self._frames = 0
        self._session = page.context.new_cdp_session(page)
        # Ticks of the thread: other processes at work on the machine do not count.
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._session.send("Network.enable")
        self._session.on("Network.loadingFinished", self._load)
        self._session.on("Network.webSocketFrameReceived", self._receive)

    def cost(self) -> Cost:
        """All until the page is still: drawn, and nothing comes and no element changes any more."""
        still, seen = 0, (-1, -1, -1)
        while still < QUIET_MS:
            self._page.locator(DRAWN).first.wait_for()
            self._page.wait_for_timeout(LOOK_MS)
            now = (self._http, self._frames, self._page.evaluate(ELEMENTS))
            still, seen = (still + LOOK_MS if now == seen else 0), now
        measured = {item["name"]: item["value"] for item in self._session.send("Performance.getMetrics")["metrics"]}
        return Cost(measured["TaskDuration"], self._http / 1000, self._socket / 1000, self._frames, seen[2])

    def _load(self, event: dict[str, Any]) -> None:
        self._http += round(event["encodedDataLength"])

    def _receive(self, event: dict[str, Any]) -> None:
        frame = event["response"]
        # Binary frames are reported in base64.
        length = len(frame["payloadData"])
        self._socket += length * 3 // 4 if frame["opcode"] == 2 else length
        self._frames += 1
