"""No verb without a check: what writes is a verb of the catalogue, or listed here with the reason why it need not be.

The check is in the function that does the work (workbench/workspace/actions), so it is enough to look at those
functions: a screen, a page, a route or a command can reach what is stored through them alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import modules, place, tree
from tests.architecture.writers import Key, functions, names_above, writers, writes
from workbench.server.gate import OPEN
from workbench.server.service import RecipeService
from workbench.workspace.actions.roles import Role
from workbench.workspace.actions.verbs import VERBS

WORKERS = "runs in the process of a job, which a verb has started"
WITHIN = "is called by verbs within their transaction or their lock, on an open connection, lock or file"
BY_KIND = "is checked as the verb of the job's kind, which is known once it is called"
CACHE = "keeps what can be computed again"
INDEX = "writes a part of an index for the verb that builds it; above, the name is another object's"
SIGNS_IN = "is how a person gets a role, or ends having one"
ROLLED_BACK = "counts in a transaction that is rolled back"

INNER = {
    "storage.database:open_store": "makes the empty database that reading needs too",
    "storage.atomic:write_bytes": "writes where the command line's user said, or what a verb gives it",
    "storage.cache:StepCache.drop": CACHE,
    "storage.cache:StepCache.forget": CACHE,
    "retrieval.encoders.vector_cache:VectorCache.get": CACHE,
    "retrieval.encoders.vector_cache:VectorCache.put": CACHE,
    "components.sample_means:sample_means": CACHE,
    "components.retrievers:index": "builds an index where an answer needs it; people index with verbs",
    "corpora.corpus_library:CorpusLibrary.open": "builds the shipped sample where it is first looked at",
    "corpora.changes:remove_documents": WITHIN,
    "corpora.stores.collection_drops:drop": WITHIN,
    "corpora.stores.collection_drops:remember": WITHIN,
    "distribution.ray_keeper:main": "is the process that ends a Ray of this machine",
    "distribution.ray_pool:ray_pool": "makes and removes a Ray of this machine, for the verb that needs it",
    "annotation.places:keep": WITHIN,
    "annotation.places:renew": WITHIN,
    "annotation.files.label_import:preview_labels": ROLLED_BACK,
    "annotation.queue_store:QueueStore.reopened_by": ROLLED_BACK,
    "results.writer:remove": WITHIN,
    "results.writer:rename": WITHIN,
    "results.writer:Writer.write": WORKERS,
    "indexing.index_building:IndexBuild.run": WORKERS,
    "jobs.jobs:Jobs.stop": BY_KIND,
    "jobs.jobs:Jobs.discard": BY_KIND,
    "jobs.jobs:Jobs.launch": WITHIN,
    "jobs.jobs:Jobs.sweep": WITHIN,
    "jobs.jobs:JobFiles.remove": WITHIN,
    "jobs.jobs:Claim.record": WITHIN,
    "jobs.jobs:Claim.remove": WITHIN,
    "jobs.task:Task.at_work": WORKERS,
    "jobs.worker:main": WORKERS,
    "optimisation.search_store:SearchStore.update": WORKERS,
    "optimisation.evaluation.stored_trials:StoredTrials.add": WORKERS,
    "documents.isolated_worker:answer": "reads one file in a process of its own",
    "documents.wikipedia.language_links:LanguageLinks.build": WORKERS,
    "documents.wikipedia.streamed_import:forget": WITHIN,
    "retrieval.encoders.builtin.builtin_encoder:BuiltinEncoder.save": INDEX,
    "retrieval.encoders.checkpoint:discard": INDEX,
    "retrieval.lexical:LexicalIndex.build": INDEX,
    "retrieval.parts.index_layout:IndexLayout.build": INDEX,
    "retrieval.sparse_parts:SparseParts.discard": INDEX,
    "retrieval.sparse_parts:SparseParts.get": INDEX,
    "people.audit:AuditLog.append": "records what a verb did",
    "people.sessions:Sessions.touch": SIGNS_IN,
    "people.sessions:Sessions.end": SIGNS_IN,
    "people.sign_in:sign_in": SIGNS_IN,
    "workspace.doctor:examine": "tries whether the workspace can be written, with a file that it removes",
    "workspace.doctor:essentials": "tries whether the workspace can be written, with a file that it removes",
}
"""Functions that write and are no verbs, each with the reason: those that are named above, and those that they call."""

NOT_CHECKED_BY_A_FUNCTION = {"screens.look": "the frame of every screen, and the routes of the service"}
"""Verbs without a domain function of their own."""


def inner_keys() -> frozenset[Key]:
    return frozenset((f"workbench.{module}", name) for module, _, name in (item.partition(":") for item in INNER))


def is_named_above(key: Key) -> bool:
    return functions()[key].is_public and functions()[key].node.name in names_above()


def checked_verbs() -> set[str]:
    """The verbs that a function is, or asks for by `check`."""
    return {item.verb for item in functions().values()} | {name for _, name in names_of_verbs(modules("workbench"))}


def names_of_verbs(paths: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Where a verb is named as the argument of what decorates, checks or asks."""
    for path in paths:
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            words = ast.unparse(node.func)
            if words in ("verb", "check", "permits", "verb_named") or words.startswith("permitted."):
                yield place(path), str(node.args[0].value)


def test_whatever_writes_is_a_verb() -> None:
    unchecked = sorted(f"{module}:{name}" for module, name in filter(is_named_above, writers(inner_keys())))
    assert not unchecked, "Decorate with @verb, or list with a reason:\n" + "\n".join(unchecked)


def test_no_exception_is_stale() -> None:
    everything, inner = functions(), inner_keys()
    stale = [key for key in inner if key not in everything or everything[key].verb or not writes(key, inner)]
    assert sorted(stale) == []


def test_every_verb_of_the_catalogue_is_checked_somewhere() -> None:
    assert {item.name for item in VERBS} - checked_verbs() == set()


def test_every_verb_but_looking_is_a_function() -> None:
    decorated = {item.verb for item in functions().values() if item.verb}
    assert {item.name for item in VERBS} - decorated - set(NOT_CHECKED_BY_A_FUNCTION) == set()


def test_every_verb_that_is_named_is_in_the_catalogue() -> None:
    names = {item.name for item in VERBS}
    paths = (*modules("workbench"), *modules("pages"))
    assert [(at, name) for at, name in names_of_verbs(paths) if name not in names] == []


def test_every_route_names_a_verb_that_a_reader_may_or_is_open() -> None:
    readers = {item.name for item in VERBS if item.role is Role.READER}
    service = object.__new__(RecipeService)
    verbs = {path: route.verb for path, route in service.routes.items()}
    assert {path for path, name in verbs.items() if name == OPEN} == {"/health", "/docs", "/openapi.json"}
    assert {name for name in verbs.values() if name != OPEN} <= readers
