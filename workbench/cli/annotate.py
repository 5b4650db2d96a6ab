"""`labels`: queues of answers for people to label, how far they agree, and the labels as files."""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.shared import (
    Json,
    check_writable,
    open_workbench,
    print_json,
    progress,
    say,
)
from workbench.core import UsageError, shorten

if TYPE_CHECKING:
    from workbench.annotation import LabelAgreement, ProposalAgreement
    from workbench.experiments import ResultStore
    from workbench.metrics import Agreement

QueueName = Annotated[str, typer.Argument(metavar="QUEUE", help="A queue's name, from: labels list")]


def register(labels: typer.Typer) -> None:
    """Adds the verbs to their group."""
    labels.command("queue")(create_queue)
    labels.command("list")(list_queues)
    labels.command("agreement")(show_agreement)
    labels.command("trust")(show_trust)
    labels.command("export")(export_file)
    labels.command("import")(import_file)
    labels.command("propose")(propose_causes)


def create_queue(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new queue's name.")],
    run: Annotated[
        list[str],
        typer.Option(help="An experiment's id, from: runs list. ID/NUMBER for one of its runs. May be repeated."),
    ],
    taxonomy: Annotated[str, typer.Option(help="A built-in taxonomy's name, or one of the workspace's.")],
    per_language: Annotated[int, typer.Option(help="Answers of each language.")] = 50,
    seed: Annotated[int, typer.Option(help="The same seed draws the same answers.")] = 0,
    annotators: Annotated[int, typer.Option(help="How many people may label each answer.")] = 2,
    twice: Annotated[float, typer.Option(help="Share of the answers that each person is shown twice, 0 to 1.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Draw answers of runs and queue them for labelling."""
    from workbench.annotation import QueueStore, taxonomy as taxonomy_called

    store = _store()
    definition = taxonomy_called(taxonomy, open_workbench().settings.home)
    runs = [run_id for text in run for run_id in _run_ids(store, text)]
    queues = QueueStore(store)
    queue = queues.create(
        name,
        definition,
        runs,
        per_language=per_language,
        seed=seed,
        annotators_per_item=annotators,
        twice_share=twice,
    )
    state = queues.progress(queue.id)
    if as_json:
        print_json({**asdict(queue), "items": state.items})
        return
    counts = " ".join(f"{code}:{places // annotators}" for code, (_, places) in state.languages.items())
    say(f"The queue “{queue.name}” has {state.items:,} answers ({counts}), to be labelled by “{queue.taxonomy}”.")


def list_queues(as_json: Json = False) -> None:
    """List every queue, the newest first, with how far it is."""
    from workbench.annotation import QueueStore

    queues = QueueStore(_store())
    rows = [(queue, queues.progress(queue.id)) for queue in queues.queues()]
    if as_json:
        print_json([{**asdict(queue), "progress": asdict(state)} for queue, state in rows])
        return
    if not rows:
        say("There are no queues yet. Create one: labels queue NAME --run ID --taxonomy answer-faithfulness")
    for queue, state in rows:
        review = f"{state.to_review:,} to look at again" if state.to_review else "none to look at again"
        counts = f"{state.complete:,} of {state.places:,} complete"
        day = time.strftime("%Y-%m-%d", time.localtime(queue.created))
        print(f"{queue.name}\t{queue.taxonomy} version {queue.version}\t{counts}\t{review}\t{day}")


def show_agreement(queue: QueueName, as_json: Json = False) -> None:
    """Show how far people agree on each label in each language, with 95 % intervals over items."""
    from workbench.annotation import LabelStore, QueueStore, agreement, self_agreement

    store = _store()
    queues, labels = QueueStore(store), LabelStore(store)
    rows, selves = agreement(queues, labels, queue), self_agreement(queues, labels, queue)
    if as_json:
        print_json({"agreement": [_plain(row) for row in rows], "same_person_twice": [_plain(row) for row in selves]})
        return
    for row in rows:
        print(_line(row))
    for person in selves:
        print(
            f"{person.annotator}, shown twice\traw {_figure(person.raw)}\tκ {_figure(person.kappa)}\tn {person.raw.n:,}"
        )


def show_trust(queue: QueueName, as_json: Json = False) -> None:
    """Show which metric or judge tells what people labelled right from wrong, and which labels people exchange."""
    from workbench.annotation import (
        LabelledScores,
        LabelStore,
        QueueStore,
        check_sample,
        judge_corrections,
        label_merging,
        metric_trust,
        taxonomies,
    )

    store = _store()
    queues = QueueStore(store)
    queue_ = queues.queue(queue)
    scores = LabelledScores(store, queue_, taxonomies(open_workbench().settings.home))
    if not scores.taxonomy.has_values:
        raise UsageError(f"No label of “{queue_.taxonomy}” has a value: write “value: 1” under those of right answers.")
    check = check_sample(store, queue_, list(scores.runs))
    rows, merging = metric_trust(scores), label_merging(queues, LabelStore(store), queue_.id)
    corrected = [row for metric in scores.metrics for row in judge_corrections(scores, metric, check)]
    if as_json:
        print_json(
            {
                "trust": [asdict(row) for row in rows],
                "corrected": [asdict(row) for row in corrected],
                "exchanged": [asdict(row) for row in merging.pairs],
            }
        )
        return
    for row in rows:
        figure = row.reason if row.auc.value is None else f"AUC {row.auc.value:.2f}"
        interval = "" if row.auc.low is None else f" (95 %: {row.auc.low:.2f} to {row.auc.high:.2f})"
        words = "\tmost reliable" if row.trusted else ""
        print(f"{row.metric}\t{row.language or 'all'}\t{figure}{interval}\tn {row.n:,}{words}")


def export_file(
    queue: QueueName,
    kind: Annotated[str, typer.Option("--format", help="csv, jsonl, parquet, labelstudio, argilla or inspectorraget.")],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    setup: Annotated[
        Path | None,
        typer.Option(help="Also write what a project is set up with: Label Studio's XML, or Argilla's settings."),
    ] = None,
) -> None:
    """Write a queue's labels to a file, with what each was given to, by whom, when and under which version."""
    from workbench.annotation import LABEL_FORMATS, SETUPS, QueueStore, export_labels
    from workbench.workspace import write_bytes

    check_writable(out, f"labels{LABEL_FORMATS[kind].suffix if kind in LABEL_FORMATS else '.csv'}")
    if setup is not None and kind not in SETUPS:
        raise UsageError(f"The format {kind} needs no set-up: use it with {' or '.join(SETUPS)}, or leave it out.")
    if setup is not None:
        check_writable(setup, f"{kind}.{SETUPS[kind].ending}")
    store = _store()
    queues = QueueStore(store)
    stored = queues.queue(queue)
    count = export_labels(store, stored, kind, out, open_workbench().corpus_as_of)
    say(f"{count:,} labels written to {out}")
    if setup is not None:
        write_bytes(setup, SETUPS[kind].write(queues.taxonomy_of(stored.id), stored.annotators_per_item))
        say(f"The set-up is written to {setup}")


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .csv, .jsonl, .parquet or .json file from: labels export; JSON of the other programs too"
        ),
    ],
    as_json: Json = False,
) -> None:
    """Import labels from a file into the queues they belong to: all rows, or none where one of them is wrong.

    Every wrong row is named.
    """
    from workbench.annotation import LabelFileError, import_labels

    try:
        result = import_labels(_store(), file)
    except LabelFileError as error:
        for number, sentence in error.rows if len(error.rows) > 1 else ():
            say(f"Row {number:,}: {sentence}")
        raise
    if as_json:
        print_json(asdict(result))
        return
    older = f", {result.older:,} older than those here" if result.older else ""
    say(f"{result.added:,} labels imported, {result.unchanged:,} were here already{older}.")


