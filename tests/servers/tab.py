"""A tab of a browser, without a browser: the requests that Streamlit's page makes, in the same order.

A tab keeps the cookies that it is given, and shows the texts that the server sent it. It leaves out on purpose what a
test says: a name that is another's, a session's id without its cookie.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

PATIENCE = 60.0
TICKET = '<span class="wb-ticket">'


@dataclass
class Tab:
    """A tab that is connected. `shown` has what the last drawing put on the page, as text; `controls` its widgets' ids
    by key."""

    http: httpx.Client
    socket: ClientConnection
    session: str = ""
    shown: list[str] = field(default_factory=list)
    controls: dict[str, str] = field(default_factory=dict)

    def draw(self, states: WidgetStates | None = None, page: str = "") -> str:
        """Has the server draw the page, once; returns all that it shows."""
        message = BackMsg(rerun_script=ClientState(page_name=page, widget_states=states or WidgetStates()))
        self.send(message.SerializeToString())
        self.shown, self.controls = [], {}
        while True:
            data = self.socket.recv(timeout=PATIENCE)
            assert isinstance(data, bytes)
            reply = ForwardMsg.FromString(data)
            kind = reply.WhichOneof("type")
            if kind == "new_session":
                self.session = reply.new_session.initialize.session_id
            elif kind == "delta":
                element = reply.delta.new_element
                self.shown.append(str(element.html.body or element.heading.body or element.markdown.body))
                inside = getattr(element, element.WhichOneof("type") or "html")
                if name := getattr(inside, "id", ""):
                    self.shown.append(str(getattr(inside, "label", "")))
                    self.controls[name.rpartition("-")[2]] = name
            elif kind == "script_finished" and reply.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return "\n".join(self.shown)

    def sign_in(self, name: str, password: str) -> str:
        """Fills in the form and sends it; returns what is then shown. The cookie is the tab's only after `keep`."""
        self.draw()
        states = [
            WidgetState(id=self.controls["sign_in_name"], string_value=name),
            WidgetState(id=self.controls["sign_in_password"], string_value=password),
            WidgetState(id=self.controls["sign_in_go"], trigger_value=True),
        ]
        return self.draw(WidgetStates(widgets=states))

    def keep(self) -> int:
        """Hands the ticket in that the page holds, as its script does; returns the reply's status."""
        ticket = "\n".join(self.shown).partition(TICKET)[2].partition("<")[0]
        return self.http.post("/sign-in/keep", content=ticket, headers={"x-workbench": "keep"}).status_code

    def upload(self, data: bytes, file: str = "f1", session: str = "") -> httpx.Response:
        """Sends a file, as the control for files does."""
        path = f"/_stcore/upload_file/{session or self.session}/{file}"
        headers = {"X-Xsrftoken": self.http.cookies["_streamlit_xsrf"]}
        return self.http.put(path, files={"file": ("a.txt", data)}, headers=headers)

    def remove(self, file: str, session: str = "") -> httpx.Response:
        """Takes a file out of the control again."""
        headers = {"X-Xsrftoken": self.http.cookies["_streamlit_xsrf"]}
        return self.http.delete(f"/_stcore/upload_file/{session or self.session}/{file}", headers=headers)

    def send(self, data: bytes) -> None:
        """Sends a message over the websocket."""
        self.socket.send(data)

    def is_cut_off(self) -> bool:
        """Whether the server has closed the websocket."""
        with suppress(TimeoutError):
            try:
                while True:
                    self.socket.recv(timeout=2)
            except ConnectionClosed:
                return True
        return False


@contextmanager
def open_tab(
    url: str, *, host: str = "", cookies: httpx.Cookies | None = None, session: str = "", asks_page: bool = True
) -> Iterator[Tab]:
    """A tab at `url`, connected.

    `host`: the name under which the server is asked, with its port, where it is not the one in `url`. `cookies`: what
    the browser has already. `session`: the id of a session to go on with. `asks_page`: whether it fetches the page
    first, which gives it cookies. Raises websockets' InvalidStatus where the server refuses.
    """
    address = httpx.URL(url).netloc.decode()
    shown = host or address
    with httpx.Client(base_url=url, cookies=cookies, headers={"Host": shown}, timeout=PATIENCE) as http:
        if asks_page:
            for path in ("/", "/_stcore/health", "/_stcore/host-config"):
                http.get(path)
        header = "; ".join(f"{cookie.name}={cookie.value}" for cookie in http.cookies.jar)
        protocols = ["streamlit", http.cookies.get("_streamlit_xsrf") or "none", session]
        with connect(
            f"ws://{shown}/_stcore/stream",
            address=(httpx.URL(url).host, httpx.URL(url).port),
            proxy=None,
            origin=Origin(f"http://{shown}"),
            subprotocols=[Subprotocol(one) for one in protocols if one],
            additional_headers={"Cookie": header} if header else {},
            max_size=None,
        ) as socket:
            yield Tab(http, socket)
