"""`voirdire report`: runs as one page, or as tables alone; `voirdire EXAM table`: as the tables of the exam's paper."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import Runs, put_out, read_labelled, say
from voirdire.cli.progress_bars import shown_stages
from voirdire.errors import UsageError, shorten_text
from voirdire.exam import Exam
from voirdire.figures import counted
from voirdire.options import LARGEST_SEED

if TYPE_CHECKING:
    from voirdire.verdict.paper_tables import IntervalForm


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


def help_of(exam: Exam) -> str:
    """What the verb's help says: which tables there are."""
    tables = "; ".join(f"{table.numbers.replace(' ', ', ')}: {table.title}" for table in exam.tables)
    return f"Print the paper's tables, made of runs, with marks of significance.\n\nTables: {tables}."


def table_verb(exam: Exam) -> Callable[..., None]:
    """The verb of an exam that declares tables."""
    groups = ", ".join(dict.fromkeys(name for table in exam.tables for name in table.groups))

    def table(
        runs: Runs,
        number: Annotated[
            list[str] | None,
            typer.Option(metavar="N", help="Only the table of this number in the paper; may be given again."),
        ] = None,
        form: Annotated[str, typer.Option("--format", help="text, md, latex or csv.")] = "text",
        interval: Annotated[
            str | None,
            typer.Option(metavar="FORM", help="Each figure with its interval: pm (±) or brackets. CSV always has it."),
        ] = None,
        group: Annotated[
            list[str] | None,
            typer.Option(
                metavar="NAME=LABEL,…",
                help=f"The models of a group, for claims about groups: {groups or 'none here'}; again for each.",
            ),
        ] = None,
        plain: Annotated[bool, typer.Option("--plain", help="Compare nothing: no marks of significance.")] = False,
        seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Of the swaps and the resamples.")] = 0,
        output: Annotated[
            str | None,
            typer.Option(
                "--output", "-o", metavar="OUT", help="Write to this file; with csv a folder, one file per table."
            ),
        ] = None,
    ) -> None:
        from pathlib import Path

        from voirdire.atomic import check_output, write_atomic
        from voirdire.cli.progress_bars import shown_stages
        from voirdire.report.exam_tables import FORMS, csv_files, make_tables, tables_in
        from voirdire.tables import check_csv_folder, write_csv_folder

        if form not in FORMS:
            raise UsageError(f"--format {form}: may be one of {', '.join(FORMS)}")
        shape = _interval(interval)
        folder = Path(output) if output and form == "csv" and not output.endswith(".csv") else None
        if folder is not None:
            check_csv_folder(folder)
        elif output is not None:
            check_output(Path(output))
        with shown_stages() as stages:
            making = stages("table", "runs")
            making(0, 1)
            labelled = read_labelled(runs)
            try:
                tables = make_tables(exam, labelled, number or (), _groups(group or ()), seed=seed, compared=not plain)
            except UsageError as error:
                raise UsageError(f"{shorten_text(', '.join(runs), 300)}: {error}") from None
            making(1, 1)
        if folder is not None:
            write_csv_folder(folder, csv_files(tables))
            say(f"{counted(len(tables.tables), 'table')} in {folder}")
            return
        text = tables_in(tables, form, shape)
        if output is None:
            put_out(text, end="")
        else:
            write_atomic(Path(output), text.encode(errors="backslashreplace"))
            say(f"tables: {output}")

    return table


def _interval(form: str | None) -> "IntervalForm | None":
    from voirdire.verdict.paper_tables import INTERVALS

    known = next((each for each in INTERVALS if each == form), None)
    if form is not None and known is None:
        raise UsageError(f"--interval {form}: may be one of {', '.join(INTERVALS)}")
    return known


def _groups(given: "list[str] | tuple[()]") -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for text in given:
        name, equals, labels = text.partition("=")
        members = [label for label in labels.split(",") if label]
        if not equals or not members:
            raise UsageError(f"--group must be NAME=LABEL,LABEL, got {text}")
        groups.setdefault(name, []).extend(members)
    return groups
