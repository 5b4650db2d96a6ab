"""What is done to the command line: mutated calls, a damaged workspace, kills, twins, a full disk. Each counts."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.fuzz import seeds
from benchmarks.fuzz.harness import Outcome, call, finish, rows, start, state
from benchmarks.fuzz.mutations import mutated_bytes, mutated_words
from benchmarks.fuzz.workspace import Template, restore

TRANSLATIONS = "translation/"
PEOPLES = ("settings.yaml", "endpoints.yaml", "prices.yaml", "taxonomies/ours.yaml")
"""Files that people write: another content is another wish, not damage."""


@dataclass
class Tally:
    """Counts by name, and the first examples of what should not be."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    peak_mb: float = 0.0

    def add(self, outcome: Outcome, what: str = "") -> None:
        """Counts an outcome; `what` says what was done to it."""
        self.counts["calls"] += 1
        self.counts["exit 0" if outcome.code == 0 else "refused"] += 1
        self.peak_mb = max(self.peak_mb, outcome.peak_mb)
        if outcome.fell:
            self.note("tracebacks", outcome, what)
        if outcome.hung:
            self.note("hangs", outcome, what)

    def note(self, name: str, outcome: Outcome, what: str = "") -> None:
        """Counts something that should not be, with an example."""
        self.counts[name] += 1
        words = " ".join(word[:60] for word in outcome.words)[:200]
        end = outcome.err.strip()[-400:]
        self.examples.append(f"{name} | {what} | exit {outcome.code} | {words!r} | {end!r}")

    def json(self) -> str:
        """The tally as text, to hand from one process to another."""
        return json.dumps([self.counts, self.examples, self.peak_mb])

    def merge(self, text: str) -> None:
        """Adds another tally."""
        counts, examples, peak = json.loads(text)
        self.counts.update(counts)
        self.examples += examples
        self.peak_mb = max(self.peak_mb, peak)


def calls(template: Template, folder: Path, count: int, until: float, random: Random) -> Tally:
    """Mutated command lines, and well-formed ones over mutated files; a call that fails must change nothing."""
    tally = Tally()
    home, files = template.copy(folder / "home"), folder / "files"
    paths = seeds.write_files(files)
    contents = {name: path.read_bytes() for name, path in paths.items()}
    lines, readers = seeds.commands(files, template.experiment), seeds.readers(files)
    before = state(home)
    for number in range(count):
        if time.monotonic() > until:
            break
        name, what = "", ""
        if number % 2:
            name = random.choice(list(readers))
            paths[name].write_bytes(mutated_bytes(contents[name], list(contents.values()), random))
            words, what = readers[name], f"mutated {name}"
            tally.counts["mutated files"] += 1
        else:
            words = mutated_words(random.choice(lines), random)
            tally.counts["mutated command lines"] += 1
        outcome = call(words, home)
        tally.add(outcome, what)
        after = state(home)
        if outcome.code != 0 and after != before and not _explained(outcome):
            changed = sorted(key for key in {**before, **after} if before.get(key) != after.get(key))
            tally.note("silent changes", outcome, f"{what} changed {changed[:4]}")
        if name:
            paths[name].write_bytes(contents[name])
        before = after
    return tally


def _explained(outcome: Outcome) -> bool:
    """A job that failed is stored with its reason; so is one whose process the fuzzer does not start."""
    return "The job interrupted" in outcome.err or "The job failed" in outcome.err


def damage(template: Template, folder: Path, count: int, until: float, random: Random) -> Tally:
    """Bytes changed, files cut, swapped and removed in the workspace; then a verb that reads them."""
    tally = Tally()
    home, files = template.copy(folder / "home"), folder / "files"
    seeds.write_files(files)
    names = sorted(
        str(p.relative_to(home)) for p in home.rglob("*") if p.is_file() and not p.name.endswith((".lock", ".log"))
    )
    verbs = _verbs(files, template.experiment)
    sound = {words: call(words, home).out for _, words in verbs}
    restore(template, home, "workbench.db")
    for _ in range(count):
        if time.monotonic() > until:
            break
        name = _name(names, random)
        path = home / name
        content = path.read_bytes()
        path.write_bytes(_damaged(content, home, names, random))
        if path.read_bytes() == content:
            continue
        words = random.choice([words for prefix, words in verbs if name.startswith(prefix)] or [verbs[-1][1]])
        outcome = call(words, home)
        tally.counts["damaged files"] += 1
        tally.add(outcome, f"damaged {name} ({len(content):,} bytes)")
        if (
            outcome.code == 0
            and outcome.out != sound[words]
            and "damaged" not in outcome.err
            and not _is_expected(name, words)
        ):
            tally.note("wrong without a word", outcome, f"damaged {name} ({len(content):,} bytes)")
        restore(template, home, name)
        _sweep(template, home)
    return tally


