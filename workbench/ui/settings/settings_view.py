"""How the Settings screen draws a component, an endpoint and a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.components import HOSTS, Entry, Key, ModelServer, NamedEndpoint, ServerModel, Trial
from workbench.core import Role
from workbench.models import GIGA, MAKING, DownloadPlan
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, table, text_block
from workbench.workspace import Job

TITLES: Mapping[Role, str] = {
    "encoder": "Encoders",
    "reranker": "Rerankers",
    "generator": "Generators",
    "translator": "Translators",
    "identifier": "Language identification",
}
PURPOSES: Mapping[Role, str] = {
    "encoder": "Encoders turn texts into vectors, so that passages are found by meaning. A corpus must be indexed with "
    "an encoder before that encoder can search it.",
    "reranker": "Rerankers reorder the retrieved passages, reading each together with the question.",
    "generator": "Generators write the answer from the passages.",
    "translator": "Translators translate questions, documents and answers if the mode requires it.",
    "identifier": "Identifiers detect the language of questions and answers, and so determine the correct language "
    "rate. The workspace uses one of those that are ready.",
}
SHOWN = 12
"""Models of a server that are named in its line."""


def component_card(entry: Entry, *, in_use: bool = False) -> Html:
    """What a component is and whether it can be used; `in_use`: it is the workspace's choice."""
    used = element("span", escaped("in use"), css="wb-chip wb-ready") if in_use else NOTHING
    head = element(
        "div",
        inline(entry.title, css="wb-title"),
        element("span", escaped(entry.name), css="wb-code"),
        _state(entry.ready, entry.state),
        used,
        css="wb-row",
    )
    facts = {name: getattr(entry, name) for name in ("size", "licence", "languages", "memory")}
    chips = element("div", *(chip(name, value) for name, value in facts.items() if value), css="wb-row")
    note = text_block(entry.note, "en", "wb-muted") if entry.note else NOTHING
    source = text_block(f"Source: {entry.source}", "en", "wb-muted")
    return element("div", head, chips, note, _leaves(entry.sends_to), source, css="wb-component")


def servers_list(servers: Sequence[ModelServer]) -> Html:
    """One line per server of models: what it holds, or why that is not known."""
    rows = [
        [
            inline(server.title, css="wb-title"),
            element("span", escaped(server.url), css="wb-code"),
            _state(bool(server.models), server.summary),
            element("div", *(_model_chip(item) for item in server.models[:SHOWN]), css="wb-row"),
        ]
        for server in servers
    ]
    return table(["Server", "Address", "Answer", "Holds"], rows, "wb-stacked")


def _model_chip(model: ServerModel) -> Html:
    return chip(model.name, size_words(model.size) if model.size else "")


def adapters_list(ways: Mapping[str, str]) -> Html:
    """How any other model is named: one line per adapter."""
    pairs = [
        piece for name, explanation in ways.items()
        for piece in (element("dt", element("span", escaped(name), css="wb-code")), element("dd", escaped(explanation)))
    ]  # fmt: skip
    return element("dl", *pairs, css="wb-terms")


def trial_message(trial: Trial) -> Html:
    """The result of a test: whether it works, the time, and the output."""
    line = f"{'It works' if trial.ok else 'It failed'}, {trial.seconds:.2f} s. {trial.sentence}"
    kind = "wb-note" if trial.ok else "wb-error"
    return element("div", text_block(line), css=f"wb-message {kind}", role="status" if trial.ok else "alert")


def plan_message(plan: DownloadPlan) -> Html:
    """Size, licence and source of a download before it starts."""
    gated = " Accept its licence on the hub first, and set HF_TOKEN." if plan.gated else ""
    count = "1 file" if len(plan.files) == 1 else f"{len(plan.files)} files"
    sentence = (
        f"{plan.model}: {size_words(plan.size)} in {count}, licence {plan.licence or 'not stated'}.{gated} "
        f"It comes from {plan.source}."
    )
    return element("div", text_block(sentence), css="wb-message wb-note", role="status")


def size_words(count: int) -> str:
    """Bytes in words.

    >>> size_words(2_270_000_000), size_words(4_000_000), size_words(900)
    ('2.27 GB', '4 MB', '1 kB')
    """
    if count >= GIGA:
        return f"{count / GIGA:.2f} GB"
    return f"{count / 1e6:,.0f} MB" if count >= 1_000_000 else f"{count / 1e3:,.0f} kB"


def progress_words(job: Job) -> str:
    """The progress of a download. Only our words, as it is the label of a progress bar."""
    if not job.total:
        return "Requesting the list of files"
    if job.phase == MAKING:
        return "Received; making the model of the package's file"
    return f"{size_words(job.done)} of {size_words(job.total)} · {job.share:.0%}"


def endpoint_card(name: str, endpoint: NamedEndpoint, keys: Sequence[Key]) -> Html:
    """An endpoint that was added to the workspace."""
    head = element(
        "div", inline(name, css="wb-title"), element("span", escaped(endpoint.url), css="wb-code"), css="wb-row"
    )
    state = _key_state(endpoint, keys)
    variable = element("span", escaped(f"{endpoint.key} "), css="wb-code") if endpoint.key else NOTHING
    key = element("span", variable, _state(state == "set" or not endpoint.key, state))
    texts = element("span", escaped(_texts(endpoint)), css="wb-leaves" if endpoint.hosts else "")
    return element("div", head, key, escaped(" · "), texts, css="wb-component")


def keys_rows(keys: Sequence[Key]) -> list[dict[str, str]]:
    """One row per key, by the name of its variable: set or not. Values never get here."""
    return [
        {
            "Variable": key.name,
            "State": "set" if key.is_set else "not set",
            "Used by": key.wanted_by,
            "Command before starting the app": "" if key.is_set else f"export {key.name}=…",
        }
        for key in keys
    ]


def _state(ready: bool, words: str) -> Html:
    return element("span", escaped(words), css="wb-ready" if ready else "wb-missing")


def _leaves(host: str) -> Html:
    if not host:
        return NOTHING
    return text_block(f"Texts leave this machine: they are sent to {host}.", "en", "wb-leaves")


def _texts(endpoint: NamedEndpoint) -> str:
    return f"texts are sent to {HOSTS.join(endpoint.hosts)}" if endpoint.hosts else "texts stay on this machine"


def _key_state(endpoint: NamedEndpoint, keys: Sequence[Key]) -> str:
    if not endpoint.key:
        return "needs no key"
    key = next((key for key in keys if key.name == endpoint.key), None)
    return "not allowed as a key" if key is None else "set" if key.is_set else "not set"
