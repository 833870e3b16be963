"""The exam of answers, declared: are the answers that a model generates among the valid ones? (dense-visdial)"""

from dataclasses import dataclass
from typing import Literal

from voirdire.errors import UsageError
from voirdire.exam import Exam, Held, Input, Output, Part
from voirdire.options import SEED, Options, option

__all__ = [
    "EXAM",
    "AuditOptions",
    "BoundOptions",
    "HumansOptions",
    "OverlapOptions",
    "RankOptions",
    "ScoreOptions",
]

FAMILIES = ("cider", "bleu", "meteor", "rouge", "distance")
Cutoff = Literal["relevant", "scored"]

_MEASURES = "Which families of measures to take: cider, bleu, meteor, rouge, distance or one of a plug-in."
_ENCODER = "What makes vectors, for l2 and cosine."
_IDF = "Where CIDEr counts documents: references (the sets above), references:FILE, visdial:FILE, file:FILE."
_BASE = "From where rounds are counted, in files that leave it open."
_COMMON = "Leave out rounds that one of the files lacks."


@dataclass(frozen=True)
class ScoreOptions(Options):
    """How generations are scored; the defaults are the paper's."""

    measures: tuple[str, ...] = option(FAMILIES, _MEASURES, metavar="FAMILY", shown="all")
    encoder: tuple[str, ...] = option(
        ("minilm",), _ENCODER, metavar="NAME", provider="voirdire.text.encoders:ENCODERS", shown="minilm"
    )
    common: bool = option(False, _COMMON)
    idf: str = option("references", _IDF, provider="voirdire.metrics.corpora:CORPORA")
    as_written: bool = option(False, "Take generations as they are, not through the treebank's tokeniser.")
    within: bool = option(False, "Also the spread of the generations inside a round.")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoder(self.measures, self.encoder)


@dataclass(frozen=True)
class BoundOptions(Options):
    """How the valid answers themselves are scored; as generations are."""

    measures: tuple[str, ...] = option(FAMILIES, _MEASURES, metavar="FAMILY", shown="all")
    encoder: tuple[str, ...] = option(
        ("minilm",), _ENCODER, metavar="NAME", provider="voirdire.text.encoders:ENCODERS", shown="minilm"
    )
    idf: str = option("references", _IDF, provider="voirdire.metrics.corpora:CORPORA")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoder(self.measures, self.encoder)


def check_encoder(measures: tuple[str, ...], encoder: tuple[str, ...]) -> None:
    """Refuse an encoder that no measure takes."""
    if "distance" not in measures and encoder != ("minilm",):
        raise UsageError("`encoder` is for the measures l2 and cosine, which `measures` leaves out; add distance to it")


@dataclass(frozen=True)
class RankOptions(Options):
    """How rankings are scored; the defaults are the paper's."""

    cutoff: Cutoff = option("relevant", "Where NDCG ends: at the number of relevant options, or at all that are scored.")
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0)


@dataclass(frozen=True)
class OverlapOptions(Options):
    """How reference sets are compared."""

    common: bool = option(False, _COMMON)
    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0)


@dataclass(frozen=True)
class AuditOptions(Options):
    """What the dataset's own evaluation is looked at with."""

    round_base: Literal[0, 1] | None = option(None, _BASE)
    seed: int = option(0, SEED, least=0)


@dataclass(frozen=True)
class HumansOptions(Options):
    """How people's selections are scored."""

    seed: int = option(0, SEED, least=0)


VISDIAL = Input(
    "visdial",
    "VisDial dialogues with their candidate answers.",
    formats=("visdial",),
    read="voirdire.formats.visdial:read_visdial",
    needed=True,
    context="all",
)
DENSE = Input(
    "dense",
    "Dense annotations: the relevance of each of a round's options.",
    formats=("dense",),
    read="voirdire.formats.dense:read_dense",
    uses=("round_base",),
)
REFERENCES = Input(
    "references",
    "Sets of valid answers.",
    formats=("references",),
    read="voirdire.answers.set_files:read_sets",
    uses=("round_base",),
    needed=True,
)
GENERATIONS = Input(
    "generations",
    "The model's answers, one or more per round.",
    formats=("generations",),
    read="voirdire.formats.generations:read_generations",
    uses=("round_base",),
    needed=True,
    of_model=True,
)
RANKS = Input(
    "ranks",
    "The model's rankings: `ranks[i]` is the rank of option i.",
    formats=("ranks",),
    read="voirdire.formats.ranks:read_ranks",
    uses=("round_base",),
    of_model=True,
)
SCORES = Input(
    "scores",
    "Instead of rankings: its scores, higher is better; ties take the worst rank.",
    formats=("scores",),
    read="voirdire.formats.scores:read_scores",
    uses=("round_base",),
    of_model=True,
)

SCORE = Part(
    "score",
    "CIDEr, BLEU, METEOR, ROUGE-L and embedding distance of generated answers to the valid ones.",
    "voirdire.answers.score:score_answers",
    inputs=(GENERATIONS, REFERENCES),
    options=ScoreOptions,
    views="voirdire.answers.views:score_views",
    measures="voirdire.answers.views:score_measures",
    held=Held(given=("generations",), folder="answers", weight=1),
)
RANK = Part(
    "rank",
    "Mean rank, reciprocal rank, recall at 1, 5 and 10 of the true answer and, with dense annotations, NDCG.",
    "voirdire.answers.rank:rank_answers",
    inputs=(VISDIAL, RANKS, SCORES, DENSE),
    options=RankOptions,
    views="voirdire.answers.views:rank_views",
    measures="voirdire.answers.views:RANK_MEASURES",
    held=Held(given=("ranks", "scores")),
)

EXAM = Exam(
    name="answers",
    question="Are the answers that it generates among the valid ones?",
    papers=("dense-visdial", "visdial"),
    parts=(SCORE, RANK),
    section="voirdire.answers.section:answers_section",
    help="Score generated answers and rankings against sets of valid answers, and make such sets.",
    method="generated answers were compared with sets of valid answers, and rankings of candidates with the ground truth",
)
