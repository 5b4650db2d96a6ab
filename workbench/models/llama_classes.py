"""LlamaIndex classes by the names that people type, `module:Class`, from LlamaIndex's own packages only.

A name may come from an address that a stranger wrote. So nothing outside those packages is ever imported by name, and
inside them only a class of the requested kind is instantiated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract, signature
from typing import Any

from workbench.core import MissingError, Role, UsageError, package_versions, shorten


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of LlamaIndex class.

    `folder` is its package under `llama_index` and under `llama_index.core`; `base` (`module:Class`) is the class that
    all of the kind derive from; `noun` and `example` are for messages.
    """

    noun: str
    folder: str
    base: str
    example: str

    def names(self, name: str) -> bool:
        """Whether `name` is `module:Class` within its packages, by complete parts of the module; nothing is imported.

        >>> LLM.names("llama_index.llms.openai:OpenAI"), LLM.names("llama_index.llms_of_mine.openai:OpenAI")
        (True, False)
        """
        module, _, title = name.partition(":")
        parts = module.split(".")
        in_core = parts[:3] == ["llama_index", "core", self.folder]
        in_integrations = parts[:2] == ["llama_index", self.folder] and len(parts) > 2
        return (in_core or in_integrations) and all(part.isidentifier() for part in (*parts, title))


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
"""The kind of class for each role that LlamaIndex can serve."""


@dataclass(frozen=True, slots=True)
class LlamaClass:
    """A class by its name, `module:Class`; creating one imports nothing.

    Raises UsageError for a name outside the packages of its kind.
    """

    name: str
    kind: Kind

    def __post_init__(self) -> None:
        """Check the name."""
        if not self.kind.names(self.name):
            raise UsageError(
                f"“{shorten(self.name)}” names no LlamaIndex {self.kind.noun}; type its module and class, "
                f"for example: {self.kind.example}"
            )

    @property
    def module(self) -> str:
        """The module, such as `llama_index.llms.openai`."""
        return self.name.partition(":")[0]

    @property
    def title(self) -> str:
        """The class's name within its module."""
        return self.name.partition(":")[2]

    @property
    def package(self) -> str:
        """The package that provides the module, by LlamaIndex's rule for names."""
        _, area, name = self.module.split(".")[:3]
        return "llama-index-core" if area == "core" else f"llama-index-{area}-{name.replace('_', '-')}"

    @property
    def version(self) -> str:
        """The package and LlamaIndex's core with their installed versions, for an identity."""
        return package_versions(*dict.fromkeys((self.package, "llama-index-core")))

    def require(self) -> None:
        """Check that the package is installed, without importing it. Raises MissingError where it is not."""
        place = self.module.split(".")[:3]
        if place[1] == "core":
            return
        try:
            spec = find_spec(".".join(place))
        except ImportError:
            spec = None
        if spec is None:
            raise self._missing()

    def load(self) -> type[Any]:
        """The class itself.

        Raises MissingError where its module cannot be imported, UsageError where the module has no such class or one of
        another kind.
        """
        try:
            value = getattr(import_module(self.module), self.title, None)
        except ImportError as error:
            raise self._missing() from error
        home, _, base = self.kind.base.partition(":")
        if isinstance(value, type) and issubclass(value, getattr(import_module(home), base)) and not isabstract(value):
            return value
        problem = "is not in that module" if value is None else f"is not an instantiable {self.kind.noun}"
        version = package_versions(self.package)
        raise UsageError(
            f"“{shorten(self.name)}” {problem} ({version}); type a class that derives from {base}, "
            f"for example: {self.kind.example}"
        )

    def make(self, **arguments: object) -> Any:
        """An instance, created with those of the arguments that the class takes.

        Raises what `load` raises, and UsageError where the class cannot be instantiated.
        """
        kind = self.load()
        try:
            return kind(**{name: value for name, value in arguments.items() if name in signature(kind).parameters})
        except Exception as error:  # whatever a third party's class raises
            # Not chained: the message may repeat a key.
            raise UsageError(
                f"The {self.kind.noun} {self.title} cannot be made by its name alone: it needs arguments, a key in its "
                f"own environment variable, or weights that are not on this machine ({shorten(type(error).__name__)})."
            ) from None

    def _missing(self) -> MissingError:
        return MissingError(f"“{shorten(self.name)}” is not installed. Type: pip install {self.package}")
