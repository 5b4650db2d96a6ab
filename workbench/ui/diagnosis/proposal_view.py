"""“What went wrong?” of one answer: the proposed label, marked as one, its evidence, and what was tried."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from workbench.annotation import (
    TAXONOMY,
    CaseTrial,
    Diagnosing,
    Proposal,
    ProposalStore,
    TaxonomyLabel,
    TrialKind,
    most_calls,
    shipped_taxonomies,
)
from workbench.experiments import Instance, recipe_of
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block
from workbench.ui.parts.verb_button import verb_button

PROPOSED = "proposed, by rules"
WHAT_IT_IS = (
    "Rules compare the answer with the gold answers, and try the same recipe again with one thing changed. What they "
    "propose is not a label: it is not counted among the labels and is in none of their files."
)
NO_PROPOSAL = "No proposal"
TITLE = "What went wrong?"
TRY, TRY_ALL = "Find out", "Try every change"
FEW = "Tries only as many changes as are needed to decide."
ALL = "Tries every possible change, even after the cause is clear."
KEY = "inspect_wrong"
TRIED: Mapping[TrialKind, str] = {
    "unchanged": "Tried once more",
    "gold-given": "Tried with the right documents",
    "deeper": "Tried with more documents",
    "left-out": "Tried without a document",
    "translated": "Tried with translated documents",
    "answer-in-ul": "Tried with another prompt",
}
"""What the status says after each counterfactual."""


def draw(instance: Instance) -> None:
    """The stored proposal for an instance, or the button that makes one."""
    store = ProposalStore(result_frames.store())
    with st.expander(TITLE, icon=":material/troubleshoot:", key=f"{KEY}_part"):
        st.caption(WHAT_IT_IS)
        proposal = store.of(instance)
        if proposal is not None:
            safe_html.show(proposal_card(proposal))
            if not proposal.trials:
                return
            safe_html.show(trials_table(proposal.trials))
            if proposal.thorough:
                return
        recipe = recipe_of(instance)
        hosts = access.workbench().registry.hosts(recipe) if recipe else ()
        sends = consent(hosts, most_calls(recipe), f"{KEY}_sends")
        label, words = (TRY, FEW) if proposal is None else (TRY_ALL, ALL)
        pressed = verb_button(label, "proposals.run", key=f"{KEY}_try", icon="troubleshoot", help=words)
        if pressed and _propose(instance, store, sends=sends, thorough=proposal is not None):
            st.rerun()


def consent(hosts: tuple[str, ...], calls: int, key: str) -> bool:
    """Whether a person allows that texts are sent; asked only where some would be. States the calls at most."""
    if not hosts:
        if calls:
            st.caption(f"At most {calls:,} calls of the language model, on this machine.")
        return False
    safe_html.message(
        f"Trying changes sends the question and its documents to {', '.join(hosts)}: at most {calls:,} calls. "
        "Nothing has been sent yet."
    )
    return st.checkbox("Send them", key=key, help="Without your agreement, only changes that send nothing are tried.")


def proposal_card(proposal: Proposal) -> Html:
    """The proposed label with its definition and evidence, marked as a proposal."""
    label = label_of(proposal.label)
    name = label.name if label else NO_PROPOSAL
    evidence = joined(text_block(sentence, "en") for sentence in proposal.evidence if sentence)
    return element(
        "section",
        element("div", element("b", escaped(name)), chip(PROPOSED), css="wb-row"),
        text_block(label.definition, "en", "wb-muted") if label else NOTHING,
        evidence,
        css="wb-answer",
    )


def trials_table(trials: tuple[CaseTrial, ...]) -> Html:
    """One row per counterfactual: what was changed, the answer then, and whether it was right."""
    rows = [[inline(trial.change, css="wb-title"), _answer(trial), _verdict(trial)] for trial in trials]
    return table(["What was changed", "Answer after the change", "Right"], rows, "wb-stacked")


def label_of(key: str) -> TaxonomyLabel | None:
    """The label with a key in the taxonomy of proposals, None for none."""
    taxonomy = next(item for item in shipped_taxonomies() if item.name == TAXONOMY)
    return next((label for label in taxonomy.labels if label.key == key), None)


def _answer(trial: CaseTrial) -> Html:
    if trial.right is None:
        return inline(trial.note, css="wb-muted")
    badge = language_badge(trial.answer_language) if trial.answer_language else NOTHING
    return joined([badge, text_block(trial.answer or "(empty)", trial.answer_language, "wb-long")])


def _verdict(trial: CaseTrial) -> Html:
    words = {True: "right", False: "still wrong", None: "not tried"}[trial.right]
    return element("span", escaped(words), css="wb-ready" if trial.right else "wb-idle")


def _propose(instance: Instance, store: ProposalStore, *, sends: bool, thorough: bool) -> bool:
    """Makes and stores a proposal; whether that worked. Where it did not, the reason is shown."""
    proposals: list[Proposal] = []
    with access.guarded(), st.status("Looking at the answer", type="compact") as status:
        diagnosing = Diagnosing(access.workbench(), sends=sends, thorough=thorough)
        proposals.append(diagnosing.propose(instance, lambda trial: status.update(label=TRIED[trial.kind])))
        store.save(instance, proposals[0])
    return bool(proposals)
