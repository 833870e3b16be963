"""Basic questions that may help: which of the first three are worth adding to a main question (VQABQ, Algorithm 1).

    BQ1 is added where score1 > s1
    BQ2 is added where BQ1 is and score2 / score1 > s2
    BQ3 is added where BQ2 is and score3 / score2 > s3

Where BQ1 is the main question itself (case, spacing and final punctuation aside; only `rank --keep-main` lists it),
nothing is added, as in the authors' program. The listing of the paper prints three conditions in a row; its counts
(Table 6) fit this nested reading alone. Measures: `score1`, `score2/score1`, `score3/score2` with `:std` (ddof 0) are
Table 5, over the main questions that have as many neighbours; `added[0]` to `added[3]`, shares of all main questions,
are Table 6. Intervals are over images.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.question_ranking import Ranking
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import EXAM, HelpfulOptions
from voirdire.robustness.noise import describe, put_together
from voirdire.robustness.pool import fold
from voirdire.robustness.ranking.files import join_rankings
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw
from voirdire.tables import text_table

MOST = 3
RATIOS = tuple(
    Measure(Key(name), identity, mean, "neither", description=description, citation="vqa-robustness, Table 5")
    for name, description in (
        ("score1", "score of the first basic question"),
        ("score2/score1", "score of the second as a share of the first's"),
        ("score3/score2", "score of the third as a share of the second's"),
    )
)
ADDED = Measure(
    Key("added"),
    identity,
    mean,
    "neither",
    label="added questions",
    description="share of main questions to which so many basic questions are added",
    citation="vqa-robustness, Table 6",
)
HELPFUL_MEASURES = (*RATIOS, ADDED)


def chosen(ratios: npt.NDArray[np.float64], options: HelpfulOptions) -> npt.NDArray[np.int64]:
    """int64[m]: how many basic questions are added, from float64[m, 3]: score1 and the two ratios, NaN where none."""
    with np.errstate(invalid="ignore"):
        passed = ratios > [options.s1, options.s2, options.s3]
    return np.asarray(np.logical_and.accumulate(passed, axis=1).sum(axis=1), np.int64)


def write_helpful(
    ranking: Sequence[Ranking], questions: str, options: HelpfulOptions | None = None, stages: Stages = UNSEEN
) -> Run:
    """Write the questions that `add_helpful` makes of a ranking, which may be in several parts; gives its run."""
    if questions == "-":
        raise UsageError("`questions` must be a file, since standard output has the table, got -")
    helped, run = add_helpful(join_rankings(ranking), options)
    write_vqa_questions(helped, questions)
    return run


def add_helpful(ranking: Ranking, options: HelpfulOptions | None = None) -> tuple[VqaQuestions, Run]:
    """The main questions, each with the basic questions that may help it, and Tables 5 and 6 as a run."""
    options = options or HelpfulOptions()
    if not len(ranking):
        raise InputError(ranking.name, [Problem("", "", "no main question", "at least one")])
    drawn = draw(ranking.image_ids, options)
    ranking = drawn.of(ranking)
    scores = ranking.top_scores(MOST)
    ratios = np.column_stack([scores[:, 0], scores[:, 1] / scores[:, 0], scores[:, 2] / scores[:, 1]])
    # A main question that its list begins with: nothing that may help is known of it.
    itself = np.array([fold(text) in map(fold, ranking.of(row)[:1]) for row, text in enumerate(ranking.questions)])
    added = np.where(itself, 0, chosen(ratios, options))
    columns = ranking.question_ids.tolist(), ranking.image_ids.tolist(), ranking.questions
    questions = VqaQuestions.from_rows(
        [
            VqaQuestion(question_id, image_id, put_together(text, ranking.of(row)[:count], 0)[0])
            for row, (question_id, image_id, text, count) in enumerate(zip(*columns, added.tolist(), strict=True))
        ],
        describe(
            ranking,
            "Main questions, each followed by the basic questions that may help it.",
            {name: value for name, value in options.plain().items() if name != "limit"} | drawn.signed,
        ),
    )
    scored = {measure.name: pl.Series(column).fill_nan(None) for measure, column in zip(RATIOS, ratios.T, strict=True)}
    shares = [(ADDED.key.on(str(count)), count) for count in range(MOST + 1)]
    counts = {str(key): (added == count).astype(np.float64) for key, count in shares}
    items = pl.DataFrame(
        {"image_id": ranking.image_ids, "question_id": ranking.question_ids, **scored, ADDED.name: added, **counts}
    )
    measures = [variant for measure in RATIOS for variant in (measure, measure.spread())]
    measures += [replace(ADDED, key=key, of=(str(key),)) for key, _ in shares]
    data = {name: str(ranking.signature[name]) for name in ("main", "pool") if name in ranking.signature}
    ranked = {name: ranking.signature[name] for name in ("ranker", "lambda", "objective") if name in ranking.signature}
    run = EXAM.run(
        "helpful",
        options,
        items,
        estimate(items, measures, seed=options.seed, clusters="image_id"),
        data,
        encoder=ranking.signature.get("encoder"),
        changing=ranked | {name: value for name, value in options.plain().items() if name not in ("seed", "limit")},
        warnings=ranking.warnings,
    )
    return questions, drawn.sign(run)


def helpful_table(run: Run) -> str:
    """Tables 5 and 6 for a person."""
    return f"{text_table(run)}\n{count_line(run)}"


def count_line(run: Run) -> str:
    """How many main questions get 0, 1, 2 and 3 basic questions."""
    total = len(run.items)
    counts = [int(run.items[str(ADDED.key.on(str(count)))].sum()) for count in range(MOST + 1)]
    cells = (f"{number} BQ: {count:,} ({100 * count / total:.2f} %)" for number, count in enumerate(counts))
    return f"of {total:,} main questions: {', '.join(cells)}"
