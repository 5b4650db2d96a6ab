from .imports.dataset_imports import (
    DatasetImports as DatasetImports,
    DatasetRequest as DatasetRequest,
    DatasetSource as DatasetSource,
)
from .imports.incoming import FOLDER as FOLDER, IncomingFile as IncomingFile, incoming_files as incoming_files
from .imports.intake_jobs import (
    IntakeChoices as IntakeChoices,
    IntakeJobs as IntakeJobs,
    IntakeParameters as IntakeParameters,
    OcrPages as OcrPages,
    Verb as Verb,
)
from .imports.intake_preview import IntakePreview as IntakePreview, stored_preview as stored_preview
from .imports.wikipedia_imports import WikipediaImports as WikipediaImports, WikipediaRequest as WikipediaRequest
from .indexing.index_building import build_now as build_now
from .indexing.index_jobs import (
    IndexJobs as IndexJobs,
    far_words as far_words,
    index_id as index_id,
    left_words as left_words,
)
from .indexing.index_rates import seconds_for as seconds_for
from .indexing.index_report import (
    IndexReport as IndexReport,
    index_reports as index_reports,
    pace_words as pace_words,
    under_way as under_way,
)
from .indexing.on_demand import (
    encoders_on_demand as encoders_on_demand,
    index_wish as index_wish,
    index_wishes as index_wishes,
    installed_on_demand as installed_on_demand,
)
from .indexing.store_push import check_switch as check_switch, push as push, return_to_files as return_to_files
from .question_generation.draft import (
    COUNTED as COUNTED,
    DECIDED as DECIDED,
    STATUSES as STATUSES,
    WAITING as WAITING,
    Draft as Draft,
    DraftProgress as DraftProgress,
    DraftSet as DraftSet,
    Status as Status,
    WritingRequest as WritingRequest,
)
from .question_generation.draft_reply import LONGEST_ANSWER as LONGEST_ANSWER, LONGEST_QUESTION as LONGEST_QUESTION
from .question_generation.draft_store import NAME_LIMIT as NAME_LIMIT, DraftStore as DraftStore
from .question_generation.draft_writer import checked_checker as checked_checker, checked_writer as checked_writer
from .question_generation.passage_sampling import MOST_PER_LANGUAGE as MOST_PER_LANGUAGE
from .question_generation.set_writing import SetWriting as SetWriting
from .question_generation.writing_jobs import WritingJobs as WritingJobs
from .question_generation.written_dataset import create_dataset as create_dataset
