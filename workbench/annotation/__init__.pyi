from .analysis.agreement import (
    LEAST_MERGED as LEAST_MERGED,
    LabelAgreement as LabelAgreement,
    LabelMerging as LabelMerging,
    LabelPair as LabelPair,
    agreement as agreement,
    is_hidden_by_chance as is_hidden_by_chance,
    label_merging as label_merging,
    self_agreement as self_agreement,
    strength as strength,
)
from .analysis.label_shares import (
    INSPECTED as INSPECTED,
    PAPER_TAXONOMY as PAPER_TAXONOMY,
    LabelShare as LabelShare,
    final_labels as final_labels,
    label_shares as label_shares,
    paper_rows as paper_rows,
)
from .analysis.metric_trust import (
    LEAST_LABELLED as LEAST_LABELLED,
    LEAST_OF_EACH as LEAST_OF_EACH,
    JudgeCorrection as JudgeCorrection,
    LabelledScores as LabelledScores,
    MetricTrust as MetricTrust,
    check_sample as check_sample,
    judge_corrections as judge_corrections,
    metric_trust as metric_trust,
)
from .analysis.pace import PAUSE as PAUSE, pace_frame as pace_frame, paces as paces
from .diagnosis.diagnosing import (
    Diagnosing as Diagnosing,
    ProposalJobs as ProposalJobs,
    most_calls as most_calls,
    propose_for as propose_for,
)
from .diagnosis.proposal import (
    TAXONOMY as TAXONOMY,
    CaseTrial as CaseTrial,
    Proposal as Proposal,
    ProposalAgreement as ProposalAgreement,
    ProposalStore as ProposalStore,
    TrialKind as TrialKind,
    labelled_cases as labelled_cases,
    people_counts as people_counts,
    proposal_agreement as proposal_agreement,
)
from .error_taxonomy import (
    Taxonomy as Taxonomy,
    TaxonomyLabel as TaxonomyLabel,
    shipped_taxonomies as shipped_taxonomies,
    taxonomies as taxonomies,
    taxonomy as taxonomy,
)
from .files.decision_files import decision_file as decision_file
from .files.label_files import LABEL_FORMATS as LABEL_FORMATS, SETUPS as SETUPS, export_labels as export_labels
from .files.label_import import (
    LabelFileError as LabelFileError,
    LabelPreview as LabelPreview,
    import_labels as import_labels,
    preview_labels as preview_labels,
)
from .label_store import (
    NOTE_LIMIT as NOTE_LIMIT,
    REASONS as REASONS,
    AdjudicationCount as AdjudicationCount,
    AdjudicationStore as AdjudicationStore,
    Disagreement as Disagreement,
    LabelStore as LabelStore,
    Reason as Reason,
)
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
from .votes import (
    EVERY as EVERY,
    PER_LANGUAGE_MOST as PER_LANGUAGE_MOST,
    PRESSED as PRESSED,
    Ballot as Ballot,
    BallotItem as BallotItem,
    Preference as Preference,
    Pressed as Pressed,
    VoteStore as VoteStore,
    answers_as_shown as answers_as_shown,
    preferences as preferences,
    votes_csv as votes_csv,
)
