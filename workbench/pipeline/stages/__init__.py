"""The stages that the chain of each mode is made of; `pipeline.stage` says what a stage is."""

from workbench.pipeline.stages.answering import DetectLanguage, Generate, GenerateByPart, ParseSections, ReadAnswer
from workbench.pipeline.stages.composing import Compose, ComposeDialectic
from workbench.pipeline.stages.compressing import Compress
from workbench.pipeline.stages.expanding import ExpandQuery
from workbench.pipeline.stages.searching import Augment, FilterPassages, Rerank, Retrieve
from workbench.pipeline.stages.translating import TranslateAnswer, TranslatePassages, TranslateQuestion

__all__ = [
    "Augment",
    "Compose",
    "ComposeDialectic",
    "Compress",
    "DetectLanguage",
    "ExpandQuery",
    "FilterPassages",
    "Generate",
    "GenerateByPart",
    "ParseSections",
    "ReadAnswer",
    "Rerank",
    "Retrieve",
    "TranslateAnswer",
    "TranslatePassages",
    "TranslateQuestion",
]