def propose_causes(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="An experiment's id, from: runs list")],
    lang: Annotated[list[str] | None, typer.Option(help="Only questions in this language. May be repeated.")] = None,
    send: Annotated[bool, typer.Option("--send", help="Let changes send texts to the recipes' hosts.")] = False,
    as_json: Json = False,
) -> None:
    """Propose by rules what went wrong with each answer; a proposal is no label. Run again to go on after a stop."""
    from workbench.annotation import ProposalStore, labelled_cases, most_calls, proposal_agreement, propose_for
    from workbench.experiments import Filter, recipe_in

    bench, store = open_workbench(), _store()
    store.experiment(experiment)
    view = store.where(Filter(experiments=(experiment,), languages=tuple(lang or ())))
    items, recipes = list(view.all_instances()), [recipe for run in view.runs() if (recipe := recipe_in(run))]
    calls = len(items) * max(map(most_calls, recipes), default=0)
    if hosts := sorted({host for recipe in recipes for host in bench.registry.hosts(recipe)}):
        sent = "are sent to" if send else "are not sent, for lack of --send, to"
        say(f"Questions and documents {sent} {', '.join(hosts)}.")
    if calls and (send or not hosts):
        say(f"At most {calls:,} calls of a language model.")
    show = progress()
    propose_for(bench, items, sends=send, on_progress=partial(show, "proposed for"))
    counts = ProposalStore(store).counts(view.filter)
    agreement = proposal_agreement(labelled_cases(store, view.filter))
    if as_json:
        rows = [{"label": label, "language": code, "answers": n} for (label, code), n in sorted(counts.items())]
        print_json({"proposals": rows, "agreement_with_people": [_plain(row) for row in agreement]})
        return
    for (label, code), n in sorted(counts.items()):
        print(f"{label or 'no proposal'}\t{code}\t{n:,}")
    for row in agreement if agreement and agreement[0].n else ():
        print(f"agreement with people: {_line(row)}")


def _store() -> ResultStore:
    from workbench.experiments import ResultStore

    return ResultStore.at(open_workbench().settings.database_url)


def _run_ids(store: ResultStore, text: str) -> list[int]:
    """The stored ids of an experiment's runs, or of one of them. Raises UsageError."""
    experiment_id, _, number = text.partition("/")
    store.experiment(experiment_id)
    runs = store.of(experiment_id).runs()
    if not number:
        return [run.id for run in runs]
    ids = [run.id for run in runs if str(run.number) == number]
    if not ids:
        numbers = ", ".join(str(run.number) for run in runs)
        raise UsageError(f"The experiment {experiment_id} has no run “{shorten(number)}”. Its runs are: {numbers}.")
    return ids


def _plain(value: Any) -> dict[str, Any]:
    """A row with its figures as value, interval, n and reason."""
    from workbench.metrics import Agreement

    items = ((name, getattr(value, name)) for name in type(value).__dataclass_fields__)
    return {name: _plain_figure(item) if isinstance(item, Agreement) else item for name, item in items}


def _plain_figure(figure: Agreement) -> dict[str, Any]:
    return {
        "value": figure.score.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "reason": figure.score.reason,
    }


def _line(row: LabelAgreement | ProposalAgreement) -> str:
    figures = f"raw {_figure(row.raw)}\tκ {_figure(row.kappa)}\tα {_figure(row.alpha)}"
    return f"{row.label or 'all labels'}\t{row.language or 'all'}\t{figures}\tn {row.n:,}"


def _figure(figure: Agreement) -> str:
    if figure.score.value is None:
        return "–"
    interval = "" if figure.low is None else f" (95 %: {figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.score.value:.2f}{interval}"
