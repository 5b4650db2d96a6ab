"""The tours of a workspace: one JSON file each, replaced as a whole by every change."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core import DataError, UsageError, shorten, unknown_name
from workbench.data import checked_name
from workbench.experiments.tours.tour import FILE_LIMIT, NOTE_LIMIT, STOPS_LIMIT, Tour, TourStop, read_tour, tour_bytes
from workbench.workspace import atomic, name_lock, verb

FOLDER = "tours"
"""The folder of the tours within a workspace."""


@dataclass(frozen=True, slots=True)
class TourInfo:
    """A tour in the list: how many stops it has and when they were recorded, or the `problem` with its file."""

    name: str
    stops: int = 0
    recorded: str = ""
    problem: str = ""


class TourLibrary:
    """Tours under the folder `home` of a workspace."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def list(self) -> list[TourInfo]:
        """Return all tours by name, those that cannot be read with their problem."""
        return [self._info(path.stem) for path in sorted(self._folder.glob("*.json"))]

    def open(self, name: str) -> Tour:
        """Return the tour called `name`. Raises UsageError for one that does not exist, DataError for a damaged one."""
        path = self._path(name)
        if not path.is_file():
            raise unknown_name("tour", name, [item.stem for item in self._folder.glob("*.json")])
        with path.open("rb") as file:
            return read_tour(file.read(FILE_LIMIT + 1), name)

    def file(self, name: str) -> bytes:
        """Return the tour's file. Raises as `open` does."""
        return tour_bytes(self.open(name))

    @verb("tours.save", "{name}")
    def add_stop(self, name: str, stop: TourStop) -> int:
        """Add a stop at the end of a tour, which is created where there is none; return how many it has.

        Raises UsageError for a name that is not allowed and for a tour that is full, DataError for a damaged one.
        """
        path = self._path(name)
        with name_lock(self._folder, name):
            tour = self.open(name) if path.is_file() else Tour()
            stops = (*tour.stops, stop)
            if len(stops) > STOPS_LIMIT:
                raise UsageError(f"The tour “{name}” has {STOPS_LIMIT} stops, which is the most: begin another tour.")
            self._write(name, Tour(stops=stops))
            return len(stops)

    @verb("tours.save", "{name}")
    def add(self, name: str, tour: Tour) -> None:
        """Store a new tour. Raises UsageError for a name that is taken or not allowed."""
        path = self._path(name)
        with name_lock(self._folder, name):
            if path.exists():
                raise UsageError(f"A tour “{name}” exists already. Choose another name, for example: {name[:60]}-2")
            self._write(name, tour)

    @verb("tours.save", "{name}")
    def add_file(self, name: str, data: bytes) -> Tour:
        """Store a tour's file from elsewhere. Raises DataError for one that is not sound, UsageError as `add` does."""
        tour = read_tour(data, name)
        if not tour.stops:
            raise DataError(f"The tour “{name}” has no stops: choose a file with at least one.")
        self.add(name, tour)
        return tour

    @verb("tours.save", "{name}")
    def move(self, name: str, stop: int, places: int) -> None:
        """Move the stop numbered `stop` (from 1) by a number of places, at most to either end. Raises UsageError."""

        def change(stops: MutableSequence[TourStop]) -> None:
            moved = stops.pop(stop - 1)
            stops.insert(max(0, min(len(stops), stop - 1 + places)), moved)

        self._change(name, stop, change)

    @verb("tours.save", "{name}")
    def remove_stop(self, name: str, stop: int) -> None:
        """Remove the stop numbered `stop` (from 1). Raises UsageError."""
        self._change(name, stop, lambda stops: stops.pop(stop - 1))

    @verb("tours.save", "{name}")
    def set_note(self, name: str, stop: int, note: str) -> None:
        """Set the presenter's note of the stop numbered `stop` (from 1). Raises UsageError."""
        if len(note) > NOTE_LIMIT:
            raise UsageError(f"The note has {len(note):,} characters: shorten it to {NOTE_LIMIT:,} or fewer.")

        def change(stops: MutableSequence[TourStop]) -> None:
            stops[stop - 1] = stops[stop - 1].model_copy(update={"note": note.strip()})

        self._change(name, stop, change)

    @verb("tours.save", "{name}")
    def rename(self, name: str, new: str) -> None:
        """Give a tour another name. Raises UsageError for one that does not exist and a name that is taken."""
        target = self._path(new)
        source = self._path(name)
        with name_lock(self._folder, min(name, new)), name_lock(self._folder, max(name, new)):
            self.open(name)
            if target.exists():
                raise UsageError(f"A tour “{new}” exists already. Choose another name, for example: {new[:60]}-2")
            source.rename(target)

    @verb("tours.save", "{name}")
    def remove(self, name: str) -> None:
        """Delete a tour, damaged or not. Raises UsageError for one that does not exist."""
        path = self._path(name)
        with name_lock(self._folder, name):
            if not path.is_file():
                raise unknown_name("tour", name, [item.stem for item in self._folder.glob("*.json")])
            path.unlink()

    def _change(self, name: str, stop: int, change: Callable[[MutableSequence[TourStop]], object]) -> None:
        with name_lock(self._folder, checked_name(name, "tour")):
            stops = [*self.open(name).stops]
            if not 1 <= stop <= len(stops):
                raise UsageError(f"The tour “{name}” has no stop {stop}: choose 1 to {len(stops)}.")
            change(stops)
            self._write(name, Tour(stops=tuple(stops)))

    def _write(self, name: str, tour: Tour) -> None:
        data = tour_bytes(tour)
        # What cannot be read again must not replace what can.
        read_tour(data, name)
        atomic.write_bytes(self._path(name), data)

    def _path(self, name: str) -> Path:
        return self._folder / f"{checked_name(name, 'tour')}.json"

    def _info(self, name: str) -> TourInfo:
        try:
            tour = self.open(name)
        except UsageError as error:
            return TourInfo(name, problem=error.on_screen)
        except OSError as error:
            # One file that cannot be read must not hide the other tours.
            reason = error.strerror or "the disk gives no reason"
            return TourInfo(name, problem=f"The file of the tour “{shorten(name)}” cannot be read ({reason}).")
        days = sorted({stop.recorded for stop in tour.stops})
        return TourInfo(name, len(tour.stops), " to ".join(dict.fromkeys(days[:1] + days[-1:])))