def _is_expected(name: str, words: tuple[str, ...]) -> bool:
    return (
        name in PEOPLES
        or words[0] == "doctor"
        or words[:2] == ("runs", "import")
        or name.startswith(("jobs/", TRANSLATIONS))
    )


def _verbs(files: Path, experiment: str) -> list[tuple[str, tuple[str, ...]]]:
    """Verbs by the start of the names of files that they read; the last is for all others."""
    retrieve = ("retrieve", "--corpus", "mine", "--dataset", "mine", "--lang", "en", "--k", "5")
    return [
        ("corpora/mine", retrieve),
        ("corpora/mine", ("corpora", "list")),
        ("corpora/sample", ("retrieve", "--corpus", "sample", "--dataset", "sample", "--lang", "sw", "--k", "5")),
        ("corpora/sample", ("doctor",)),
        ("datasets", retrieve),
        ("datasets", ("datasets", "list")),
        ("workbench.db", ("runs", "show", experiment)),
        ("workbench.db", ("runs", "list")),
        ("workbench.db", ("runs", "compare", experiment, "--metric", "char3_recall")),
        ("workbench.db", ("ask", "What is the capital?", "--lang", "en", "--corpus", "mine")),
        ("workbench.db",
         ("runs", "import", f"{files}/predictions.jsonl", "--dataset", "mine", "--name", "q", "--lang", "en")),
        ("taxonomies", ("labels", "queue", "Q", "--run", experiment, "--taxonomy", "ours")),
        ("", ("ask", "What is the capital?", "--lang", "en", "--corpus", "mine")),
        ("", ("models", "list")),
    ]  # fmt: skip


def _name(names: list[str], random: Random) -> str:
    """A file: the database, people's files and small corpora more often than one of the many shards."""
    kind = random.choice(("corpora/mine", "corpora/sample", "corpora", "datasets", "workbench.db", "", "settings"))
    if kind == "settings":
        return random.choice([name for name in names if name in PEOPLES])
    return random.choice([name for name in names if name.startswith(kind)])


def _damaged(content: bytes, home: Path, names: list[str], random: Random) -> bytes:
    action = random.choice(("flip", "flip", "flip", "zeros", "cut", "cut", "grow", "swap", "empty"))
    if action == "cut":
        return content[: random.randrange(len(content) + 1)]
    if action == "grow":
        return content + random.randbytes(random.choice((1, 100)))
    if action == "swap":
        return (home / random.choice(names)).read_bytes()
    if action == "empty":
        return b""
    changed = bytearray(content)
    for _ in range(random.choice((1, 4, 64))):
        if changed and action == "flip":
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        elif changed:
            place = random.randrange(len(changed))
            changed[place : place + 64] = bytes(len(changed[place : place + 64]))
    return bytes(changed)


def _sweep(template: Template, home: Path) -> None:
    """Removes what a call has built, and puts back what it replaced."""
    for path in sorted(home.rglob("*"), reverse=True):
        original = template.home / path.relative_to(home)
        if path.is_file() and not original.exists():
            path.unlink()
        elif path.is_dir() and not original.exists():
            shutil.rmtree(path, ignore_errors=True)
    for original in template.home.rglob("*"):
        path = home / original.relative_to(template.home)
        if original.is_dir():
            path.mkdir(exist_ok=True)
        elif not path.exists() or path.stat().st_mtime_ns != original.stat().st_mtime_ns:
            shutil.copy2(original, path)


def writers(files: Path, experiment: str, number: int) -> list[tuple[str, ...]]:
    """The verbs that write."""
    return [
        ("import", "squad", f"{files}/squad.json", "--lang", "fi", "--name", "mine"),
        ("import", "table", f"{files}/table.csv", "--name", f"t{number}", "--lang", "en", "--answers", "answer"),
        ("import", "beir", f"{files}/beir", "--lang", "en", "--name", f"b{number}"),
        ("runs", "import", f"{files}/predictions.jsonl", "--dataset", "mine", "--name", f"k{number}", "--lang", "en"),
        ("runs", "export", experiment, "--out", f"{files}/out{number}.csv"),
        ("corpora", "index", "mine"),
        ("models", "use", "builtin"),
        ("ask", f"What is the capital {number}?", "--lang", "en", "--corpus", "mine"),
        ("run", f"{files}/matrix.yaml"),
        ("prepare",),
    ]


