from . import download as download, key_policy as key_policy, known as known
from .background import Downloads as Downloads
from .download import DownloadPlan as DownloadPlan, plan_download as plan_download
from .e5_small.tokenizer import tokenizer_of as tokenizer_of
from .e5_small.weights_file import (
    SHA256 as SHA256,
    E5SmallWeights as E5SmallWeights,
    is_e5_small_installed as is_e5_small_installed,
    read_weights as read_weights,
    weights_path as weights_path,
)
from .host_turns import (
    AT_ONCE as AT_ONCE,
    REST as REST,
    TURNS as TURNS,
    addresses as addresses,
    is_host_failure as is_host_failure,
    retry_after as retry_after,
)
from .key_policy import (
    check_endpoint as check_endpoint,
    foreign_headers as foreign_headers,
    is_this_machine as is_this_machine,
    key_for as key_for,
)
from .known import GIGA as GIGA, Model as Model, Value as Value, known_models as known_models
from .llama_classes import (
    EMBEDDING as EMBEDDING,
    KINDS as KINDS,
    LLM as LLM,
    POSTPROCESSOR as POSTPROCESSOR,
    LlamaClass as LlamaClass,
)
from .llm.conversation import (
    JUDGE_LIMITS as JUDGE_LIMITS,
    RANKING_LIMITS as RANKING_LIMITS,
    REWRITING_LIMITS as REWRITING_LIMITS,
    TRANSLATION_LIMITS as TRANSLATION_LIMITS,
    TokenLimits as TokenLimits,
)
from .llm.cost import (
    PricedUsage as PricedUsage,
    PriceTable as PriceTable,
    estimated_tokens as estimated_tokens,
    load_prices as load_prices,
)
from .llm.endpoint import Endpoint as Endpoint
from .llm.huggingface import Device as Device, HuggingFaceGenerator as HuggingFaceGenerator
from .llm.live_text import LiveText as LiveText, StreamingGenerator as StreamingGenerator
from .llm.llama_llm import as_llama_llm as as_llama_llm
from .llm.llm_generator import LLMGenerator as LLMGenerator
from .llm.local_llm import Quantised as Quantised
from .llm.pooled_source import PooledSource as PooledSource
from .llm.retrying import RetryPolicy as RetryPolicy, in_parallel as in_parallel
from .llm.sources import LlamaIndexSource as LlamaIndexSource
from .local import (
    LocalModel as LocalModel,
    find_model as find_model,
    longest_input as longest_input,
    require_architecture as require_architecture,
    require_files as require_files,
)
from .resident import Resident as Resident, half_precision as half_precision
from .translation.llm_translator import LlmTranslator as LlmTranslator
from .translation.memory.builtin_translator import BuiltinTranslator as BuiltinTranslator
from .translation.memory.tmx import Unit as Unit, write_tmx as write_tmx
from .translation.memory.translation_memory import TranslationMemory as TranslationMemory
from .translation.nllb import NllbTranslator as NllbTranslator
from .translation.services.service_catalogue import (
    TRANSLATION_SERVICES as TRANSLATION_SERVICES,
    online_translator as online_translator,
)
from .translation.services.service_translator import TranslationService as TranslationService
