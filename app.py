"""The workbench's screens. Start them with `make run`, or `streamlit run app.py`."""

from workbench.ui.shared import frame

if __name__ == "__main__":  # a process that multiprocessing starts imports this file, too
    frame.run()
