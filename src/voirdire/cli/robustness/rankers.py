"""`voirdire robustness rankers`: one model's accuracy by partition under several rankers, side by side."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give
from voirdire.cli.robustness.options import Annotations, Common

__all__ = ["rankers"]


def rankers(
    annotations: Annotations,
    ranking: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=FILES",
            help="A ranker and the model's answers to its partitions: lasso=said/lasso_{}.json with {} for 1 to 7, or "
            "files in order with commas between them; may be given again.",
        ),
    ],
    clean: Annotated[
        str | None, typer.Option(metavar="FILE", help="The model's answers to the questions as they are.")
    ] = None,
    common: Common = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Accuracy by partition and its trend, for each ranker of basic questions."""
    from voirdire.errors import UsageError
    from voirdire.robustness.files import partition_files, read_judged
    from voirdire.robustness.ranker_trends import TrendOptions, compare_rankers

    check(as_json, latex, output, overwrite)
    files: dict[str, list[str]] = {}
    for given in ranking:
        name, equals, paths = given.partition("=")
        if not (name and equals and paths):
            raise UsageError(f"--ranking {given!r}: a name and files are needed, as in lasso=said/lasso_{{}}.json")
        if name in files:
            raise UsageError(f"--ranking: {name!r} is there twice; each ranker needs a name of its own")
        files[name] = partition_files(paths.split(","))
    every = [path for some in files.values() for path in some] + ([] if clean is None else [clean])
    with contextlib.ExitStack() as shown:
        truth, said = read_judged(annotations, every, stage(shown, "read", "files"))
        before = None if clean is None else said.pop()
        answers = iter(said)
        run = compare_rankers(
            truth,
            {name: [next(answers) for _ in some] for name, some in files.items()},
            before,
            TrendOptions(common, seed),
            report=stage(shown, "judge", "steps"),
        )
    give(run, as_json, latex, output, overwrite)
