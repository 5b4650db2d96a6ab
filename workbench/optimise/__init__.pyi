from .forecast import (
    Forecast as Forecast,
    forecast as forecast,
    most_recipes as most_recipes,
)
from .recipe_evaluator import (
    hosts_of_space as hosts_of_space,
    is_built_in as is_built_in,
    winner_experiment as winner_experiment,
)
from .report_words import (
    NO_SHARE as NO_SHARE,
    comparison_words as comparison_words,
    forecast_lines as forecast_lines,
    headline as headline,
    idle_words as idle_words,
    language_words as language_words,
    luck_words as luck_words,
    size_words as size_words,
    verdict as verdict,
)
from .search_figures import MeanFigure as MeanFigure, NodeFigures as NodeFigures
from .search_report import ReportedRecipe as ReportedRecipe, SearchReport as SearchReport, report_of as report_of
from .search_store import SearchJobs as SearchJobs, SearchRow as SearchRow
from .search_trial import (
    FirstEstimate as FirstEstimate,
    SearchTrials as SearchTrials,
    first_estimate as first_estimate,
    forecast_of as forecast_of,
)
from .selection.chance import needed_rows as needed_rows
from .space.autorag.autorag_file import AutoragNote as AutoragNote
from .space.autorag.autorag_writing import autorag_of as autorag_of
from .space.autorag.autorag_yaml import read_space as read_space, read_space_file as read_space_file
from .space.search_space import COUNTED as COUNTED, SearchSpace as SearchSpace, SpaceNode as SpaceNode
from .space.space_files import (
    edited_space as edited_space,
    example_space as example_space,
    example_spaces as example_spaces,
    space_to_yaml as space_to_yaml,
)
from .spending import Cap as Cap, SearchOptions as SearchOptions
from .strategies.strategy_catalogue import (
    DEFAULT_STRATEGY as DEFAULT_STRATEGY,
    STRATEGIES as STRATEGIES,
    strategy_facts as strategy_facts,
)
