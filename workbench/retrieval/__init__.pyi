from .balance import BalancedRetriever as BalancedRetriever, LevelledSearch as LevelledSearch
from .dense import DenseIndex as DenseIndex, VectorSearch as VectorSearch
from .encoded_index import StoredParts as StoredParts, last_row as last_row, remove_unnamed as remove_unnamed
from .encoders.bge_m3 import BgeM3 as BgeM3, BgeM3Dense as BgeM3Dense, BgeM3Sparse as BgeM3Sparse
from .encoders.builtin_encoder import (
    ANCHORS as ANCHORS,
    BUILTIN_VERSION as BUILTIN_VERSION,
    BuiltinEncoder as BuiltinEncoder,
)
from .encoders.e5_small_encoder import (
    MEANS as MEANS,
    E5SmallEncoder as E5SmallEncoder,
    knows_language as knows_language,
)
from .encoders.language_means import CentredEncoder as CentredEncoder, LanguageMeans as LanguageMeans
from .encoders.late_interaction import LateInteraction as LateInteraction
from .encoders.latent_space import unit_dense as unit_dense
from .encoders.sentence_transformers import (
    SentenceTransformersEncoder as SentenceTransformersEncoder,
    SpladeEncoder as SpladeEncoder,
)
from .encoders.services import (
    cohere_encoder as cohere_encoder,
    embedding_identity as embedding_identity,
    named_encoder as named_encoder,
    openai_like_encoder as openai_like_encoder,
)
from .encoders.vector_cache import (
    FOLDER as FOLDER,
    CachedEncoder as CachedEncoder,
    CheckpointedEncoder as CheckpointedEncoder,
    ShippedVectors as ShippedVectors,
    VectorCache as VectorCache,
)
from .hybrid import (
    CC_NORMALISATION as CC_NORMALISATION,
    DEPTH as DEPTH,
    RRF_K as RRF_K,
    Fusion as Fusion,
    HybridRetriever as HybridRetriever,
    Normalisation as Normalisation,
    reciprocal_rank as reciprocal_rank,
)
from .index_files import HINT as HINT, manifest_path as manifest_path, read_manifest as read_manifest
from .joined import JoinedRetriever as JoinedRetriever
from .lexical import LexicalIndex as LexicalIndex
from .milvus.collection import EXACT_ROWS as EXACT_ROWS, MilvusCollection as MilvusCollection
from .milvus.connection import INSTALL as INSTALL, MilvusAddress as MilvusAddress, client as client
from .milvus.indexes import (
    BM25_VERSION as BM25_VERSION,
    MilvusDenseIndex as MilvusDenseIndex,
    MilvusLexicalIndex as MilvusLexicalIndex,
    MilvusSparseIndex as MilvusSparseIndex,
    passage_vectors as passage_vectors,
    sparse_vectors as sparse_vectors,
    stored_dense as stored_dense,
    stored_sparse as stored_sparse,
)
from .rerank.colbert import BgeM3Reranker as BgeM3Reranker, ColbertReranker as ColbertReranker
from .rerank.cross_encoders import (
    CrossEncoderReranker as CrossEncoderReranker,
    FlagLLMReranker as FlagLLMReranker,
    FlagReranker as FlagReranker,
)
from .rerank.llama_index import (
    LOCAL_POSTPROCESSORS as LOCAL_POSTPROCESSORS,
    NamedReranker as NamedReranker,
    RankGptReranker as RankGptReranker,
    as_llama_retriever as as_llama_retriever,
    to_node as to_node,
)
from .rerank.t5 import MonoT5Reranker as MonoT5Reranker, TartReranker as TartReranker, UprReranker as UprReranker
from .sentence_index import (
    SENTENCE_SHARE as SENTENCE_SHARE,
    SentenceIndex as SentenceIndex,
    SentenceRescoring as SentenceRescoring,
    count_sentences as count_sentences,
    sentence_passages as sentence_passages,
)
from .sparse import SparseEncoder as SparseEncoder, SparseIndex as SparseIndex
