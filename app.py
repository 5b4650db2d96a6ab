"""The workbench's screens. Start them with `make run`, or `mrag app`.

Streamlit serves the module's `app`, whose routes keep a session in a cookie and whose
middleware refuses what must not come in, and runs this file as a script for every
drawing. A process that multiprocessing starts imports it, too, and does nothing.
"""

import sys
from contextlib import suppress
from threading import Thread

from starlette.middleware import Middleware
from streamlit.starlette import App

from workbench.ui.parts import frame
from workbench.ui.sign_in import entrance, session_cookie
from workbench.ui.sign_in.request_checks import Doors


def load() -> None:
    """Loads what the first page needs, while the server begins to listen and the browser loads its own part."""
    from workbench.app import Workbench, essentials
    from workbench.ui.ask import examples
    from workbench.ui.home import first_steps, home_view  # noqa: F401

    with suppress(Exception):  # the page shows why
        essentials(Workbench())
        tuple(example.question for example in examples.FIRST)


if __name__ == "__main__":
    # Two threads that import the same module may each see a half of it.
    if served := sys.modules.get("app"):
        served.loading.join()
    entrance.run()
elif __name__ == "app":
    routes = [*session_cookie.routes(), frame.sheet_route(session_cookie.base_path())]
    loading = Thread(target=load, daemon=True)
    loading.start()
    app = App("app.py", routes=routes, middleware=[Middleware(Doors)])
