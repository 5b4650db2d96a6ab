"""The corpora of a workspace: list, open, add and remove them. The sample is built when it is first opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import regex

from workbench.core import Passage, UsageError, fingerprint, shorten, unknown_name
from workbench.data.corpora import changes, sample
from workbench.data.corpora.build import (
    BUILDER,
    FILE,
    FORMAT,
    CorpusManifest,
    Progress,
    Rechunking,
    build_corpus,
    files_of,
    never,
    quiet,
    read_manifest,
    sound_manifest,
    write_manifest,
)
from workbench.data.corpora.changes import drop_version, versions
from workbench.data.corpora.corpus import Corpus, dropping
from workbench.data.corpora.passage_table import AlignedTexts
from workbench.languages import SEGMENTER_VERSION
from workbench.retrieval import BUILTIN_VERSION as ENCODER_VERSION
from workbench.workspace import name_lock, verb

NAME = regex.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
SAMPLE_SOURCE = "The workbench's own sample"
SAMPLE_LICENCE = "CC BY 4.0"


def checked_name(name: str, kind: str) -> str:
    """`name`, if it can name a corpus or a dataset: it becomes a folder, so nothing else is allowed.

    Raises UsageError otherwise; `kind` is `corpus` or `dataset`.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"“{shorten(name)}” cannot name a {kind}. Allowed: 1 to 63 lower-case letters, digits, “-” and “_”, a "
            f"letter or digit first. For example: my-{kind}"
        )
    return name