def kills(template: Template, folder: Path, rounds: int, until: float, random: Random) -> Tally:
    """SIGKILL in each verb that writes, at a random moment: what was there stays, and repeating the verb succeeds."""
    tally = Tally()
    home, files = template.copy(folder / "home"), folder / "files"
    seeds.write_files(files)
    took: dict[str, float] = {}
    for number in range(rounds):
        for words in writers(files, template.experiment, number):
            if time.monotonic() > until:
                return tally
            verb = " ".join(words[:2])
            before = rows(home)
            outcome = call(words, home, kill_after=random.random() * took.get(verb, 1.0), jobs=True)
            tally.counts["kills" if outcome.code < 0 else "ended before the kill"] += 1
            _check(tally, home, before, outcome, words)
            again = call(words, home, seconds=90, jobs=True)
            took[verb] = again.seconds
            tally.add(again, f"repeated after a kill of {verb}")
            if again.code != 0:
                tally.note("not repeatable", again, verb)
    return tally


def twins(template: Template, folder: Path, rounds: int, until: float) -> Tally:
    """Two of each verb at once; and two languages imported at once under one name: neither is lost."""
    tally = Tally()
    home, files = template.copy(folder / "home"), folder / "files"
    seeds.write_files(files)
    for number in range(rounds):
        pairs = [(words, words) for words in writers(files, template.experiment, number)]
        languages = [
            ("import", "squad", f"{files}/squad.json", "--lang", code, "--name", f"w{number}") for code in ("sv", "de")
        ]
        for first, second in [(languages[0], languages[1]), *pairs]:
            if time.monotonic() > until:
                return tally
            before = rows(home)
            started = [start(words, home, jobs=True) for words in (first, second)]
            outcomes = [finish(process, words, 90) for process, words in zip(started, (first, second), strict=True)]
            for outcome in outcomes:
                tally.add(outcome, "one of two at once")
                _check(tally, home, before, outcome, outcome.words)
            tally.counts["pairs"] += 1
            if first != second and [outcome.code for outcome in outcomes] == [0, 0]:
                header = json.loads((home / "datasets" / f"w{number}" / "dataset.json").read_text(encoding="utf-8"))
                manifest = json.loads((home / "corpora" / f"w{number}" / "manifest.json").read_text(encoding="utf-8"))
                if set(header["files"]) != {"sv", "de"} or set(manifest["languages"]) != {"sv", "de"}:
                    tally.note("lost", outcomes[1], f"{sorted(header['files'])} {sorted(manifest['languages'])}")
    return tally


def full_disk(template: Template, folder: Path, places: int, until: float, random: Random) -> Tally:
    """No file can grow beyond N bytes, at N places: one sentence, and the workspace is as it was."""
    tally = Tally()
    for number in range(places):
        if time.monotonic() > until:
            break
        home, files = template.copy(folder / f"home{number}"), folder / f"files{number}"
        seeds.write_files(files)
        words = random.choice(writers(files, template.experiment, number)[:-2])
        limit = int(2 ** random.uniform(0, 19))
        before, counts = state(home), rows(home)
        outcome = call(words, home, file_bytes=limit)
        tally.add(outcome, f"files of at most {limit:,} bytes")
        tally.counts["full disks"] += 1
        after = state(home)
        if outcome.code != 0 and after != before:
            changed = sorted(key for key in {**before, **after} if before.get(key) != after.get(key))
            tally.note("silent changes", outcome, f"full at {limit:,} bytes, changed {changed[:4]}")
        _check(tally, home, counts, outcome, words)
        shutil.rmtree(home)
    return tally


def _check(tally: Tally, home: Path, before: dict[str, object], outcome: Outcome, words: tuple[str, ...]) -> None:
    """What was there before is there still, and half a run does not pass for a complete one."""
    after = rows(home)
    for table, count in before.items():
        if isinstance(count, int) and (not isinstance(after.get(table), int) or after[table] < count):  # type: ignore[operator]
            tally.note("lost", outcome, f"{table}: {count} before, {after.get(table)} after")
    for name, kind in (("corpora", "list"), ("datasets", "list"), ("runs", "list")):
        listed = call((name, kind, "--json"), home)
        if listed.fell or listed.code != 0:
            tally.note("tracebacks" if listed.fell else "lost", listed, f"after {' '.join(words[:2])}")
            continue
        names = {item.get("name") for item in json.loads(listed.out)}
        if name == "runs":
            halves = [
                row
                for row in json.loads(listed.out)
                if row["state"] in ("complete", "done") and row["answered"] + row["failed"] < row["cells"]
            ]
            for row in halves:
                tally.note("half a run as complete", outcome, f"{row['name']}: {row['answered']} of {row['cells']}")
        elif "mine" not in names:
            tally.note("lost", outcome, f"{name} mine is gone")
