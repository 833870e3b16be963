"""From files to a run: what a verb and a whole session both do."""

from collections.abc import Sequence
from dataclasses import replace

from voirdire.answers.answer_space import cca_space
from voirdire.answers.bounds import BoundOptions, score_bounds
from voirdire.answers.overlap import OverlapOptions, overlap
from voirdire.answers.ranking import RankOptions, rank_answers
from voirdire.answers.reference_sets import SetOptions, reference_sets
from voirdire.answers.set_files import read_sets
from voirdire.answers.similarity import ScoreOptions, score_answers
from voirdire.errors import UsageError
from voirdire.formats.dense import FORMAT as DENSE
from voirdire.formats.generations import FORMAT as GENERATIONS
from voirdire.formats.ranks import FORMAT as RANKS
from voirdire.formats.ranks import Ranks
from voirdire.formats.rounds import read_with_base
from voirdire.formats.scores import FORMAT as SCORES
from voirdire.formats.scores import Scores
from voirdire.formats.visdial import read_visdial
from voirdire.metrics.text_metric import TEXT_METRICS
from voirdire.reports import Report, silent
from voirdire.runs import Run
from voirdire.text.encoders import Encoder, encoder

__all__ = ["bounds_files", "overlap_files", "people_files", "rank_files", "read_ranking", "score_files"]


def score_files(
    generations: str,
    references: str,
    options: ScoreOptions | None = None,
    encoders: Sequence[str] = ("minilm",),
    round_base: int | None = None,
    *,
    indexing: Report = silent,
    report: Report = silent,
) -> Run:
    """A model's answers against sets of valid ones; see `score_answers`.

    encoders    by name, for distances; not made where no distance is asked for
    round_base  from where rounds are counted in files that leave it open
    indexing    told how far METEOR's index is, where it is made first
    """
    options = options or ScoreOptions()
    said = read_with_base(generations, GENERATIONS, round_base)
    sets = read_sets(references, round_base)
    return score_answers(said, sets, options, _prepare(options.families, encoders, indexing), report)


def bounds_files(
    references: str,
    options: BoundOptions | None = None,
    encoders: Sequence[str] = ("minilm",),
    round_base: int | None = None,
    *,
    indexing: Report = silent,
    report: Report = silent,
) -> Run:
    """What valid answers score against their own sets, see `score_bounds`; the rest is as for `score_files`."""
    options = options or BoundOptions()
    sets = read_sets(references, round_base)
    return score_bounds(sets, options, _prepare(options.families, encoders, indexing), report)


def _prepare(families: Sequence[str], encoders: Sequence[str], indexing: Report) -> list[Encoder]:
    """What measures need before they run, such as METEOR's index, and the encoders."""
    metrics = TEXT_METRICS.choose(families)
    for metric in metrics:
        if metric.prepare is not None:
            metric.prepare(indexing)
    return [encoder(name) for name in encoders] if any(metric.encodes for metric in metrics) else []


def overlap_files(
    of: str,
    by: str,
    options: OverlapOptions | None = None,
    cca: str | None = None,
    encoder: str | None = None,
    round_base: int | None = None,
    *,
    report: Report = silent,
) -> Run:
    """The reference sets of one file judged by another's, see `overlap`; `cca` is what compares their answers."""
    judged, judges = (read_sets(path, round_base) for path in (of, by))
    return overlap(judged, judges, None if cca is None else cca_space(cca, encoder), options, report)


def people_files(
    references: str,
    visdial: str,
    dense: str,
    options: OverlapOptions | None = None,
    round_base: int | None = None,
) -> Run:
    """Reference sets judged by H, the sets of the candidates that people found relevant; see `overlap`."""
    judged = read_sets(references, round_base)
    annotations = read_with_base(dense, DENSE, round_base)
    people, warnings = reference_sets(read_visdial(visdial), SetOptions("H"), dense=annotations)
    run = overlap(judged, replace(people, fingerprint=annotations.fingerprint), options=options)
    return replace(run, warnings=(*warnings, *run.warnings))


def rank_files(
    visdial: str,
    ranks: str | None = None,
    scores: str | None = None,
    dense: str | None = None,
    options: RankOptions | None = None,
    round_base: int | None = None,
) -> Run:
    """A model's rankings of the candidates, given as ranks or as scores; see `rank_answers`."""
    ranking = read_ranking(ranks, scores, round_base)
    annotations = None if dense is None else read_with_base(dense, DENSE, round_base)
    return rank_answers(read_visdial(visdial), ranking, annotations, options)


def read_ranking(ranks: str | None, scores: str | None, round_base: int | None = None) -> Ranks | Scores:
    """The one of the two files that is given."""
    if ranks is not None and scores is None:
        ranked: Ranks = read_with_base(ranks, RANKS, round_base)
        return ranked
    if scores is not None and ranks is None:
        scored: Scores = read_with_base(scores, SCORES, round_base)
        return scored
    raise UsageError("give either --ranks or --scores")
