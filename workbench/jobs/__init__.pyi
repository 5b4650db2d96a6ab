from .demonstrations.demonstration_checks import citation_problem as citation_problem
from .demonstrations.demonstration_file import (
    FileChoices as FileChoices,
    KeptForEvaluation as KeptForEvaluation,
    demonstrations_of as demonstrations_of,
    import_demonstrations as import_demonstrations,
    write_demonstrations as write_demonstrations,
)
from .demonstrations.demonstration_plan import MOST_DEMONSTRATED as MOST_DEMONSTRATED
from .demonstrations.demonstration_store import (
    DEMONSTRATION_KINDS as DEMONSTRATION_KINDS,
    LONGEST_TEXT as LONGEST_TEXT,
    DemonstrationDraft as DemonstrationDraft,
    DemonstrationKind as DemonstrationKind,
    DemonstrationRequest as DemonstrationRequest,
    DemonstrationStore as DemonstrationStore,
)
from .demonstrations.demonstration_writing import (
    DemonstrationJobs as DemonstrationJobs,
    DemonstrationWriting as DemonstrationWriting,
)
from .imports.dataset_imports import (
    DatasetImports as DatasetImports,
    DatasetRequest as DatasetRequest,
    DatasetSource as DatasetSource,
)
from .imports.intake_jobs import (
    IntakeChoices as IntakeChoices,
    IntakeJobs as IntakeJobs,
    IntakeParameters as IntakeParameters,
    IntakePreview as IntakePreview,
    OcrPages as OcrPages,
    Verb as Verb,
    stored_preview as stored_preview,
)
from .imports.wikipedia_imports import (
    FOLDER as FOLDER,
    WikipediaImports as WikipediaImports,
    WikipediaRequest as WikipediaRequest,
    incoming_files as incoming_files,
)
from .indexing.index_report import (
    IndexJobs as IndexJobs,
    IndexReport as IndexReport,
    build_now as build_now,
    encoders_on_demand as encoders_on_demand,
    far_words as far_words,
    index_added as index_added,
    index_id as index_id,
    index_reports as index_reports,
    index_wish as index_wish,
    index_wishes as index_wishes,
    installed_on_demand as installed_on_demand,
    left_words as left_words,
    pace_words as pace_words,
    seconds_for as seconds_for,
    under_way as under_way,
)
from .indexing.store_push import check_switch as check_switch, push as push, return_to_files as return_to_files
from .question_generation.draft_reply import LONGEST_ANSWER as LONGEST_ANSWER, LONGEST_QUESTION as LONGEST_QUESTION
from .question_generation.draft_store import (
    Draft as Draft,
    DraftStore as DraftStore,
    WritingRequest as WritingRequest,
)
from .question_generation.passage_sample import MOST_PER_LANGUAGE as MOST_PER_LANGUAGE
from .question_generation.question_writing import (
    QuestionWriting as QuestionWriting,
    WritingJobs as WritingJobs,
    checked_checker as checked_checker,
    checked_writer as checked_writer,
)
from .question_generation.written_dataset import create_dataset as create_dataset
from .review_store import (
    COUNTED as COUNTED,
    DECIDED as DECIDED,
    NAME_LIMIT as NAME_LIMIT,
    STATUSES as STATUSES,
    WAITING as WAITING,
    DraftProgress as DraftProgress,
    DraftSet as DraftSet,
    Reviewable as Reviewable,
    ReviewStore as ReviewStore,
    Status as Status,
)
from .tuning.foresight import foresee as foresee
from .tuning.tuning_jobs import (
    TuningJobs as TuningJobs,
    demonstrations_at as demonstrations_at,
    tuning_words as tuning_words,
)
from .tuning.tuning_spec import (
    TuningSpec as TuningSpec,
    make_spec as make_spec,
    spec_from_file as spec_from_file,
    spec_to_yaml as spec_to_yaml,
    tuning_table as tuning_table,
)
