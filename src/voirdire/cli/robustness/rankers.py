"""`voirdire robustness rankers`: one model's accuracy by partition under several rankers, side by side."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give
from voirdire.cli.robustness.options import Annotations, Common, partition_files

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
    from voirdire.formats.vqa_annotations import read_vqa_annotations
    from voirdire.formats.vqa_results import read_vqa_results
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
    run = compare_rankers(
        read_vqa_annotations(annotations),
        {name: [read_vqa_results(path) for path in paths] for name, paths in files.items()},
        None if clean is None else read_vqa_results(clean),
        TrendOptions(common, seed),
    )
    give(run, as_json, latex, output, overwrite)
