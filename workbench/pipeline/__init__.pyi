from .answering import (
    Compose as Compose,
    ComposeDialectic as ComposeDialectic,
    Compress as Compress,
    Generate as Generate,
)
from .chain import (
    SEARCH_NOTHING as SEARCH_NOTHING,
    build_chain as build_chain,
    same_chain as same_chain,
    search_stages as search_stages,
)
from .choices import (
    EXPLAINED as EXPLAINED,
    MODES as MODES,
    SCOPES as SCOPES,
    SEARCHED as SEARCHED,
    TITLES as TITLES,
    EmptyScopeError as EmptyScopeError,
    Node as Node,
    languages_in as languages_in,
    mode as mode,
    scope as scope,
)
from .executor import (
    SECONDS as SECONDS,
    Cache as Cache,
    Executor as Executor,
    InThisProcess as InThisProcess,
    NoCache as NoCache,
    OnStep as OnStep,
    StageRunner as StageRunner,
    StepCounts as StepCounts,
    StepGuard as StepGuard,
    StepKeys as StepKeys,
    StepOutcome as StepOutcome,
    TracedState as TracedState,
    added_fields as added_fields,
    ignore_progress as ignore_progress,
)
from .fields import (
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
from .prompts.compose import instructions_of as instructions_of
from .prompts.dialectic import (
    OPTIONAL as OPTIONAL,
    PART_LABELS as PART_LABELS,
    format_failure as format_failure,
    parse as parse,
)
from .prompts.variants import (
    DEFAULT_VARIANT as DEFAULT_VARIANT,
    PROMPTS as PROMPTS,
    VARIANTS as VARIANTS,
    answer_language as answer_language,
    variant as variant,
)
from .published_recipes import (
    ShippedRecipe as ShippedRecipe,
    recipe_named as recipe_named,
    shipped_recipe as shipped_recipe,
    shipped_recipes as shipped_recipes,
)
from .reader.claims import same_name as same_name
from .reader.extractive import UNSURE as UNSURE, ExtractiveReader as ExtractiveReader
from .reader.likeness_reranker import LikenessReranker as LikenessReranker
from .reader.values import answer_value as answer_value
from .recipe import (
    BUILTIN as BUILTIN,
    DEFAULT_ENCODER as DEFAULT_ENCODER,
    E5_SMALL as E5_SMALL,
    EXTRACTIVE as EXTRACTIVE,
    FORM as FORM,
    LIKENESS as LIKENESS,
    PASS as PASS,
    TEXT_LIMIT as TEXT_LIMIT,
    Dialectic as Dialectic,
    Recipe as Recipe,
    RetrieverName as RetrieverName,
    make_recipe as make_recipe,
    recipe_from_file as recipe_from_file,
    recipe_to_yaml as recipe_to_yaml,
)
from .rewriting import (
    PassageCompressor as PassageCompressor,
    QueryExpander as QueryExpander,
    QuestionContextualiser as QuestionContextualiser,
    recent_messages as recent_messages,
)
from .searching import Contextualise as Contextualise, ExpandQuery as ExpandQuery
from .stage import (
    BoundStage as BoundStage,
    Chain as Chain,
    ChainOrigin as ChainOrigin,
    Facts as Facts,
    ModelStage as ModelStage,
    Stage as Stage,
    State as State,
    StateStage as StateStage,
    bind as bind,
)
from .translating import TranslatePassages as TranslatePassages
