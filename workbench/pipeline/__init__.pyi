from .chain import SEARCH_NOTHING as SEARCH_NOTHING, build_chain as build_chain, search_stages as search_stages
from .executor import (
    Cache as Cache,
    Executor as Executor,
    InThisProcess as InThisProcess,
    NoCache as NoCache,
    OnStep as OnStep,
    StageRunner as StageRunner,
    StepCounts as StepCounts,
    StepGuard as StepGuard,
    StepOutcome as StepOutcome,
    TracedState as TracedState,
    ignore_progress as ignore_progress,
)
from .prompts.compose import list_documents as list_documents
from .prompts.sections import format_failure as format_failure
from .prompts.variant import (
    DEFAULT_VARIANT as DEFAULT_VARIANT,
    PROMPTS as PROMPTS,
    VARIANTS as VARIANTS,
    answer_language as answer_language,
    variant as variant,
)
from .reader.extractive import ExtractiveReader as ExtractiveReader
from .recipes.field_description import Node as Node
from .recipes.mode import MODES as MODES, mode as mode
from .recipes.recipe import (
    BUILTIN as BUILTIN,
    DEFAULT_ENCODER as DEFAULT_ENCODER,
    E5_SMALL as E5_SMALL,
    EXTRACTIVE as EXTRACTIVE,
    FORM as FORM,
    PASS as PASS,
    TEXT_LIMIT as TEXT_LIMIT,
    Recipe as Recipe,
    RetrieverName as RetrieverName,
    make_recipe as make_recipe,
    recipe_from_file as recipe_from_file,
    recipe_to_yaml as recipe_to_yaml,
)
from .recipes.recipe_fields import (
    NO as NO,
    YES as YES,
    RecipeField as RecipeField,
    effective as effective,
    field_names as field_names,
    field_title as field_title,
    fields_in_chain as fields_in_chain,
    fields_of_node as fields_of_node,
    fields_table as fields_table,
    flat as flat,
    from_words as from_words,
    model_fields as model_fields,
    nested as nested,
    recipe_field as recipe_field,
    recipe_fields as recipe_fields,
    stored_words as stored_words,
    suggestions as suggestions,
    without_effect as without_effect,
    words as words,
)
from .recipes.scope import (
    EXPLAINED as EXPLAINED,
    SCOPES as SCOPES,
    TITLES as TITLES,
    EmptyScopeError as EmptyScopeError,
    languages_in as languages_in,
    scope as scope,
)
from .recipes.shipped import (
    ShippedRecipe as ShippedRecipe,
    shipped_recipe as shipped_recipe,
    shipped_recipes as shipped_recipes,
)
from .rewriting.passage_compressor import PassageCompressor as PassageCompressor
from .rewriting.query_expander import QueryExpander as QueryExpander
from .stage import (
    BatchStage as BatchStage,
    BoundStage as BoundStage,
    Chain as Chain,
    ChainOrigin as ChainOrigin,
    Facts as Facts,
    Stage as Stage,
    bind as bind,
)
from .stages.answering import Generate as Generate
from .stages.calling import ModelStage as ModelStage
from .stages.compressing import Compress as Compress
from .stages.expanding import ExpandQuery as ExpandQuery
from .stages.translating import TranslatePassages as TranslatePassages
from .state import State as State
from .step_keys import SECONDS as SECONDS, StepKeys as StepKeys, added_fields as added_fields
