"""Processes that tests start: forked from one that has imported the workbench, which takes each of them a second."""

from __future__ import annotations

import multiprocessing

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(
    [
        "hypothesis",
        "pytest",
        "workbench.annotation.queue_store",
        "workbench.app.workbench",
        "workbench.data.datasets.importing",
        "workbench.experiments.results.result_store",
    ]
)
