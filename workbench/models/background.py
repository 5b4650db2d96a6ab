"""Downloads in the background: each a job, which continues from what an earlier one left."""

from __future__ import annotations

import logging
from functools import partial

from pydantic import BaseModel, ConfigDict

from workbench.core import JobStopped, WorkbenchError
from workbench.models.download import DownloadStopped, download
from workbench.workspace import Job, Jobs, RunningJob, verb

log = logging.getLogger("workbench.downloads")

UNEXPECTED = "The download failed unexpectedly; its log has the details. What was received is kept."


class DownloadParameters(BaseModel):
    """The model to download."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model: str


class Downloads(Jobs):
    """The downloads of a workspace. Progress counts bytes."""

    kind = "download"

    @verb("models.download", "{name}")
    def start(self, name: str) -> None:
        """Begins or continues the download of a model; does nothing where it is running."""
        self.start_new(self.kind, DownloadParameters(model=name), title=name)

    def of(self, name: str) -> Job | None:
        """How the download of a model stands; None where none was started."""
        return self.job(self.id_of(self.kind, DownloadParameters(model=name)))


def run_download(task: RunningJob, parameters: DownloadParameters) -> None:
    """Downloads the model, until that is stopped."""
    try:
        download(parameters.model, partial(task.tell, "downloading"), task.stop.is_set)
    except DownloadStopped as error:
        raise JobStopped(str(error)) from error
    except WorkbenchError:
        raise
    except Exception as error:  # what a library says may hold an address with a token
        log.exception("a download failed")
        raise WorkbenchError(UNEXPECTED) from error
