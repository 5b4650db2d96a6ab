"""The workbench's screens. Start them with `make run`, or `mrag app`.

Streamlit serves the module's `app`, whose routes keep a session in a cookie and whose
middleware refuses what must not come in, and runs this file as a script for every
drawing. A process that multiprocessing starts imports it, too, and does nothing.
"""

from starlette.middleware import Middleware
from streamlit.starlette import App

from workbench.ui.parts import frame
from workbench.ui.sign_in import entrance, session_cookie
from workbench.ui.sign_in.request_checks import Doors

if __name__ == "__main__":
    entrance.run()
elif __name__ == "app":
    routes = [*session_cookie.routes(), frame.sheet_route(session_cookie.base_path())]
    app = App("app.py", routes=routes, middleware=[Middleware(Doors)])
