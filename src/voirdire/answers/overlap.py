"""How far do two reference sets of the same rounds agree?

    IoU = |C ∩ H| / |C ∪ H|     precision = |C ∩ H| / |C|     recall = |C ∩ H| / |H|     (in per cent, per round)

C  the sets that are judged (`references`), H those that they are judged by (`by`); members are options of a round
Also the size of C, whether C holds the ground truth and, where answers can be compared, the correlations of C's members
with the ground truth, or with the question for the sets that are made by it: their mean (`corr`) and their standard
deviation inside the set (`corr_spread`, ddof 1). The ground truth is a member like the others, of correlation 1 with
itself. A set of one has no standard deviation.

Figures are means over rounds, `:std` the standard deviation over rounds (ddof 1), as the brackets of dense-visdial's
Tables 1 and 10 are. Intervals are over images.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca
from voirdire.answers.cca.projection import AnswerSpace, cca_space
from voirdire.answers.exam import EXAM, OverlapOptions, SetOptions
from voirdire.answers.references import reference_sets
from voirdire.answers.rounds import check_options, label, match_rounds
from voirdire.errors import InputError, Problem, UsageError, shorten
from voirdire.exam import present
from voirdire.formats.option_numbers import Dense
from voirdire.formats.references import References
from voirdire.formats.strict import Problems
from voirdire.formats.visdial import VisDial
from voirdire.lazy import pl
from voirdire.metrics.measure import Better, Measure
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw
from voirdire.runs.view import Coverage

Float64 = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

BLOCK = 65_536


def _measure(name: str, better: Better, unit: str, label: str, description: str) -> Measure:
    return Measure.averaged(
        name, better, unit=unit, label=label, description=description, citation="dense-visdial, Table 10"
    )


COUNTED = (
    _measure("iou", "higher", "%", "IoU", "shared answers, as a share of all in either set"),
    _measure("precision", "higher", "%", "precision", "shared answers, as a share of the judged set"),
    _measure("recall", "higher", "%", "recall", "shared answers, as a share of the set that it is judged by"),
    _measure("size", "neither", "", "size", "answers in the judged set"),
    _measure("contains_gt", "higher", "%", "holds the truth", "judged sets that hold the ground truth"),
)
INSIDE = (
    _measure(
        "corr",
        "neither",
        "",
        "correlation inside",
        "correlation of a set's members with the ground truth, or with the question by which they were found",
    ),
    _measure("corr_spread", "neither", "", "its spread inside", "standard deviation of these correlations in a set"),
)
MEASURES = (*COUNTED, *INSIDE)


def overlap(
    references: References,
    by: References | None = None,
    visdial: VisDial | None = None,
    dense: Dense | None = None,
    cca: Cca | None = None,
    options: OverlapOptions | None = None,
    space: AnswerSpace | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """The overlap of the sets `references` with the sets `by`, or with those that people make: `visdial` with `dense`.

    space  where answers are compared, in place of the CCA
    """
    options = options or OverlapOptions()
    check_overlap(present(by=by, visdial=visdial, dense=dense, cca=cca), options)
    by, about_judges = _judges(by, visdial, dense)
    drawn = draw(by.image_ids, options)
    of, by = drawn.of(references), drawn.of(by)
    if space is None and cca is not None:
        space = cca_space(cca, options.encoder)
    for record, what in ((of, "the sets to judge (`references`)"), (by, "the sets to judge by (`by`)")):
        if not record.in_set.shape[1]:
            raise InputError(what, [Problem("", "in_cluster_idxs", "nothing", "which of the options are in a set")])
    check_options(
        "the sets to judge (`references`)", of.in_set.shape[1], by.in_set.shape[1], "the sets to judge by (`by`)"
    )
    rows, others, coverage, warnings = _matched(of, by, options)
    here, there = of.in_set[rows], by.in_set[others]
    both, either = (here & there).sum(axis=1), (here | there).sum(axis=1)
    columns: dict[str, npt.ArrayLike] = {
        "image_id": of.image_ids[rows],
        "round": of.rounds[rows],
        "iou": 100 * both / either,
        "precision": 100 * both / here.sum(axis=1),
        "recall": 100 * both / there.sum(axis=1),
        "size": here.sum(axis=1),
        "contains_gt": [100 * (of.gt_answers[row] in of.of(row)) for row in rows.tolist()],
    }
    by_question = options.pairing.startswith("question")
    chosen: tuple[Measure, ...] = COUNTED
    if space is not None:
        progress = stages("answers overlap", "texts")
        columns["corr"], columns["corr_spread"] = correlations_inside(of, rows, space, progress, by_question)
        chosen += INSIDE
    measures = [figure for measure in chosen for figure in (measure, measure.spread(1))]
    items = pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
    data = {"with": by.fingerprint} | (dict(space.data) if space is not None else {})
    run = EXAM.run(
        "overlap",
        options,
        items,
        estimate(items, measures, seed=options.seed, clusters="image_id"),
        data,
        outputs={"of": of.fingerprint},
        changing={"corr": "with question" if by_question else "with truth"} if space is not None else {},
        encoder=space.name if space is not None else None,
        warnings=(*about_judges, *warnings),
        coverage=coverage,
    )
    return drawn.sign(run)


def check_overlap(given: Mapping[str, object], options: OverlapOptions) -> None:
    """Refuse inputs that cannot be compared."""
    if options.encoder is not None and "cca" not in given:
        raise UsageError("`encoder` is that of a CCA: give `cca` too")
    if ("by" in given) == ("visdial" in given):
        raise UsageError("give either `by`, sets to judge by, or `visdial` and `dense`, of which people's are made")
    if "visdial" in given and "dense" not in given:
        raise UsageError("`visdial` needs `dense` beside it: what people found relevant is the set to judge by")


def _judges(by: References | None, visdial: VisDial | None, dense: Dense | None) -> tuple[References, tuple[str, ...]]:
    """The sets to judge by, and warnings about them."""
    if by is not None:
        return by, ()
    assert visdial is not None
    assert dense is not None
    people, warnings = reference_sets(visdial, SetOptions("H"), dense=dense)
    return replace(people, fingerprint=dense.fingerprint), warnings


def _matched(of: References, by: References, options: OverlapOptions) -> tuple[Rows, Rows, Coverage, tuple[str, ...]]:
    """The rows of both files for the same rounds; their texts must agree, or the files count rounds differently."""
    places, coverage, warnings = match_rounds(
        by, of, "sets to judge by", "sets to judge (`references`)", options, of_model=False
    )
    others = np.flatnonzero(places >= 0)
    rows = places[others]
    others, rows = others[np.argsort(rows)], np.sort(rows)
    problems = Problems("reference sets")
    for row, other in zip(rows.tolist(), others.tolist(), strict=True):
        for name, here, there in (
            ("question", of.questions[row], by.questions[other]),
            ("gt_answer", of.gt_answers[row], by.gt_answers[other]),
        ):
            if here != there:
                where = label(int(of.image_ids[row]), int(of.rounds[row]))
                hint = "The files may count rounds from different bases."
                problems.add(where, name, f"{shorten(here)} and {shorten(there)}", "the same text in both files", hint)
    problems.check()
    return rows, others, coverage, warnings


def correlations_inside(
    sets: References, rows: Rows, space: AnswerSpace, progress: Progress = silent, by_question: bool = False
) -> tuple[Float64, Float64]:
    """Per row mean and standard deviation (ddof 1; NaN for a set of one) of the members' correlations.

    by_question  whether they are with the question, not with the ground truth
    """
    numbers: dict[str, int] = {}
    members = [[numbers.setdefault(text, len(numbers)) for text in sets.of(row)] for row in rows.tolist()]
    asked: dict[str, int] = {} if by_question else numbers
    texts = sets.questions if by_question else sets.gt_answers
    anchors = [asked.setdefault(texts[row], len(asked)) for row in rows.tolist()]
    vectors = space.rows(list(numbers), progress)
    others = (space.questions or space.vectors)(list(asked)) if by_question else vectors
    sizes = np.array([len(member) for member in members])
    flat = np.concatenate([np.array(member, dtype=np.intp) for member in members])
    anchor = np.repeat(np.array(anchors, dtype=np.intp), sizes)
    values = np.empty(len(flat))
    for start in range(0, len(flat), BLOCK):
        block = slice(start, start + BLOCK)
        values[block] = np.einsum("ij,ij->i", vectors[flat[block]], others[anchor[block]])
    first = np.cumsum([0, *sizes[:-1]])
    means = np.add.reduceat(values, first) / sizes
    squares = np.add.reduceat((values - np.repeat(means, sizes)) ** 2, first)
    spread = np.sqrt(np.divide(squares, sizes - 1, out=np.full(len(sizes), np.nan), where=sizes > 1))
    return means, spread
