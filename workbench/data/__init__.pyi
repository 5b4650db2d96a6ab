from .corpora.browsing import (
    DocumentEntry as DocumentEntry,
    document_page as document_page,
    passage_of as passage_of,
    passage_page as passage_page,
)
from .corpora.build import DENSE as DENSE, LEXICAL as LEXICAL, Progress as Progress, quiet as quiet
from .corpora.corpus import Corpus as Corpus
from .corpora.corpus_library import CorpusLibrary as CorpusLibrary, checked_name as checked_name
from .corpora.encoded_indexes import (
    complete_indexes as complete_indexes,
    damaged_indexes as damaged_indexes,
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
from .corpora.gold_places import GoldLanguages as GoldLanguages, GoldPlaces as GoldPlaces
from .corpora.manifest import CorpusManifest as CorpusManifest, read_manifest as read_manifest
from .corpora.neighbours import NeighbourAugmenter as NeighbourAugmenter
from .corpora.sample.content import (
    SAMPLE as SAMPLE,
    aligned_sentences as aligned_sentences,
    fingerprint as fingerprint,
    languages as languages,
    questions as questions,
)
from .corpora.sample.vectors import SAMPLE_VECTORS as SAMPLE_VECTORS
from .corpora.stores.collection_drops import (
    drop as drop,
    left as left,
    left_words as left_words,
    places_of as places_of,
    remember as remember,
)
from .corpora.stores.store_file import (
    PUSHING as PUSHING,
    STORE as STORE,
    IndexStore as IndexStore,
    StoredCollection as StoredCollection,
    StoreState as StoreState,
    read_store as read_store,
    write_store as write_store,
)
from .corpora.stores.store_search import lexical_identity as lexical_identity
from .datasets.collection import Collection as Collection
from .datasets.dataset_format import (
    DatasetFormat as DatasetFormat,
    Files as Files,
    Folder as Folder,
    ImportOption as ImportOption,
    Remote as Remote,
)
from .datasets.dataset_header import HEADER as HEADER, DatasetInfo as DatasetInfo, DatasetMetadata as DatasetMetadata
from .datasets.dataset_library import DatasetLibrary as DatasetLibrary
from .datasets.files.record import NOTHING_IMPORTED as NOTHING_IMPORTED, Record as Record
from .datasets.files.text_files import checked_file as checked_file, json_records as json_records
from .datasets.format_registry import (
    dataset_format as dataset_format,
    dataset_formats as dataset_formats,
    read_dataset as read_dataset,
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
from .datasets.question_browsing import (
    gold_passages as gold_passages,
    in_every_language as in_every_language,
    question_page as question_page,
)
from .documents.chunking import DEFAULT as DEFAULT, NAMES as NAMES
from .documents.citation import ENDINGS as ENDINGS, citation as citation
from .documents.cited_page import (
    CitedPage as CitedPage,
    cited_page as cited_page,
    marked_image as marked_image,
    page_images as page_images,
)
from .documents.corpus_files import add_files as add_files
from .documents.document_parts import OcrRequest as OcrRequest
from .documents.pdf.ocr import missing_for as missing_for
from .documents.reading import (
    DocumentReading as DocumentReading,
    ReadingOptions as ReadingOptions,
    ReadingReport as ReadingReport,
    preview as preview,
)
from .documents.rechunking.gold_mapping import MAPPING_VERSION as MAPPING_VERSION, GoldMap as GoldMap
from .documents.rechunking.sister_corpus import (
    checked_chunking as checked_chunking,
    find_sister as find_sister,
    rechunk as rechunk,
    sister_name as sister_name,
    sisters_of as sisters_of,
)
from .documents.wikipedia.article import ArticleSource as ArticleSource, Place as Place
from .documents.wikipedia.corpus_import import (
    SEEN_EVERY as SEEN_EVERY,
    WikipediaImport as WikipediaImport,
    forget_work as forget_work,
)
from .documents.wikipedia.streamed_import import ImportState as ImportState
