from . import download as download, key_policy as key_policy, known as known
from .download import DownloadPlan as DownloadPlan, Downloads as Downloads, plan_download as plan_download
from .e5_small import (
    SHA256 as SHA256,
    E5SmallTokenizer as E5SmallTokenizer,
    E5SmallWeights as E5SmallWeights,
    Tokens as Tokens,
    is_e5_small_installed as is_e5_small_installed,
    read_weights as read_weights,
    weights_path as weights_path,
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
    LiveText as LiveText,
    StreamingGenerator as StreamingGenerator,
    TokenLimits as TokenLimits,
    as_llama_llm as as_llama_llm,
)
from .llm.cost import (
    PricedUsage as PricedUsage,
    PriceTable as PriceTable,
    estimated_tokens as estimated_tokens,
    load_prices as load_prices,
)
from .llm.endpoint import (
    AT_ONCE as AT_ONCE,
    REST as REST,
    TURNS as TURNS,
    Endpoint as Endpoint,
    addresses as addresses,
    host_and_port as host_and_port,
    is_host_failure as is_host_failure,
    retry_after as retry_after,
)
from .llm.huggingface import (
    Device as Device,
    HuggingFaceGenerator as HuggingFaceGenerator,
    Quantised as Quantised,
    chat_messages as chat_messages,
    merge_adapter as merge_adapter,
    pretrained as pretrained,
)
from .llm.llm_generator import LLMGenerator as LLMGenerator
from .llm.retrying import RetryPolicy as RetryPolicy, in_parallel as in_parallel
from .llm.served_models import MOMENT as MOMENT, served_models as served_models
from .llm.sources import LlamaIndexSource as LlamaIndexSource, PooledSource as PooledSource
from .local import (
    BatchSize as BatchSize,
    LocalModel as LocalModel,
    Resident as Resident,
    find_model as find_model,
    half_precision as half_precision,
    in_batches as in_batches,
    longest_input as longest_input,
    out_of_memory as out_of_memory,
    require_architecture as require_architecture,
    require_files as require_files,
    torch_device as torch_device,
)
from .smollm2 import MAKING as MAKING
from .translation.builtin_translator import BuiltinTranslator as BuiltinTranslator
from .translation.model_translators import LlmTranslator as LlmTranslator, NllbTranslator as NllbTranslator
from .translation.services import (
    TRANSLATION_SERVICES as TRANSLATION_SERVICES,
    TranslationService as TranslationService,
    online_translator as online_translator,
)
from .translation.translation_memory import TranslationMemory as TranslationMemory, Unit as Unit, write_tmx as write_tmx
