"""Voir Dire puts a visual question answering or visual dialogue model on the stand.

Everything public is here by name and loaded when it is first used, so that `import voirdire` costs nothing.
"""

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from voirdire._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from voirdire.answers.rank import rank_answers as _rank_answers
    from voirdire.answers.score import score_answers as _score_answers
    from voirdire.answers.score import score_bounds as _score_bounds
    from voirdire.asking import ask_model as ask_model
    from voirdire.asking import run_exam as run_exam
    from voirdire.conversion.convert import convert as convert
    from voirdire.conversion.layouts import ConvertOptions as ConvertOptions
    from voirdire.errors import InputError as InputError
    from voirdire.errors import VoirDireError as VoirDireError
    from voirdire.exam import Ask as Ask
    from voirdire.exam import Differ as Differ
    from voirdire.exam import Exam as Exam
    from voirdire.exam import Hint as Hint
    from voirdire.exam import Input as Input
    from voirdire.exam import InSession as InSession
    from voirdire.exam import Outcome as Outcome
    from voirdire.exam import Output as Output
    from voirdire.exam import PaperTable as PaperTable
    from voirdire.exam import Part as Part
    from voirdire.exam import Study as Study
    from voirdire.exam import check_exam as check_exam
    from voirdire.exam import exams as exams
    from voirdire.exam import read_run as read_run
    from voirdire.formats.coco import read_coco as read_coco
    from voirdire.formats.dialogues import read_dialogues as read_dialogues
    from voirdire.formats.generations import read_generations as read_generations
    from voirdire.formats.guesswhat import read_games as read_games
    from voirdire.formats.judgements import read_judgements as read_judgements
    from voirdire.formats.model_judgements import read_model_judgements as read_model_judgements
    from voirdire.formats.option_numbers import read_dense as read_dense
    from voirdire.formats.option_numbers import read_ranks as read_ranks
    from voirdire.formats.option_numbers import read_scores as read_scores
    from voirdire.formats.propositions import read_propositions as read_propositions
    from voirdire.formats.references import read_references as read_references
    from voirdire.formats.scenes import read_scenes as read_scenes
    from voirdire.formats.selections import read_selections as read_selections
    from voirdire.formats.states import read_states as read_states
    from voirdire.formats.visdial import read_visdial as read_visdial
    from voirdire.formats.vqa_annotations import read_vqa_annotations as read_vqa_annotations
    from voirdire.formats.vqa_questions import read_vqa_questions as read_vqa_questions
    from voirdire.formats.vqa_results import read_vqa_results as read_vqa_results
    from voirdire.live.endpoint_model import EndpointModel as EndpointModel
    from voirdire.live.interview import Interview as Interview
    from voirdire.live.model import AnswerTask as AnswerTask
    from voirdire.live.model import LiveModel as LiveModel
    from voirdire.live.model import Reply as Reply
    from voirdire.metrics.measure import Measure as Measure
    from voirdire.options import Options as Options
    from voirdire.options import option as option
    from voirdire.progress import Stages as Stages
    from voirdire.questions.score import score_questions as _score_questions
    from voirdire.report.from_python import write_report as write_report
    from voirdire.robustness.accuracy import score_vqa as _score_vqa
    from voirdire.robustness.score import compare_rankers as _compare_rankers
    from voirdire.robustness.score import score_robustness as _score_robustness
    from voirdire.runs import Run as Run
    from voirdire.runs import estimate as estimate
    from voirdire.runs import write_run as write_run
    from voirdire.runs.view import View as View
    from voirdire.runs.view import estimate_views as estimate_views
    from voirdire.scorekeeping.dialogue_states import encode_states as encode_states
    from voirdire.scorekeeping.humans import score_judges as _score_judges
    from voirdire.scorekeeping.judge import score_judgements as _score_judgements
    from voirdire.scorekeeping.probe.score import probe_states as _probe_states
    from voirdire.text.coreference import resolver as resolver
    from voirdire.text.encoders import encoder as encoder
    from voirdire.text.tagging import tagger as tagger
    from voirdire.validation import validate as validate
    from voirdire.verdict.comparison import compare_runs as compare_runs
    from voirdire.verdict.planning import plan_interval as plan_interval
    from voirdire.verdict.planning import plan_power as plan_power
    from voirdire.world.build import build_world as build_world
    from voirdire.world.witnesses import make_state_witness as make_state_witness
    from voirdire.world.witnesses import make_witness as make_witness

    _T = TypeVar("_T")

    def _with_files(function: Callable[..., _T]) -> Callable[..., _T]:
        """A function of a part as `__getattr__` gives it: it takes files for records, and options one by one."""
        ...

    rank_answers = _with_files(_rank_answers)
    score_answers = _with_files(_score_answers)
    score_bounds = _with_files(_score_bounds)
    score_questions = _with_files(_score_questions)
    score_vqa = _with_files(_score_vqa)
    compare_rankers = _with_files(_compare_rankers)
    score_robustness = _with_files(_score_robustness)
    score_judges = _with_files(_score_judges)
    score_judgements = _with_files(_score_judgements)
    probe_states = _with_files(_probe_states)

