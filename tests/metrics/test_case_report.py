"""Cases measured as they are read, over all and by language."""

from workbench.languages.catalogue import language
from workbench.metrics.case_report import BATCH, score_cases
from workbench.metrics.catalogue import MEASURES
from workbench.metrics.measure import Case, Measure, Score, per_case

EN, FI = language("en"), language("fi")


def test_figures_are_given_over_all_and_by_language() -> None:
    cases = [Case("Paris", ("Paris",), EN), Case("Rooma", ("Pariisi",), FI), Case("x", ("?",), FI)]
    report = score_cases(iter(cases), [MEASURES["em"], MEASURES["f1"]])
    assert report.rows == 3 and list(report.languages) == ["en", "fi"]
    assert (report.metrics["em"].mean, report.metrics["em"].n, report.metrics["em"].unscored) == (0.5, 2, 1)
    assert (report.languages["fi"]["em"].mean, report.languages["fi"]["em"].n) == (0.0, 1)
    assert report.languages["en"]["f1"].mean == 1.0


def test_more_rows_than_a_batch_are_reported_as_they_are_done() -> None:
    progress: list[int] = []
    report = score_cases((Case("a", ("a",), FI) for _ in range(BATCH + 3)), [MEASURES["em"]], progress.append)
    assert progress == [BATCH, BATCH + 3] and report.metrics["em"].n == BATCH + 3


def test_no_rows_have_no_figures_but_the_metrics_names() -> None:
    report = score_cases([], [MEASURES["em"]])
    assert report.rows == 0 and report.languages == {} and report.metrics["em"].mean is None


def test_intervals_are_on_the_scale_of_their_measure() -> None:
    marks = Measure("marks", "Marks", "nobody", per_case(lambda case: Score(1.0)), low=1, high=5)
    figure = score_cases([Case("a", (), EN), Case("b", (), EN)], [marks]).metrics["marks"]
    # The worst possible mark: only better ones may be unseen.
    assert figure.low == 1.0 and figure.high is not None and figure.high > 1.0
