"""`voirdire robustness rank`: the nearest questions of a pool for every main question."""

import contextlib
from functools import partial
from typing import Annotated

import typer

from voirdire.cli.progress import INDEX, stage
from voirdire.cli.results import AsJson, warn

__all__ = ["rank"]


def rank(
    main: Annotated[str, typer.Option(metavar="QUESTIONS", help="The main questions, an official questions file.")],
    pool: Annotated[
        list[str], typer.Option(metavar="QUESTIONS", help="Where basic questions come from; may be given again.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write: a .parquet file.")],
    pool_annotations: Annotated[
        list[str] | None, typer.Option(metavar="ANNOTATIONS", help="Annotations of the pool, for --yes-no.")
    ] = None,
    yes_no: Annotated[bool, typer.Option("--yes-no", help="Take only the pool's yes/no questions.")] = False,
    ranker: Annotated[
        str, typer.Option(metavar="NAME", help="lasso, bleu1 to bleu4, rouge_l, cider or meteor.")
    ] = "lasso",
    lam: Annotated[
        float | None,
        typer.Option("--lambda", metavar="λ", help="Of ½‖Ax − b‖² + λ‖x‖₁, for lasso; 1e-6 if not given."),
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(metavar="NAME", help="What makes vectors, for lasso; minilm if not given.")
    ] = None,
    top: Annotated[int, typer.Option(metavar="K", help="How many neighbours to keep.")] = 21,
    keep_main: Annotated[
        bool,
        typer.Option("--keep-main", help="Leave a main question in the pool even for itself, to see what that does."),
    ] = False,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that work side by side.")] = 1,
    as_json: AsJson = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let OUT take the place of another ranking, or make the same one again.")
    ] = False,
) -> None:
    """Rank a pool's questions for every main question. Killed and called again, it goes on where it was.

    While it runs, `voirdire robustness show --ranking OUT` shows what is finished. A ranking that is there is not made
    again, and one of other options or questions is not replaced unless you say so.
    """
    import time
    from pathlib import Path

    from voirdire.engine import Here, Processes
    from voirdire.errors import UsageError
    from voirdire.formats.vqa_annotations import read_vqa_annotations
    from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions
    from voirdire.metrics import meteor
    from voirdire.robustness.pool import make_pool, yes_no_questions
    from voirdire.robustness.rankers import RANKERS
    from voirdire.robustness.ranking import LASSO, RankOptions, rank_questions
    from voirdire.robustness.ranking_place import check_name
    from voirdire.robustness.ranking_summary import as_run
    from voirdire.robustness.ranking_work import what_workers_do
    from voirdire.text.encoders import encoder as make_encoder

    check_name(Path(output))
    RANKERS.make(ranker)
    if ranker != LASSO and (lam is not None or encoder is not None):
        raise UsageError(f"--lambda and --encoder are for lasso; {ranker} has neither")
    if yes_no != bool(pool_annotations):
        raise UsageError("--yes-no and --pool-annotations go together: the annotations say which questions are yes/no")
    options = RankOptions(ranker, 1e-6 if lam is None else lam, top, not keep_main)
    with contextlib.ExitStack() as shown:
        if ranker == "meteor":
            meteor.prepare(stage(shown, INDEX, "steps"))
        reading, total = stage(shown, "read", "files"), 1 + len(pool)
        questions: list[VqaQuestions] = []
        for path in (main, *pool):
            reading(len(questions), total)
            questions.append(read_vqa_questions(path))
        asked, offered = questions[0], questions[1:]
        reading(total, total)
        if yes_no:
            annotations = [read_vqa_annotations(path) for path in pool_annotations or ()]
            offered = list(yes_no_questions(offered, annotations))
        started = time.monotonic()
        ranked = rank_questions(
            asked,
            make_pool(offered),
            output,
            options,
            make_encoder(encoder or "minilm") if ranker == LASSO else None,
            overwrite=overwrite,
            engine=Here() if workers == 1 else Processes(workers),
            encoding=stage(shown, "encode", "texts"),
            ranking=stage(shown, "rank", "questions", partial(what_workers_do, output)),
        )
    run = as_run(ranked, time.monotonic() - started)
    if as_json:
        typer.echo(run.to_json())
        return
    warn(run.warnings)
    for line in ranked.lines(run.measures["rate"].value):
        typer.echo(line)
    done = "there already, with the same options from the same questions" if ranked.finished else "written"
    typer.echo(f"{done}: {output}")
