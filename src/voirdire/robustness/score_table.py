"""The figures of `robustness score` for a person: one row per measure, then accuracy by partition and answer type.

The second table is as the paper's Tables 2 and 3: a row per condition, a column per answer type, and all together. With
files of questions it also says which share of the questions was cut. Accuracies by question type, in every condition,
are in the run and in its JSON: there are hundreds of them.
"""

from voirdire.figures import counted, short
from voirdire.metrics.key import Key
from voirdire.robustness.views import ACCURACY, ANSWER_TYPES, CUT, QUESTION_TYPE, conditions_in
from voirdire.runs import Run
from voirdire.runs.estimate import Measures
from voirdire.tables import aligned, text_table


def score_table(run: Run) -> str:
    """Both tables, and where the rest is."""
    plain = Measures({key: figure for key, figure in run.measures.items() if not _is_typed(key)})
    table, _, foot = text_table(run, plain).rpartition("\n")
    kinds = counted(run.items[QUESTION_TYPE].n_unique(), "question type")
    rest = f"{kinds}: their accuracies in every condition are in the JSON and in the folder of the run."
    return "\n\n".join([table.rstrip(), "\n".join(_by_type(run)), rest, foot])


def _is_typed(key: Key) -> bool:
    """Whether a figure stands in the second table, or in none."""
    if key.measure == CUT.key.measure:
        return True
    return bool(key.slice) and (bool(key.condition) or key.slice[0] not in ANSWER_TYPES)


def _by_type(run: Run) -> list[str]:
    held = [kind for kind in reversed(ANSWER_TYPES) if ACCURACY.key.on(kind) in run.measures]
    cut = bool(run.measures.of(CUT.key.measure))
    rows = []
    for condition in ("", *conditions_in(run.measures)):
        whole = ACCURACY.key.under(condition)
        figures = [short(run.measures.figure(key).value, 2) for key in (*(whole.on(kind) for kind in held), whole)]
        share = run.measures.figure(CUT.key.under(condition)).value
        rows.append([condition or "clean", *figures, *([short(share and 100 * share, 2)] if cut else [])])
    return aligned(["accuracy (%)", *held, "all", *(["cut (%)"] if cut else [])], rows)
