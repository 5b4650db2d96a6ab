from .answer_consistency import (
    SAME as SAME,
    ConsistencyMatrix as ConsistencyMatrix,
    SideAnswer as SideAnswer,
    SideDocument as SideDocument,
    against_golds as against_golds,
    consistency as consistency,
    document_places as document_places,
    matrix_csv as matrix_csv,
    places_csv as places_csv,
    side_answer as side_answer,
    sides_csv as sides_csv,
)
from .answer_parts import (
    ArgumentClaim as ArgumentClaim,
    answer_claims as answer_claims,
    answer_to_json as answer_to_json,
    argument_claims as argument_claims,
    claims_csv as claims_csv,
    plain as plain,
    step_to_json as step_to_json,
)
from .background_answer import (
    AnswerGroup as AnswerGroup,
    AnswerProgress as AnswerProgress,
    BackgroundAnswer as BackgroundAnswer,
    StreamObserver as StreamObserver,
)
from .doctor import Check as Check, essentials as essentials, examine as examine
from .question import (
    LazySearchComponents as LazySearchComponents,
    checked_question as checked_question,
    detect_question as detect_question,
    is_unsure as is_unsure,
)
from .retrieval_evaluation import evaluate_retrieval as evaluate_retrieval
from .workbench import Workbench as Workbench, warm_up as warm_up
