"""`voirdire report`: runs as one self-contained page, or as tables alone."""

from typing import Annotated

import typer

from voirdire.cli.output import Runs, put_out, read_labelled, say
from voirdire.cli.progress_bars import shown_stages


def report(
    runs: Runs,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="The file to write; - for standard output. Default: report.html for the page, standard output for "
            "tables alone. With --format csv a name without .csv is a folder, for one file per table.",
            show_default=False,
        ),
    ] = None,
    with_files: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="A data file, for the texts of items: dialogues, questions, games, scenes.",
        ),
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="A folder or a zip of pictures, whose names end in the numbers of their images."
        ),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(
            metavar="CSV",
            help="A table of your own slices: ids of items (image_id, round, question_id, …) and columns of labels.",
        ),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="html for the page; md, latex or csv for the tables alone.")] = (
        "html"
    ),
) -> None:
    """Write a self-contained page about the runs of one or several models, of any exams."""
    from pathlib import Path

    from voirdire.atomic import check_output
    from voirdire.errors import UsageError
    from voirdire.figures import counted
    from voirdire.formats.picture_files import check_pictures
    from voirdire.report.make import FORMATS, make_report, models_of, report_text, write_report
    from voirdire.report.table_export import csv_tables
    from voirdire.section.context import read_context
    from voirdire.tables import check_csv_folder, write_csv_folder

    if form not in FORMATS:
        raise UsageError(f"--format {form}: may be one of {', '.join(FORMATS)}")
    output = output or ("report.html" if form == "html" else "-")
    folder = Path(output) if form == "csv" and output != "-" and Path(output).suffix.lower() != ".csv" else None
    if folder is not None:
        check_csv_folder(folder)
    elif output != "-":
        check_output(Path(output))
    if images is not None:
        check_pictures(images)
    with shown_stages() as stages:
        reading = stages("read", "files")
        reading(0, 1)
        models = models_of(read_labelled(runs))
        context = read_context(with_files or ())
        reading(1, 1)
        making = stages("compare", "runs")
        making(0, 1)
        report_ = make_report(models, context, images, slices)
        making(1, 1)
        writing = stages("write", "sections")
        if folder is not None:
            tables = csv_tables(report_)
            write_csv_folder(folder, tables)
            text = f"report: {counted(len(tables), 'table')} in {folder}"
        elif output == "-":
            text = report_text(report_, form, writing)
        else:
            text = f"report: {write_report(report_, output, form, writing)}"
    for note in report_.notes:
        say(f"note: {note}", err=True)
    put_out(text, end="") if output == "-" else say(text)
