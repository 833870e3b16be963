"""`voirdire robustness rank`: the nearest questions of a pool for every main question."""

import contextlib
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
    lam: Annotated[float, typer.Option("--lambda", metavar="λ", help="Of ½‖Ax − b‖² + λ‖x‖₁, for lasso.")] = 1e-6,
    encoder: Annotated[str, typer.Option(metavar="NAME", help="What makes vectors, for lasso.")] = "minilm",
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
    from voirdire.engine import Here, Processes
    from voirdire.engine.notes import hearing
    from voirdire.robustness.ranking.options import RankOptions
    from voirdire.robustness.ranking.rank import rank_files
    from voirdire.robustness.ranking.summary import as_run

    options = RankOptions(ranker, lam, top, encoder, yes_no, keep_main)
    with hearing() as notes, contextlib.ExitStack() as shown:
        ranked = rank_files(
            main,
            pool,
            output,
            options,
            pool_annotations or (),
            engine=Here() if workers == 1 else Processes(workers),
            overwrite=overwrite,
            indexing=stage(shown, INDEX, "steps"),
            reading=stage(shown, "read", "files"),
            encoding=stage(shown, "encode", "texts"),
            ranking=stage(shown, "rank", "questions", notes.now),
        )
    run = as_run(ranked)
    if as_json:
        typer.echo(run.to_json())
        return
    warn(run.warnings)
    for line in ranked.lines():
        typer.echo(line)
    done = "there already, with the same options from the same questions" if ranked.finished else "written"
    typer.echo(f"{done}: {output}")
