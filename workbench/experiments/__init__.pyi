from . import data_changes as data_changes
from .cells import Cell as Cell
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
    MODE_SCOPE as MODE_SCOPE,
    PERTURBATIONS as PERTURBATIONS,
    Experiment as Experiment,
    Run as Run,
    experiment_from_file as experiment_from_file,
    experiment_from_yaml as experiment_from_yaml,
    experiment_to_yaml as experiment_to_yaml,
    make_experiment as make_experiment,
)
from .exports.tables import SUFFIXES as SUFFIXES, export as export
from .index_phase import INDEXING as INDEXING, missing_indexes as missing_indexes
from .inputs import Batch as Batch, ExperimentInputs as ExperimentInputs, SelectedInputs as SelectedInputs
from .jobs.control import FINISHED as FINISHED, ExperimentJobs as ExperimentJobs
from .jobs.demonstration import (
    LANGUAGES as LANGUAGES,
    MODES as MODES,
    QUESTIONS as QUESTIONS,
    start_demonstration as start_demonstration,
)
from .jobs.job_status import (
    ExperimentStatus as ExperimentStatus,
    ends_of as ends_of,
    job_to_json as job_to_json,
    steps_of as steps_of,
)
from .jobs.pilot_jobs import Pilot as Pilot, Pilots as Pilots
from .jobs.time_left import left_words as left_words
from .pilot import Estimate as Estimate, estimate as estimate, measure as measure, pilot_experiment as pilot_experiment
from .planning import (
    ExperimentPlan as ExperimentPlan,
    hosts_of as hosts_of,
    judge_hosts as judge_hosts,
    plan as plan,
    unready_components as unready_components,
)
from .replays.change import (
    DOCUMENT_LIMIT as DOCUMENT_LIMIT,
    Change as Change,
    Reach as Reach,
    reach as reach,
    recipe_changes as recipe_changes,
)
from .replays.replay import (
    Replay as Replay,
    ReplayedStep as ReplayedStep,
    ReplayStatus as ReplayStatus,
    as_replay as as_replay,
    is_perturbed as is_perturbed,
    replay as replay,
)
from .replays.replay_json import (
    Difference as Difference,
    PieceKind as PieceKind,
    difference as difference,
    replay_to_json as replay_to_json,
)
from .replays.retrace import (
    UNPERTURBED as UNPERTURBED,
    Retrace as Retrace,
    recipe_in as recipe_in,
    recipe_of as recipe_of,
    retrace as retrace,
)
from .replays.stored_comparison import (
    Beside as Beside,
    beside as beside,
    siblings as siblings,
    stored_sides as stored_sides,
)
from .results.answer_scoring import (
    DEFAULT_METRICS as DEFAULT_METRICS,
    FORMAT_FAILURE as FORMAT_FAILURE,
    RERANKED as RERANKED,
    SEMSCORE as SEMSCORE,
    checked_metrics as checked_metrics,
    metric_without_model as metric_without_model,
    stored_name as stored_name,
)
from .results.filters import (
    Dimension as Dimension,
    Filter as Filter,
    answer_conditions as answer_conditions,
    answered_in as answered_in,
    before_answer as before_answer,
    given_in as given_in,
    newest_first as newest_first,
    not_scored as not_scored,
    of_answer as of_answer,
    of_question as of_question,
    score_of as score_of,
    scored_within as scored_within,
)
from .results.gold_spans import gold_spans as gold_spans
from .results.judging import STAGE as STAGE, SharedJudge as SharedJudge, checked_judge as checked_judge
from .results.metric_agreement import (
    furthest_apart as furthest_apart,
    metric_correlations as metric_correlations,
    question_step as question_step,
)
from .results.paired_comparison import Delta as Delta, language_deltas as language_deltas, run_deltas as run_deltas
from .results.predictions import import_predictions as import_predictions
from .results.queries.experiment_list import ExperimentName as ExperimentName, ExperimentRow as ExperimentRow
from .results.queries.gold_documents import gold_documents as gold_documents
from .results.queries.instance_search import (
    contains_text as contains_text,
    without_label as without_label,
    wrong_language as wrong_language,
)
from .results.queries.instances import Instance as Instance
from .results.queries.interval_queries import MeanWithInterval as MeanWithInterval
from .results.queries.recipe_columns import varied_fields as varied_fields
from .results.queries.run_list import StoredRun as StoredRun
from .results.queries.score_arrays import KEY_BASE as KEY_BASE
from .results.result_store import ResultStore as ResultStore, ResultView as ResultView
from .results.run_pairs import (
    COMPARISONS as COMPARISONS,
    Comparison as Comparison,
    Pair as Pair,
    candidates as candidates,
    comparable as comparable,
    comparisons as comparisons,
)
from .results.saved_filters import (
    FILTER_NAME_LIMIT as FILTER_NAME_LIMIT,
    SavedFilter as SavedFilter,
    SavedFilters as SavedFilters,
)
from .results.semantic_scoring import checked_metric_encoder as checked_metric_encoder
from .results.summaries.findings import (
    agreement_finding as agreement_finding,
    choice_finding as choice_finding,
    cost_finding as cost_finding,
    counted as counted,
    difference_finding as difference_finding,
    documents_finding as documents_finding,
    extremes_finding as extremes_finding,
    listed as listed,
    run_finding as run_finding,
    value_words as value_words,
)
from .results.summaries.judge_languages import JudgeLanguages as JudgeLanguages, judge_languages as judge_languages
from .results.summaries.pooling import (
    NO_SCOPE as NO_SCOPE,
    in_paper_scope as in_paper_scope,
    mode_label as mode_label,
    pooled_words as pooled_words,
    searched as searched,
)
from .results.summaries.standings import COVERAGE as COVERAGE, Standing as Standing, standings as standings
from .results.writer import CellResult as CellResult
from .runner import OnBatch as OnBatch, Runner as Runner, ignore_progress as ignore_progress
from .tours.tour import (
    FILE_LIMIT as FILE_LIMIT,
    NOTE_LIMIT as NOTE_LIMIT,
    Tour as Tour,
    TourDocument as TourDocument,
    TourStop as TourStop,
)
from .tours.tour_library import TourInfo as TourInfo, TourLibrary as TourLibrary
from .tours.tour_recording import (
    TourRequest as TourRequest,
    record as record,
    stop_of_answer as stop_of_answer,
    stop_of_instance as stop_of_instance,
)
from .variations import MATRIX_CHOICES as MATRIX_CHOICES, ORIGINAL as ORIGINAL, variable_fields as variable_fields
