from . import errors as errors
from .answer import (
    Answer as Answer,
    Compression as Compression,
    Expansion as Expansion,
    Finish as Finish,
    Generation as Generation,
    Sections as Sections,
    Span as Span,
    Step as Step,
    Usage as Usage,
    total_usage as total_usage,
)
from .errors import (
    QUOTE_LIMIT as QUOTE_LIMIT,
    DataError as DataError,
    EmptyAnswer as EmptyAnswer,
    GenerationFailed as GenerationFailed,
    MissingError as MissingError,
    TranslationFailed as TranslationFailed,
    UsageError as UsageError,
    WorkbenchError as WorkbenchError,
    is_panic as is_panic,
    shorten as shorten,
    unknown_name as unknown_name,
)
from .identity import (
    DIGITS as DIGITS,
    canonical as canonical,
    component as component,
    file_fingerprint as file_fingerprint,
    fingerprint as fingerprint,
    package_version as package_version,
    package_versions as package_versions,
)
from .passage import (
    Evidence as Evidence,
    Hit as Hit,
    Passage as Passage,
    Ranking as Ranking,
    Translation as Translation,
    TranslationKind as TranslationKind,
    top_k as top_k,
    with_score as with_score,
)
from .protocols import (
    Augmenter as Augmenter,
    Components as Components,
    Compressor as Compressor,
    Encoder as Encoder,
    Expander as Expander,
    FloatArray as FloatArray,
    Generator as Generator,
    IsolatingGenerator as IsolatingGenerator,
    LanguageIdentifier as LanguageIdentifier,
    PassageLookup as PassageLookup,
    Reranker as Reranker,
    Retriever as Retriever,
    Role as Role,
    Translator as Translator,
)
from .question import (
    BY_PAGE as BY_PAGE,
    BY_PASSAGE as BY_PASSAGE,
    NO_EVIDENCE as NO_EVIDENCE,
    Question as Question,
    is_gold as is_gold,
    page_key as page_key,
    page_name as page_name,
)
from .stopping import (
    JobStopped as JobStopped,
    check_stop as check_stop,
    current_stop as current_stop,
    stopping_with as stopping_with,
)
from .task import (
    THINKING as THINKING,
    Prompt as Prompt,
    Query as Query,
    Task as Task,
    without_thinking as without_thinking,
)
