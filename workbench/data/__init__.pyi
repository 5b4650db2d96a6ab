from .browsing import (
    ENDINGS as ENDINGS,
    CitedPage as CitedPage,
    DocumentEntry as DocumentEntry,
    citation as citation,
    cited_page as cited_page,
    document_page as document_page,
    gold_passages as gold_passages,
    in_every_language as in_every_language,
    marked_image as marked_image,
    page_images as page_images,
    passage_of as passage_of,
    passage_page as passage_page,
    question_page as question_page,
)
from .corpora.build import (
    DENSE as DENSE,
    LEXICAL as LEXICAL,
    CorpusManifest as CorpusManifest,
    Progress as Progress,
    quiet as quiet,
    read_manifest as read_manifest,
)
from .corpora.corpus import (
    PUSHING as PUSHING,
    STORE as STORE,
    Corpus as Corpus,
    IndexStore as IndexStore,
    NeighbourAugmenter as NeighbourAugmenter,
    StoredCollection as StoredCollection,
    StoreState as StoreState,
    drop as drop,
    left as left,
    left_words as left_words,
    lexical_identity as lexical_identity,
    places_of as places_of,
    read_store as read_store,
    remember as remember,
    write_store as write_store,
)
from .corpora.corpus_library import CorpusLibrary as CorpusLibrary, checked_name as checked_name
from .corpora.encoded_indexes import (
    complete_indexes as complete_indexes,
    damaged_indexes as damaged_indexes,
    dense_unindexed as dense_unindexed,
    encoders_of as encoders_of,
    index_dense as index_dense,
    index_sparse as index_sparse,
    is_dense_indexed as is_dense_indexed,
    kinds as kinds,
    open_dense as open_dense,
    open_sparse as open_sparse,
    store_key as store_key,
    store_state as store_state,
)
from .corpora.passage_table import GoldLanguages as GoldLanguages, GoldPlaces as GoldPlaces
from .corpora.sample.content import (
    SAMPLE as SAMPLE,
    SAMPLE_VECTORS as SAMPLE_VECTORS,
    aligned_sentences as aligned_sentences,
    fingerprint as fingerprint,
    languages as languages,
    questions as questions,
)
from .datasets.dataset_format import (
    Collection as Collection,
    DatasetFormat as DatasetFormat,
    Files as Files,
    Folder as Folder,
    ImportOption as ImportOption,
    Remote as Remote,
    dataset_format as dataset_format,
    dataset_formats as dataset_formats,
    read_dataset as read_dataset,
)
from .datasets.dataset_library import (
    HEADER as HEADER,
    DatasetInfo as DatasetInfo,
    DatasetLibrary as DatasetLibrary,
    DatasetMetadata as DatasetMetadata,
)
from .datasets.formats.table import (
    SEPARATOR as SEPARATOR,
    Columns as Columns,
    previewed as previewed,
    table_rows as table_rows,
)
from .datasets.importing import (
    Existing as Existing,
    ImportResult as ImportResult,
    datasets_over as datasets_over,
    import_collection as import_collection,
    rename_corpus as rename_corpus,
    sample_ids as sample_ids,
)
from .datasets.records import (
    NOTHING_IMPORTED as NOTHING_IMPORTED,
    Record as Record,
    checked_file as checked_file,
    json_records as json_records,
)
from .documents.chunking import DEFAULT as DEFAULT, NAMES as NAMES
from .documents.isolated_reading import OcrRequest as OcrRequest
from .documents.pdf.pdf_file import missing_for as missing_for
from .documents.reading import (
    DocumentReading as DocumentReading,
    ReadingOptions as ReadingOptions,
    ReadingReport as ReadingReport,
    add_files as add_files,
    corpora_having as corpora_having,
    is_of_files as is_of_files,
    preview as preview,
)
from .documents.rechunking import (
    MAPPING_VERSION as MAPPING_VERSION,
    GoldMap as GoldMap,
    checked_chunking as checked_chunking,
    find_sister as find_sister,
    rechunk as rechunk,
    sister_name as sister_name,
    sisters_of as sisters_of,
)
from .documents.wikipedia.article import ArticleSource as ArticleSource, ImportState as ImportState, Place as Place
from .documents.wikipedia.corpus_import import (
    SEEN_EVERY as SEEN_EVERY,
    WikipediaImport as WikipediaImport,
    forget_work as forget_work,
)
