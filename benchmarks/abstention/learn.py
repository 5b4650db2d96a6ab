"""Learns to recognise abstentions and denials: `python -m benchmarks.abstention.learn`.

Two logistic regressions (scikit-learn, L2) on the vectors of learnt.yaml's texts by multilingual-e5-small: is a text
an abstention, and, of those about a false premise, does it deny it? Texts of the sample are answers, too: the golds
of every second question, bare names and numbers, and its passages in part or whole, since the built-in reader's
answers are quotations. Writes the weights into the product. With `--check` it writes nothing, but leaves out one
premise at a time and prints how many of its texts are told rightly: the sample has four premises, a user any.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import yaml
from sklearn.linear_model import LogisticRegression

from workbench.core.records import Query
from workbench.data.corpora.sample import content
from workbench.languages import sentences
from workbench.metrics.answers import abstention
from workbench.retrieval.encoders.e5_small_encoder import E5SmallEncoder

FOLDER = Path(__file__).parent
WEIGHTS = Path(abstention.__file__).with_name("abstention_weights.npz")
STRENGTH = {"abstention": 30.0, "denial": 3.0}
"""C of the regressions: on the plateau of 3 … 300 where the texts of one hand, or a premise, were left out in turn."""
Texts = dict[str, dict[str, Any]]


def read(name: str) -> Texts:
    """A file's texts by language."""
    return cast(Texts, yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")))


def labelled(texts: Texts) -> list[tuple[str, bool]]:
    """All texts, and whether each is an abstention."""
    rows: list[tuple[str, bool]] = []
    for by_kind in texts.values():
        premises = by_kind["premises"].values()
        others = [text for premise in premises for kind in ("denials", "accepted") for text in premise[kind]]
        rows += [(text, True) for text in by_kind["abstentions"]]
        rows += [(text, False) for text in (*by_kind["answers"], *others)]
    return rows


def premises(texts: Texts) -> list[tuple[str, bool, str]]:
    """The texts about false premises, whether each denies it, and the premise."""
    return [
        (text, kind == "denials", name)
        for by_kind in texts.values()
        for name, premise in by_kind["premises"].items()
        for kind in ("denials", "accepted")
        for text in premise[kind]
    ]


def golds(remainder: int) -> list[str]:
    """The sample's golds, those of even questions (0) or of odd ones (1)."""
    questions = (question for code in content.languages() for question in content.questions(code))
    texts = (gold for question in questions if int(question.id[1:]) % 2 == remainder for gold in question.answers)
    return list(dict.fromkeys(texts))


def quotes() -> list[str]:
    """The sample's passages as a reader quotes them: two sentences apart, the two together, or all, in turn."""
    texts: list[str] = []
    for number, passage in enumerate(content.passages()):
        first = [passage.text[start:end] for start, end in sentences(passage.text)[:2]]
        texts += (first, [" ".join(first)], [passage.text])[number % 3]
    return texts


def vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """One row per text."""
    return E5SmallEncoder().encode_queries([Query(text, "", ()) for text in texts])


def learn(kind: str, rows: npt.NDArray[np.float32], labels: Sequence[bool]) -> npt.NDArray[np.float32]:
    """A weight for each column, then the constant."""
    mean = rows.mean(axis=0)
    fitted = LogisticRegression(C=STRENGTH[kind], max_iter=5_000, class_weight="balanced").fit(rows - mean, labels)
    weights = fitted.coef_[0]
    return np.append(weights, fitted.intercept_[0] - weights @ mean).astype(np.float32)


def check(rows: npt.NDArray[np.float32], labels: npt.NDArray[np.bool_], names: npt.NDArray[np.str_]) -> None:
    """Prints a line for each premise, by the weights of the others; whole texts, not their first sentences."""
    for name in np.unique(names):
        mine = names == name
        weights = learn("denial", rows[~mine], labels[~mine].tolist())
        right = (rows[mine] @ weights[:-1] + weights[-1] > 0) == labels[mine]
        print(f"{name}: denials {right[labels[mine]].mean():.3f}, accepted {right[~labels[mine]].mean():.3f}")


def main() -> None:
    """Writes the weights, or checks them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.abstention.learn", description=__doc__)
    parser.add_argument("--check", action="store_true", help="leave out each premise in turn; writes nothing")
    arguments = parser.parse_args()
    texts = read("learnt.yaml")
    about = premises(texts)
    of_premises = vectors([text for text, _, _ in about])
    if arguments.check:
        check(of_premises, np.array([denial for _, denial, _ in about]), np.array([name for _, _, name in about]))
        return
    rows = labelled(texts) + [(text, False) for text in (*golds(0), *quotes())]
    learnt = learn("abstention", vectors([text for text, _ in rows]), [label for _, label in rows])
    np.savez(WEIGHTS, abstention=learnt, denial=learn("denial", of_premises, [denial for _, denial, _ in about]))


if __name__ == "__main__":
    main()
