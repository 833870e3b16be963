"""Basic questions that may help: which of the first three are worth adding to a main question (VQABQ, Algorithm 1).

    BQ1 is added where score1 > s1
    BQ2 is added where BQ1 is and score2 / score1 > s2
    BQ3 is added where BQ2 is and score3 / score2 > s3

The listing of the paper prints three conditions in a row; its counts (Table 6) fit this nested reading alone. Measures:
`score1`, `score2/score1`, `score3/score2` with `:std` (ddof 0) are Table 5, over the main questions that have as many
neighbours; `added[0]` to `added[3]`, shares of all main questions, are Table 6. Intervals are over images.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.metrics.measure import Measure, identity, mean, std
from voirdire.robustness.noise import check_questions_name, describe, put_together
from voirdire.robustness.ranking.options import HelpfulOptions
from voirdire.robustness.ranking_file import Ranking, read_rankings
from voirdire.runs import Run, Signature, estimate

__all__ = ["add_helpful", "chosen", "count_lines", "helpful_files"]

MOST = 3
RATIOS = ("score1", "score2/score1", "score3/score2")


def chosen(ratios: npt.NDArray[np.float64], options: HelpfulOptions) -> npt.NDArray[np.int64]:
    """int64[m]: how many basic questions are added, from float64[m, 3]: score1 and the two ratios, NaN where none."""
    with np.errstate(invalid="ignore"):
        passed = ratios > [options.s1, options.s2, options.s3]
    return np.asarray(np.logical_and.accumulate(passed, axis=1).sum(axis=1), np.int64)


def helpful_files(rankings: Sequence[str | Path], output: str | Path, options: HelpfulOptions | None = None) -> Run:
    """Write the questions that `add_helpful` makes of a ranking, which may be in several parts; gives its run."""
    check_questions_name(output)
    questions, run = add_helpful(read_rankings(rankings), options)
    write_vqa_questions(questions, output)
    return run


def add_helpful(ranking: Ranking, options: HelpfulOptions | None = None) -> tuple[VqaQuestions, Run]:
    """The main questions, each with the basic questions that may help it, and Tables 5 and 6 as a run."""
    import polars as pl

    options = options or HelpfulOptions()
    if not len(ranking):
        raise InputError(ranking.name, [Problem("", "", "no main question", "at least one")])
    scores = ranking.top_scores(MOST)
    ratios = np.column_stack([scores[:, 0], scores[:, 1] / scores[:, 0], scores[:, 2] / scores[:, 1]])
    added = chosen(ratios, options)
    questions = VqaQuestions.from_rows(
        [
            VqaQuestion(question_id, image_id, put_together(text, ranking.of(row)[:count], 0)[0])
            for row, (question_id, image_id, text, count) in enumerate(
                zip(
                    ranking.question_ids.tolist(),
                    ranking.image_ids.tolist(),
                    ranking.questions,
                    added.tolist(),
                    strict=True,
                )
            )
        ],
        describe(ranking, "Main questions, each followed by the basic questions that may help it.", asdict(options)),
    )
    columns = {name: pl.Series(column).fill_nan(None) for name, column in zip(RATIOS, ratios.T, strict=True)}
    counts = {f"added[{count}]": (added == count).astype(np.float64) for count in range(MOST + 1)}
    items = pl.DataFrame(
        {"image_id": ranking.image_ids, "question_id": ranking.question_ids, **columns, "added": added, **counts}
    )
    measures = [
        measure
        for name in RATIOS
        for one in [Measure(name, identity, mean, "neither", of=(name,))]
        for measure in (one, one.variant(":std", aggregate=std()))
    ] + [Measure(name, identity, mean, "neither", of=(name,)) for name in counts]
    data = {name: str(ranking.signature[name]) for name in ("main", "pool") if name in ranking.signature}
    run = Run(
        exam="robustness",
        part="helpful",
        options=asdict(options),
        items=items,
        measures=estimate(items, measures, seed=options.seed, clusters="image_id"),
        signature=Signature(
            version=__version__,
            data=data,
            encoder=ranking.signature.get("encoder"),
            seed=options.seed,
            options={
                **{name: ranking.signature[name] for name in ("ranker", "lambda") if name in ranking.signature},
                **{name: value for name, value in asdict(options).items() if name != "seed"},
            },
        ),
        fingerprints=data,
        warnings=ranking.warnings,
    )
    return questions, run


def count_lines(run: Run) -> list[str]:
    """Table 6 for a person: how many main questions get 0, 1, 2 and 3 basic questions."""
    total = len(run.items)
    counts = [int(run.items[f"added[{count}]"].sum()) for count in range(MOST + 1)]
    cells = (f"{number} BQ: {count:,} ({100 * count / total:.2f} %)" for number, count in enumerate(counts))
    return [f"of {total:,} main questions: {', '.join(cells)}"]
