from . import ranking as ranking
from .answers.abstention import abstains as abstains
from .answers.char3_recall import char3_recall as char3_recall
from .answers.choices import (
    KINDS as KINDS,
    Reading as Reading,
    claimant_names as claimant_names,
    read_choice as read_choice,
)
from .answers.em_f1 import em as em
from .answers.flexible_em import UNSPACED as UNSPACED, flexible_em as flexible_em
from .answers.semscore import semscore_with as semscore_with
from .case_report import (
    Aggregate as Aggregate,
    Figures as Figures,
    Report as Report,
    chance_level as chance_level,
    score_cases as score_cases,
)
from .catalogue import (
    AGAINST_GOLDS as AGAINST_GOLDS,
    BY_IDENTIFIER as BY_IDENTIFIER,
    FORMAT_FAILURE as FORMAT_FAILURE,
    MEASURES as MEASURES,
    Scale as Scale,
    measures_with as measures_with,
    metric_help as metric_help,
    metric_name as metric_name,
    scale_of as scale_of,
    well_formed_name as well_formed_name,
)
from .concurrence import (
    CONCURRENCE as CONCURRENCE,
    Territory as Territory,
    answers_agree as answers_agree,
    concurrence as concurrence,
    home_claimant as home_claimant,
)
from .consistency import (
    CONSISTENCY as CONSISTENCY,
    answer_overlap as answer_overlap,
    both_right as both_right,
    same_order as same_order,
    shared_documents as shared_documents,
)
from .judged.judge import (
    DEFAULT_JUDGE_LANGUAGE as DEFAULT_JUDGE_LANGUAGE,
    IN_ANSWER_LANGUAGE as IN_ANSWER_LANGUAGE,
    NAMES as NAMES,
    OF_CANDIDATES as OF_CANDIDATES,
    WITHOUT_ANSWER as WITHOUT_ANSWER,
    JudgePrompt as JudgePrompt,
    PromptLanguage as PromptLanguage,
    Reply as Reply,
    judged_by as judged_by,
    judged_name as judged_name,
    language_pairs as language_pairs,
    metric_in as metric_in,
    prompt_languages as prompt_languages,
    verdict_in as verdict_in,
)
from .measure import Case as Case, Measure as Measure, Score as Score
from .published.published_figures import (
    PUBLISHED_MEASURES as PUBLISHED_MEASURES,
    published_figures as published_figures,
    published_tables as published_tables,
)
from .ranking import (
    RANKING_MEASURES as RANKING_MEASURES,
    GoldLanguages as GoldLanguages,
    LanguageBias as LanguageBias,
    RankedList as RankedList,
    RankingScores as RankingScores,
    Shares as Shares,
    gold_in_scope as gold_in_scope,
    language_bias as language_bias,
    language_shares as language_shares,
    score_rankings as score_rankings,
    trec_lines as trec_lines,
    trec_run as trec_run,
    trec_word as trec_word,
)
from .statistics.agreement import (
    Agreement as Agreement,
    AssociationFigure as AssociationFigure,
    association_figure as association_figure,
    auc as auc,
    auc_reach as auc_reach,
    binary_kappa as binary_kappa,
    cohen_kappa as cohen_kappa,
    coincidences as coincidences,
    kendall_tau_b as kendall_tau_b,
    krippendorff_alpha as krippendorff_alpha,
    pearson_r as pearson_r,
    question_weights as question_weights,
)
from .statistics.intervals import (
    LABELS_AT_LEAST as LABELS_AT_LEAST,
    CorrectedMean as CorrectedMean,
    Floats as Floats,
    Interval as Interval,
    JudgedSample as JudgedSample,
    corrected_mean as corrected_mean,
    detectable_by as detectable_by,
    holm as holm,
    influences as influences,
    mean_interval as mean_interval,
    not_zero as not_zero,
    permutation_p as permutation_p,
    permutation_ps as permutation_ps,
    sample_needed as sample_needed,
    smallest_detectable as smallest_detectable,
)
