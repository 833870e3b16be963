"""`voirdire convert`: a model's outputs as another tool wrote them, in an official layout."""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import plain_console, print_beside, print_line, show_json
from voirdire.options import renamed

if TYPE_CHECKING:
    from voirdire.conversion.convert import Conversion

MARGIN = f"{'':<2}"


def convert(
    file: Annotated[str, typer.Argument(metavar="IN", help="What a model's tool wrote; - for standard input.")],
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="What to make: vqa_results, generations, ranks or scores; of POPE and A-OKVQA vqa_questions or "
            "vqa_annotations.",
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to write; - for standard output.")
    ],
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="ROLE=KEY",
            help="Which key is what: answer=text, question_id=id, image_id=img, question=prompt, round_id=turn; a KEY "
            "may be a path, outputs.0.text. Again for each.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="VQA questions or VisDial dialogues, to find records in by image and question."
        ),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="LAYOUT",
            help="Whose layout it is, if not to be guessed: llava, lmms_eval, lm_eval, inspect, openai_batch, "
            "vlmevalkit, words, evalai_ranks, plain.",
        ),
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave out and count what cannot be mapped, instead of an error.")
    ] = False,
    duplicates: Annotated[
        str,
        typer.Option(
            metavar="error|first|last|all", help="Two records of one question or round; all is for generations."
        ),
    ] = "error",
    round_base: Annotated[
        int | None, typer.Option(min=0, max=1, help="From where rounds are counted, in files that leave it open.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write a model's outputs in an official layout, from LLaVA, lmms-eval, VLMEvalKit, lm-eval, Inspect or a table.

    Prints which key was mapped to what; with `-o -` to stderr. Records that cannot be mapped are an error.
    """
    from voirdire.conversion.convert import convert as convert_file
    from voirdire.conversion.layouts import ConvertOptions
    from voirdire.errors import UsageError

    if as_json and output == "-":
        raise UsageError("--json and the file itself cannot both go to standard output; name a file with -o")
    options = ConvertOptions(
        to=to,
        maps=_maps(mapped or []),
        against=against,
        layout=layout,
        leave_out=leave_out,
        duplicates=duplicates,  # type: ignore[arg-type]
        round_base=round_base,
    )
    done = convert_file(file, output, options)
    if as_json:
        show_json(done.to_dict(), indent=-1)
    else:
        _show(done, err=output == "-")


def _maps(given: list[str]) -> dict[str, str]:
    from voirdire.errors import UsageError, shorten

    maps: dict[str, str] = {}
    for text in given:
        role, equals, path = text.partition("=")
        if not (role and equals and path):
            raise UsageError(f"--map must be ROLE=KEY, as answer=text, got {shorten(text)}")
        if role in maps:
            raise UsageError(f"--map must name each role once, got {role} twice")
        maps[role] = path
    return maps


def _show(done: "Conversion", err: bool) -> None:
    from voirdire.figures import counted

    console = plain_console(err=err)
    print_line(console, f"{done.source}: {done.layout}", "bold")
    for role, path in done.paths.items():
        print_beside(console, f"{MARGIN}{role:<12}", f"from {path}")
    ids = ", ".join(f"{count:,} {how}" for how, count in done.ids.items())
    print_beside(console, f"{MARGIN}{'ids':<12}", ids)
    for place, record in done.examples:
        print_beside(console, f"{MARGIN}{'example':<12}", f"{place}: {_short(record)}", "dim")
    for reason, (count, first) in done.left_out.items():
        more = ", …" if count > len(first) else ""
        print_beside(console, f"{MARGIN}{'left out':<12}", f"{count:,}: {reason} ({', '.join(first)}{more})", "yellow")
    flags = {"map": "--map", "against": "--against"}
    for note in done.notes:
        print_beside(console, f"{MARGIN}{'note':<12}", renamed(note, flags), "yellow")
    print_line(
        console,
        f"{counted(done.read, 'record')} read, {done.written:,} mapped, {done.read - done.written:,} left out; "
        f"{done.output}: {done.to}, {done.holds}",
        "bold green",
    )


def _short(record: object) -> str:
    import json

    from voirdire.errors import shorten_text

    return shorten_text(json.dumps(record, ensure_ascii=False), 100)