class CorpusLibrary:
    """Corpora under one folder, one sub-folder each."""

    def __init__(self, folder: Path, is_used: Callable[[CorpusManifest], bool] = never) -> None:
        """`folder` may be missing: there are no corpora then.

        A corpus that `is_used` as it is stays as a former version when it is imported anew.
        """
        self._folder = folder
        self._is_used = is_used
        self._open: dict[str, Corpus] = {}

    def list(self) -> list[CorpusManifest]:
        """The manifests of all complete corpora, by name; a damaged one is left out, and reported when it is opened."""
        return [manifest for entry in self._folders() if (manifest := sound_manifest(entry)) is not None]

    def damaged(self) -> Sequence[str]:
        """The names of corpora whose manifest cannot be read."""
        return [entry.name for entry in self._folders() if (entry / FILE).exists() and sound_manifest(entry) is None]

    def _folders(self) -> Sequence[Path]:
        return sorted(entry for entry in self._folder.iterdir() if entry.is_dir()) if self._folder.is_dir() else []

    def open(self, name: str, progress: Progress = quiet) -> Corpus:
        """The corpus called `name`, now or before it was renamed; builds the sample where it is missing or out of date.

        Raises UsageError for a name that no corpus has, DataError for a damaged one.
        """
        name = self.present_name(name)
        folder = self._folder / name
        if name == sample.SAMPLE:
            manifest = sound_manifest(folder)
            if manifest is None or not self._is_current_sample(manifest):
                manifest = self._build_sample(progress)
        else:
            manifest = read_manifest(folder) if NAME.fullmatch(name) else None
        if manifest is None or manifest.format != FORMAT:
            raise self._unknown(name)
        corpus = self._open.get(name)
        if corpus is None or corpus.manifest.version != manifest.version:
            corpus = Corpus(manifest, self._folder / name / manifest.version)
            self._open[name] = corpus
        return corpus

    @verb("corpora.add", "{name}")
    def add(
        self,
        name: str,
        passages: Iterable[Passage],
        *,
        source: str,
        licence: str,
        aligned: Iterable[AlignedTexts] = (),
        progress: Progress = quiet,
        files: Callable[[], Mapping[str, Path]] = dict,
        rechunking: Rechunking | None = None,
    ) -> CorpusManifest:
        """Builds or replaces the corpus called `name`; `aligned`, `files` and `rechunking`: see `build_corpus`.

        Raises UsageError for an invalid name or the sample's, DataError for passages without text.
        """
        if name == sample.SAMPLE:
            raise UsageError(
                "The corpus “sample” is the workbench's own and cannot be replaced. Choose another name, for example: "
                "mine"
            )
        checked_name(name, "corpus")
        with self.changing(name):
            return build_corpus(
                self._folder / name,
                passages,
                aligned=aligned,
                source=source,
                licence=licence,
                progress=progress,
                keeps_former=self._is_used,
                files=files,
                rechunking=rechunking,
            )

    @verb("corpora.add", "{name}")
    def add_documents(
        self,
        name: str,
        passages: Iterable[Passage],
        *,
        replaces: bool = False,
        in_all_languages: bool = False,
        files: Callable[[], Mapping[str, Path]] = dict,
    ) -> CorpusManifest:
        """Adds documents to the corpus called `name`, replacing those that it has with other passages if `replaces`.

        `in_all_languages` and `files`: see `changes.add_documents`. Returns the manifest of the new version, or
        that of the current one where nothing is new. Raises as `add` does, and as `changes.add_documents`.
        """
        with self._changed(name) as folder:
            change = changes.replace_documents if replaces else changes.add_documents
            return change(folder, passages, files, in_all_languages=in_all_languages)

    @verb("corpora.add", "{name}")
    def remove_documents(self, name: str, documents: Collection[str]) -> CorpusManifest:
        """Removes documents from the corpus called `name`; returns the manifest of the new version.

        Raises UsageError for the sample, and as `changes.remove_documents` does.
        """
        with self._changed(name) as folder:
            return changes.remove_documents(folder, documents)

    def versions(self, name: str) -> tuple[CorpusManifest, ...]:
        """The manifests of a corpus's versions, the current one first, then the latest. Raises as `open` does."""
        return versions(self._existing(self.present_name(name)))

    @verb("corpora.delete", "{name}")
    def drop_version(self, name: str, version: str) -> CorpusManifest:
        """Removes a former version of the corpus called `name`. Raises UsageError for any other."""
        with self._changed(name) as folder:
            return drop_version(folder, version)

    def version_of(self, name: str, content: str) -> Corpus | None:
        """The version of a corpus that has the fingerprint `content`; None where it is not kept. Raises as `open`."""
        corpus = self.open(name)
        if corpus.manifest.fingerprint == content:
            return corpus
        folder = self._folder / corpus.manifest.name
        matches = (version for version in versions(folder) if version.fingerprint == content)
        return next((Corpus(match, folder / match.version) for match in matches), None)

    @contextmanager
    def _changed(self, name: str) -> Iterator[Path]:
        name = self.present_name(name)
        if name == sample.SAMPLE:
            raise UsageError(sample.SAMPLE_IS_FIXED)
        self._existing(name)
        with self.changing(name):
            yield self._existing(name)

    def changing(self, name: str) -> AbstractContextManager[None]:
        """Keeps others from changing the corpus called `name`, a name that is allowed, until the end of the block.

        Whoever reads it to build it anew does both within. What its store no longer needs is dropped.
        """
        return dropping(self._folder, name)

    @verb("corpora.index", "{name}")
    def index(self, name: str, progress: Progress = quiet) -> CorpusManifest:
        """Builds the indexes of the corpus called `name` again, from its passages. Raises as `open` does."""
        name = self.open(name, progress).manifest.name
        if name == sample.SAMPLE:
            return self._build_sample(progress, rebuild=True)
        with self.changing(name):
            corpus = self.open(name, progress)
            return build_corpus(
                self._folder / name,
                iter(corpus.table),
                source=corpus.manifest.source,
                licence=corpus.manifest.licence,
                progress=progress,
                # What is only built again has the same rows; where some were removed they are numbered anew.
                keeps_former=self._is_used if corpus.manifest.removed else never,
                files=lambda: files_of(corpus.folder),
                rechunking=corpus.manifest.rechunking,
            )

    def present_name(self, name: str) -> str:
        """The present name of the corpus that is called `name`, or was called so last; `name` itself where none was."""
        if name == sample.SAMPLE or not NAME.fullmatch(name) or (self._folder / name / FILE).exists():
            return name
        renamed = [manifest for manifest in self.list() if name in manifest.former]
        return (
            max(renamed, key=lambda manifest: manifest.former.index(name) - len(manifest.former)).name
            if renamed
            else name
        )

    @verb("corpora.rename", "{name}")
    def rename(self, name: str, new: str) -> CorpusManifest:
        """Gives the corpus called `name` another name, at once or not at all; it can be opened by the former one too.

        Raises UsageError for the sample, a corpus that does not exist, a name that is taken or not allowed, and
        DataError for a damaged corpus.
        """
        if sample.SAMPLE in (name, new):
            raise UsageError(sample.SAMPLE_STAYS)
        checked_name(new, "corpus")
        self._existing(name)
        with ExitStack() as stack:
            for each in sorted({name, new}):
                stack.enter_context(name_lock(self._folder, each))
            manifest = read_manifest(self._existing(name))
            target = self._folder / new
            if (target / FILE).exists():
                raise UsageError(f"A corpus “{new}” already exists. Choose another name, for example: {new[:60]}-2")
            if manifest is None:
                raise self._unknown(name)
            former = tuple(alias for alias in manifest.former if alias not in (name, new))
            renamed = manifest.model_copy(update={"name": new, "former": (*former, name)})
            write_manifest(self._folder / name, renamed)
            shutil.rmtree(target, ignore_errors=True)
            (self._folder / name).rename(target)
            self._open.pop(name, None)
        return renamed

    @verb("corpora.delete", "{name}")
    def remove(self, name: str) -> None:
        """Deletes a corpus, damaged or not; the manifest first: a half-deleted one never passes for complete.

        Raises UsageError for the sample or a corpus that does not exist.
        """
        self.check_removable(name)
        with self.changing(name):
            folder = self._existing(name)
            (folder / FILE).unlink()
            shutil.rmtree(folder, ignore_errors=True)
            self._open.pop(name, None)

    def check_removable(self, name: str) -> None:
        """Raises UsageError for the sample or a corpus that does not exist."""
        if name == sample.SAMPLE:
            raise UsageError(sample.SAMPLE_STAYS)
        self._existing(name)

    def _existing(self, name: str) -> Path:
        """The folder of the corpus called `name`, damaged or not. Raises UsageError where there is none."""
        if not NAME.fullmatch(name) or not (self._folder / name / FILE).exists():
            raise self._unknown(name)
        return self._folder / name

    def _unknown(self, name: str) -> UsageError:
        names = (sample.SAMPLE, *(manifest.name for manifest in self.list() if manifest.name != sample.SAMPLE))
        return unknown_name("corpus", name, names, command="Type: corpora list")

    def _is_current_sample(self, manifest: CorpusManifest) -> bool:
        return manifest.format == FORMAT and manifest.source == self._sample_source()

    def _sample_source(self) -> str:
        parts = [sample.fingerprint(), BUILDER, SEGMENTER_VERSION, ENCODER_VERSION]
        return f"{SAMPLE_SOURCE} {fingerprint('sample', parts)}"

    def _build_sample(self, progress: Progress, *, rebuild: bool = False) -> CorpusManifest:
        with self.changing(sample.SAMPLE):
            return build_corpus(
                self._folder / sample.SAMPLE,
                sample.passages(),
                aligned=sample.aligned_sentences(),
                source=self._sample_source(),
                licence=SAMPLE_LICENCE,
                progress=progress,
                serves=never if rebuild else self._is_current_sample,
            )
