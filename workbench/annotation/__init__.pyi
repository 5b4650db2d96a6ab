from .adjudication import (
    NOTE_LIMIT as NOTE_LIMIT,
    REASONS as REASONS,
    AdjudicationCount as AdjudicationCount,
    AdjudicationStore as AdjudicationStore,
    Disagreement as Disagreement,
    Reason as Reason,
)
from .analysis.agreement import (
    LabelAgreement as LabelAgreement,
    agreement as agreement,
    self_agreement as self_agreement,
)
from .analysis.judge_correction import (
    JudgeCorrection as JudgeCorrection,
    check_sample as check_sample,
    judge_corrections as judge_corrections,
)
from .analysis.label_merging import (
    LEAST_MERGED as LEAST_MERGED,
    LabelMerging as LabelMerging,
    LabelPair as LabelPair,
    label_merging as label_merging,
)
from .analysis.label_shares import (
    INSPECTED as INSPECTED,
    PAPER_TAXONOMY as PAPER_TAXONOMY,
    LabelShare as LabelShare,
    final_labels as final_labels,
    label_shares as label_shares,
    paper_rows as paper_rows,
)
from .analysis.labelled_scores import LabelledScores as LabelledScores
from .analysis.metric_trust import (
    LEAST_LABELLED as LEAST_LABELLED,
    LEAST_OF_EACH as LEAST_OF_EACH,
    MetricTrust as MetricTrust,
    metric_trust as metric_trust,
)
from .analysis.pace import PAUSE as PAUSE, pace_frame as pace_frame, paces as paces
from .analysis.preferences import (
    EVERY as EVERY,
    Preference as Preference,
    preferences as preferences,
    votes_csv as votes_csv,
)
from .ballot import (
    PRESSED as PRESSED,
    Ballot as Ballot,
    BallotItem as BallotItem,
    Pressed as Pressed,
    answers_as_shown as answers_as_shown,
)
from .diagnosis.counterfactuals import most_calls as most_calls
from .diagnosis.diagnosing import Diagnosing as Diagnosing
from .diagnosis.proposal import (
    TAXONOMY as TAXONOMY,
    CaseTrial as CaseTrial,
    Proposal as Proposal,
    TrialKind as TrialKind,
)
from .diagnosis.proposal_agreement import (
    ProposalAgreement as ProposalAgreement,
    labelled_cases as labelled_cases,
    people_counts as people_counts,
    proposal_agreement as proposal_agreement,
)
from .diagnosis.proposal_batch import ProposalJobs as ProposalJobs, propose_for as propose_for
from .diagnosis.proposal_store import ProposalStore as ProposalStore
from .error_taxonomy import (
    Taxonomy as Taxonomy,
    TaxonomyLabel as TaxonomyLabel,
    shipped_taxonomies as shipped_taxonomies,
    taxonomies as taxonomies,
    taxonomy as taxonomy,
)
from .files.decision_files import decision_file as decision_file
from .files.json_formats import SETUP_FILES as SETUP_FILES, setup_file as setup_file
from .files.label_files import SUFFIXES as SUFFIXES, export_labels as export_labels
from .files.label_import import (
    LabelFileError as LabelFileError,
    LabelPreview as LabelPreview,
    import_labels as import_labels,
    preview_labels as preview_labels,
)
from .label_store import LabelStore as LabelStore
from .queue import (
    ANSWER as ANSWER,
    AnnotationQueue as AnnotationQueue,
    LabelRecord as LabelRecord,
    QueueItem as QueueItem,
    QueueProgress as QueueProgress,
)
from .queue_store import (
    ANNOTATORS_LIMIT as ANNOTATORS_LIMIT,
    PER_LANGUAGE_LIMIT as PER_LANGUAGE_LIMIT,
    QueueStore as QueueStore,
)
from .text_spans import TextSpan as TextSpan, marked_span as marked_span, nfc as nfc
from .votes import PER_LANGUAGE_MOST as PER_LANGUAGE_MOST, VoteStore as VoteStore
