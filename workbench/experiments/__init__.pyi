from . import data_changes as data_changes
from .chain_builder import RunChain as RunChain
from .data_changes import (
    corpus_use as corpus_use,
    dataset_use as dataset_use,
    delete_corpus as delete_corpus,
    delete_dataset as delete_dataset,
    drop_corpus_version as drop_corpus_version,
    rename_dataset as rename_dataset,
    rename_library_corpus as rename_library_corpus,
    version_use as version_use,
)
from .experiment import (
    ALL as ALL,
    EXPERIMENT_NAME_LIMIT as EXPERIMENT_NAME_LIMIT,
    MATRIX_CHOICES as MATRIX_CHOICES,
    MODE_SCOPE as MODE_SCOPE,
    ORIGINAL as ORIGINAL,
    Experiment as Experiment,
    Run as Run,
    experiment_from_file as experiment_from_file,
    experiment_from_yaml as experiment_from_yaml,
    experiment_to_yaml as experiment_to_yaml,
    make_experiment as make_experiment,
    variable_fields as variable_fields,
)
from .inputs import (
    FORMAT_VERSION as FORMAT_VERSION,
    Batch as Batch,
    ExperimentInputs as ExperimentInputs,
    SelectedInputs as SelectedInputs,
)
from .jobs.control import (
    FINISHED as FINISHED,
    LANGUAGES as LANGUAGES,
    MODES as MODES,
    QUESTIONS as QUESTIONS,
    ExperimentJobs as ExperimentJobs,
    start_demonstration as start_demonstration,
)
from .jobs.job_status import (
    ExperimentStatus as ExperimentStatus,
    ends_of as ends_of,
    job_to_json as job_to_json,
    left_words as left_words,
    steps_of as steps_of,
)
from .jobs.pilot_jobs import Pilot as Pilot, Pilots as Pilots
from .phases import INDEXING as INDEXING, missing_indexes as missing_indexes
from .planning import (
    Estimate as Estimate,
    ExperimentPlan as ExperimentPlan,
    estimate as estimate,
    hosts_of as hosts_of,
    judge_hosts as judge_hosts,
    measure as measure,
    pilot_experiment as pilot_experiment,
    plan as plan,
    unready_components as unready_components,
)
from .replays.change import (
    DOCUMENT_LIMIT as DOCUMENT_LIMIT,
    UNPERTURBED as UNPERTURBED,
    Change as Change,
    Reach as Reach,
    Retrace as Retrace,
    reach as reach,
    recipe_changes as recipe_changes,
    recipe_in as recipe_in,
    recipe_of as recipe_of,
    retrace as retrace,
)
from .replays.comparison import (
    SIBLINGS_LIMIT as SIBLINGS_LIMIT,
    Beside as Beside,
    Difference as Difference,
    PieceKind as PieceKind,
    beside as beside,
    difference as difference,
    replay_to_json as replay_to_json,
    siblings as siblings,
    stored_sides as stored_sides,
)
from .replays.replay import (
    Replay as Replay,
    ReplayedStep as ReplayedStep,
    ReplayStatus as ReplayStatus,
    as_replay as as_replay,
    is_perturbed as is_perturbed,
    replay as replay,
)
from .report import REPORT_METRICS as REPORT_METRICS, report_metrics as report_metrics
from .result_files import EXPORTS as EXPORTS, csv_rows as csv_rows, export as export
from .results.filters import (
    Dimension as Dimension,
    Filter as Filter,
    answer_conditions as answer_conditions,
    answered_in as answered_in,
    given_in as given_in,
    not_scored as not_scored,
    of_answer as of_answer,
    of_questions as of_questions,
    score_of as score_of,
    scored_within as scored_within,
)
from .results.predictions import import_predictions as import_predictions
from .results.queries.aggregates import MeanWithInterval as MeanWithInterval
from .results.queries.instances import (
    Instance as Instance,
    contains_text as contains_text,
    gold_spans as gold_spans,
    of_question_name as of_question_name,
    without_label as without_label,
    wrong_language as wrong_language,
)
from .results.queries.run_list import (
    ExperimentName as ExperimentName,
    ExperimentRow as ExperimentRow,
    StoredRun as StoredRun,
    varied_fields as varied_fields,
)
from .results.queries.score_arrays import KEY_BASE as KEY_BASE
from .results.result_store import (
    FILTER_NAME_LIMIT as FILTER_NAME_LIMIT,
    ResultStore as ResultStore,
    ResultView as ResultView,
    SavedFilter as SavedFilter,
    SavedFilters as SavedFilters,
)
from .results.run_pairs import (
    COMPARISONS as COMPARISONS,
    Comparison as Comparison,
    Delta as Delta,
    MetricCorrelation as MetricCorrelation,
    Pair as Pair,
    candidates as candidates,
    comparable as comparable,
    comparisons as comparisons,
    furthest_apart as furthest_apart,
    language_deltas as language_deltas,
    metric_correlations as metric_correlations,
    question_step as question_step,
    run_deltas as run_deltas,
)
from .results.scoring import (
    DEFAULT_METRICS as DEFAULT_METRICS,
    RERANKED as RERANKED,
    SEMSCORE as SEMSCORE,
    STAGE as STAGE,
    SharedJudge as SharedJudge,
    checked_metric_encoder as checked_metric_encoder,
    checked_metrics as checked_metrics,
    metric_without_model as metric_without_model,
    stored_name as stored_name,
)
from .results.summaries.findings import (
    COVERAGE as COVERAGE,
    Standing as Standing,
    agreement_finding as agreement_finding,
    choice_finding as choice_finding,
    corrected_words as corrected_words,
    cost_finding as cost_finding,
    counted as counted,
    difference_finding as difference_finding,
    documents_finding as documents_finding,
    elsewhere_finding as elsewhere_finding,
    extremes_finding as extremes_finding,
    listed as listed,
    reach_finding as reach_finding,
    run_finding as run_finding,
    standings as standings,
    value_words as value_words,
)
from .results.summaries.pooling import (
    JudgeLanguages as JudgeLanguages,
    in_paper_scope as in_paper_scope,
    judge_languages as judge_languages,
    pooled_words as pooled_words,
)
from .results.summaries.run_names import (
    PERTURBATIONS as PERTURBATIONS,
    choice_name as choice_name,
    choice_title as choice_title,
    mode_name as mode_name,
    run_names as run_names,
    same_stored_runs as same_stored_runs,
)
from .results.summaries.territories import (
    TerritoryAnswer as TerritoryAnswer,
    concurrence_rows as concurrence_rows,
    group_rows as group_rows,
    read_answers as read_answers,
)
from .results.writer import CellResult as CellResult
from .runner import Cell as Cell, OnBatch as OnBatch, Runner as Runner, ignore_progress as ignore_progress
from .tours.tour import (
    FILE_LIMIT as FILE_LIMIT,
    HEADLINE_LIMIT as HEADLINE_LIMIT,
    NOTE_LIMIT as NOTE_LIMIT,
    Tour as Tour,
    TourDocument as TourDocument,
    TourInfo as TourInfo,
    TourLibrary as TourLibrary,
    TourStop as TourStop,
)
from .tours.tour_recording import (
    TourRequest as TourRequest,
    answer_of as answer_of,
    in_english as in_english,
    record as record,
    stop_of_answer as stop_of_answer,
    stop_of_instance as stop_of_instance,
    with_english as with_english,
)
