from . import identifiers as identifiers
from .adapter import HOSTS as HOSTS
from .endpoint_file import (
    KNOWN as KNOWN,
    NamedEndpoint as NamedEndpoint,
    endpoints as endpoints,
    remove_endpoint as remove_endpoint,
    save_endpoint as save_endpoint,
    workspace_endpoints as workspace_endpoints,
)
from .factory import EncoderSpread as EncoderSpread
from .identifiers import (
    IdentifierChoice as IdentifierChoice,
    IdentifierInUse as IdentifierInUse,
    identifier as identifier,
    identifier_choice as identifier_choice,
    identifier_in_use as identifier_in_use,
    is_identifier as is_identifier,
)
from .inventory import (
    ROLES as ROLES,
    Entry as Entry,
    Key as Key,
    Trial as Trial,
    adapter_words as adapter_words,
    choices as choices,
    index_command as index_command,
)
from .model_servers import (
    ModelServer as ModelServer,
    ServerModel as ServerModel,
    choose_generator as choose_generator,
    default_generator as default_generator,
    default_problem as default_problem,
    find_models as find_models,
    model_title as model_title,
    refusal as refusal,
    with_default_generator as with_default_generator,
)
from .prices import FACT as FACT, Pricing as Pricing
from .ray.ray_pool import RayChoice as RayChoice, ray_choice as ray_choice, ray_pool as ray_pool
from .ray.ray_stages import RaySpread as RaySpread, RayStages as RayStages, check_local as check_local
from .references import (
    adapters_for as adapters_for,
    check_name as check_name,
    checked_judge as checked_judge,
    install_command as install_command,
    known_models as known_models,
    missing_packages as missing_packages,
    reference as reference,
)
from .registry import Registry as Registry
from .retrievers import searches_on_demand as searches_on_demand, unknown_languages as unknown_languages
from .tuned_models import (
    CurvePoint as CurvePoint,
    TrainingData as TrainingData,
    TrainingRecord as TrainingRecord,
    TunedCard as TunedCard,
    TunedModels as TunedModels,
    base_files as base_files,
)
