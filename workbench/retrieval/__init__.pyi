from .balance import BalancedRetriever as BalancedRetriever, LevelledSearch as LevelledSearch
from .dense import DenseIndex as DenseIndex
from .encoders.bge_m3 import BgeM3 as BgeM3, BgeM3Dense as BgeM3Dense, BgeM3Sparse as BgeM3Sparse
from .encoders.builtin.builtin_encoder import (
    ANCHORS as ANCHORS,
    BUILTIN_VERSION as BUILTIN_VERSION,
    BuiltinEncoder as BuiltinEncoder,
)
from .encoders.builtin.latent_space import unit_dense as unit_dense
from .encoders.e5_small.e5_small_encoder import MEANS as MEANS, E5SmallEncoder as E5SmallEncoder
from .encoders.e5_small.known_languages import knows_language as knows_language
from .encoders.language_means import CentredEncoder as CentredEncoder, LanguageMeans as LanguageMeans
from .encoders.llama_index_encoder import embedding_identity as embedding_identity
from .encoders.resumable_encoder import CheckpointedEncoder as CheckpointedEncoder
from .encoders.sentence_transformers import SentenceTransformersEncoder as SentenceTransformersEncoder
from .encoders.services import (
    cohere_encoder as cohere_encoder,
    named_encoder as named_encoder,
    openai_like_encoder as openai_like_encoder,
)
from .encoders.splade import SpladeEncoder as SpladeEncoder
from .encoders.vector_cache import (
    FOLDER as FOLDER,
    CachedEncoder as CachedEncoder,
    ShippedVectors as ShippedVectors,
    VectorCache as VectorCache,
)
from .fusion import (
    CC_NORMALISATION as CC_NORMALISATION,
    DEPTH as DEPTH,
    RRF_K as RRF_K,
    Normalisation as Normalisation,
    reciprocal_rank as reciprocal_rank,
)
from .hybrid import Fusion as Fusion, HybridRetriever as HybridRetriever
from .index_manifest import HINT as HINT, manifest_path as manifest_path, read_manifest as read_manifest
from .joined import JoinedRetriever as JoinedRetriever
from .lexical import LexicalIndex as LexicalIndex
from .llama_nodes import as_llama_retriever as as_llama_retriever, to_node as to_node
from .milvus.bm25_vectors import BM25_VERSION as BM25_VERSION, passage_vectors as passage_vectors
from .milvus.milvus_address import MilvusAddress as MilvusAddress
from .milvus.milvus_collection import EXACT_ROWS as EXACT_ROWS, MilvusCollection as MilvusCollection
from .milvus.milvus_connection import client as client
from .milvus.milvus_dense import MilvusDenseIndex as MilvusDenseIndex, stored_dense as stored_dense
from .milvus.milvus_errors import INSTALL as INSTALL
from .milvus.milvus_lexical import MilvusLexicalIndex as MilvusLexicalIndex
from .milvus.milvus_sparse import (
    MilvusSparseIndex as MilvusSparseIndex,
    sparse_vectors as sparse_vectors,
    stored_sparse as stored_sparse,
)
from .parts.index_layout import last_row as last_row, remove_unnamed as remove_unnamed
from .rerank.colbert import BgeM3Reranker as BgeM3Reranker
from .rerank.colbert_v2 import ColbertReranker as ColbertReranker
from .rerank.cross_encoder import CrossEncoderReranker as CrossEncoderReranker
from .rerank.flag import FlagLLMReranker as FlagLLMReranker, FlagReranker as FlagReranker
from .rerank.llama_index_reranker import LOCAL_POSTPROCESSORS as LOCAL_POSTPROCESSORS, NamedReranker as NamedReranker
from .rerank.monot5 import MonoT5Reranker as MonoT5Reranker
from .rerank.rankgpt import RankGptReranker as RankGptReranker
from .rerank.tart import TartReranker as TartReranker
from .rerank.upr import UprReranker as UprReranker
from .sentence_index import (
    SENTENCE_SHARE as SENTENCE_SHARE,
    SentenceIndex as SentenceIndex,
    SentenceRescoring as SentenceRescoring,
    count_sentences as count_sentences,
    sentence_passages as sentence_passages,
)
from .shards import StoredParts as StoredParts
from .sparse import SparseEncoder as SparseEncoder, SparseIndex as SparseIndex
from .vector_search import VectorSearch as VectorSearch