_NAMES = {
    "answers.rank": "rank_answers",
    "answers.score": "score_answers score_bounds",
    "asking": "ask_model run_exam",
    "conversion.convert": "convert",
    "conversion.layouts": "ConvertOptions",
    "errors": "InputError VoirDireError",
    "exam": "Ask check_exam Differ Exam exams Hint Input InSession Outcome Output PaperTable Part read_run Study",
    "formats.coco": "read_coco",
    "formats.dialogues": "read_dialogues",
    "formats.generations": "read_generations",
    "formats.guesswhat": "read_games",
    "formats.judgements": "read_judgements",
    "formats.model_judgements": "read_model_judgements",
    "formats.option_numbers": "read_dense read_ranks read_scores",
    "formats.propositions": "read_propositions",
    "formats.references": "read_references",
    "formats.scenes": "read_scenes",
    "formats.selections": "read_selections",
    "formats.states": "read_states",
    "formats.visdial": "read_visdial",
    "formats.vqa_annotations": "read_vqa_annotations",
    "formats.vqa_questions": "read_vqa_questions",
    "formats.vqa_results": "read_vqa_results",
    "live.endpoint_model": "EndpointModel",
    "live.interview": "Interview",
    "live.model": "AnswerTask LiveModel Reply",
    "metrics.measure": "Measure",
    "options": "option Options",
    "progress": "Stages",
    "questions.score": "score_questions",
    "report.from_python": "write_report",
    "robustness.accuracy": "score_vqa",
    "robustness.score": "compare_rankers score_robustness",
    "runs": "estimate Run write_run",
    "runs.view": "estimate_views View",
    "scorekeeping.dialogue_states": "encode_states",
    "scorekeeping.humans": "score_judges",
    "scorekeeping.judge": "score_judgements",
    "scorekeeping.probe.score": "probe_states",
    "text.coreference": "resolver",
    "text.encoders": "encoder",
    "text.tagging": "tagger",
    "validation": "validate",
    "verdict.comparison": "compare_runs",
    "verdict.planning": "plan_interval plan_power",
    "world.build": "build_world",
    "world.witnesses": "make_state_witness make_witness",
}
"""The public names, by the module that each is in."""
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME, key=str.lower)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'voirdire' has no attribute {name!r}")
    home = f"voirdire.{_HOME[name]}"
    member = getattr(import_module(home), name)
    if not isinstance(member, FunctionType):
        return member
    from voirdire.call import callable_with_files
    from voirdire.exam.registry import OURS

    # The functions of the exams' parts take files, too.
    return callable_with_files(f"{home}:{name}", member) if _HOME[name].partition(".")[0] in OURS else member


def __dir__() -> list[str]:
    return sorted(__all__)
