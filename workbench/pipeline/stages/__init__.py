"""The stages that modes are made of; `contract` says what a stage is."""

from workbench.pipeline.stages.answering import DetectLanguage, Detector, Generate, GenerateByPart, ParseSections
from workbench.pipeline.stages.composing import Compose, ComposeDialectic
from workbench.pipeline.stages.contract import PIVOT, Chain, Facts, Stage
from workbench.pipeline.stages.searching import Passages, Rerank, Retrieve
from workbench.pipeline.stages.translating import TranslateAnswer, TranslatePassages, TranslateQuestion

__all__ = [
    "PIVOT",
    "Chain",
    "Compose",
    "ComposeDialectic",
    "DetectLanguage",
    "Detector",
    "Facts",
    "Generate",
    "GenerateByPart",
    "ParseSections",
    "Passages",
    "Rerank",
    "Retrieve",
    "Stage",
    "TranslateAnswer",
    "TranslatePassages",
    "TranslateQuestion",
]
