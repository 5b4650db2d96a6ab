"""The workbench's screens. Start them with `make run`, or `streamlit run app.py`."""

from workbench.ui.shared import frame

frame.run()
