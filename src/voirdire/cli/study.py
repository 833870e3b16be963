"""`voirdire study`: draw tasks for people, serve the page on which they judge, and make figures of what they say."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from voirdire.cli.command import Later, group, later, verb
from voirdire.cli.output import AsJson, say, show_json, warn
from voirdire.cli.progress_bars import shown_stages
from voirdire.cli.verbs import input_flags, input_parameter, make_parameter, option_parameter, with_parameters
from voirdire.errors import UsageError, VoirDireError
from voirdire.exam import Study, exams, load, studied
from voirdire.figures import counted, short, show_count, show_figure, show_interval
from voirdire.options import about, named, option_fields, renamed, types_of
from voirdire.study.design import CollectOptions
from voirdire.tables import aligned

if TYPE_CHECKING:
    from voirdire.runs.estimate import Estimate
    from voirdire.study.collect import Collected
    from voirdire.study.folder import OpenedStudy

Parameter = inspect.Parameter

_Folder = Annotated[str, typer.Argument(metavar="STUDY", help="A study's folder, from `voirdire study make`.")]
_Output = Annotated[str, typer.Option("--output", "-o", metavar="STUDY", help="The folder to write the study to.")]
_Images = Annotated[
    str | None, typer.Option(metavar="PATH", help="Where the pictures are, by COCO name: a folder or a zip.")
]
_Language = Annotated[
    str, typer.Option(metavar="en|de|FILE", help="The words of the page: a language, or a file of texts of your own.")
]
_Judges = Annotated[list[str], typer.Argument(metavar="JUDGE…", help="Who, as `study status` calls them.")]


def study_verbs() -> TyperGroup:
    """Let people judge: draw tasks, serve a page on this machine, and collect what they say as figures."""
    names = ("invite", "serve", "status", "collect", "revoke", "forget")
    make = Later("make", lambda: str(_make_verbs.__doc__), _make_verbs)
    return group("study", str(study_verbs.__doc__), [make, *(verb(f"{__name__}:{name}") for name in names)])


def _make_verbs() -> TyperGroup:
    """Draw tasks for people from files, by exam, and write the folder of a study."""
    judged = [(exam.name, part.study) for exam in exams() for part in exam.parts if part.study is not None]
    verbs = [later(name, partial(_about, study), partial(_maker, name)) for name, study in judged]
    return group("make", str(_make_verbs.__doc__), verbs)


def _about(study: Study) -> str:
    """What people are asked: the first sentence of what draws the tasks."""
    said = inspect.getdoc(inspect.getmodule(load(study.function))) or ""
    return " ".join(said.partition("\n\n")[0].split())


def _maker(name: str) -> Callable[..., None]:
    _, part = studied(name)
    study = part.study
    assert study is not None
    hints, fields = types_of(study.options), option_fields(study.options)
    parameters = [
        *map(input_parameter, study.inputs),
        make_parameter("output", _Output, Parameter.empty),
        make_parameter("images", _Images, None),
        make_parameter("language", _Language, "en"),
        *(option_parameter(one, hints[one.name]) for one in fields),
        make_parameter("as_json", AsJson, False),
    ]
    flags = input_flags(study.inputs)
    flags |= {one: _flag(one) for one in ("output", "images", "language")}
    flags |= {named(one): _flag(named(one)) for one in fields if not about(one).positional}

    def made(**values: Any) -> None:
        try:
            _make(name, study, values)
        except VoirDireError as error:
            raise UsageError(renamed(str(error), flags)) from error

    return with_parameters(made, parameters)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _make(name: str, study: Study, values: Mapping[str, Any]) -> None:
    from voirdire.study.folder import make_study

    options: Any = study.options(**{one.name: values[one.name] for one in option_fields(study.options)})
    given = {one.name: values[one.name] for one in study.inputs}
    with shown_stages() as stages:
        made = make_study(
            name,
            given,
            options,
            values["output"],
            images=values["images"],
            language=values["language"],
            stages=stages,
        )
    told = _told(made)
    if values["as_json"]:
        show_json(told)
        return
    say(
        f"{told['tasks']:,} tasks and {counted(told['checks'], 'attention check')} for {told['judges']} people each, "
        f"{told['judgements']:,} judgements in all: {values['output']}"
    )
    if not made.pictures:
        warn(["The tasks have no pictures; --images says where these are."])
    say(f"Its words, consent among them: {made.folder / 'texts.txt'}; then voirdire study invite, or serve --open.")


def _told(study: "OpenedStudy") -> dict[str, Any]:
    checks = sum(bool(task.truth) for task in study.tasks)
    return {
        "exam": study.about.exam,
        "part": study.about.part,
        "tasks": len(study.tasks) - checks,
        "checks": checks,
        "judges": study.about.judges,
        "judgements": len(study.tasks) * study.about.judges,
        "pictures": len(study.pictures),
        "seal": study.seal,
    }


def invite(
    study: _Folder,
    people: Annotated[int, typer.Option(min=0, max=10_000, metavar="N", help="How many links to make.")] = 0,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A link for somebody by name or code; may be given again."),
    ] = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the page is served, as people reach it.")
    ] = "http://127.0.0.1:8377/",
    as_json: AsJson = False,
) -> None:
    """Make a link for each person who is to judge. It is shown once, and only its hash is kept."""
    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    wished = [one.strip() for one in names or ()]
    if not people and not wished:
        raise UsageError("say who is invited: --people N, or --name NAME")
    if wrong := [one for one in wished if not 0 < len(one) <= 80 or not one.isprintable()]:
        raise UsageError(f"--name must be 1 to 80 characters that can be printed, got {wrong[0]!r}")
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--url must begin with http:// or https://, got {url}")
    store = JudgedStore(open_study(study))
    made = store.invite(people, wished)
    store.close()
    links = {one.name: f"{url.partition('#')[0]}#{one.token}" for one in made}
    if as_json:
        show_json(links)
        return
    for name, link in links.items():
        say(f"{name}  {link}")


def serve(
    study: _Folder,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where on this machine; 0 for any that is free.")] = 8377,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at; the default is reached from here alone.")
    ] = "127.0.0.1",
    open: Annotated[
        bool, typer.Option("--open", help="Let in whoever comes without a link, on this machine alone: for oneself.")
    ] = False,
    until_done: Annotated[bool, typer.Option("--until-done", help="Stop when every task has its judges.")] = False,
) -> None:
    """Serve the page on which people judge, until Ctrl-C. Each answer is on disk before it is acknowledged."""
    from voirdire.study.folder import open_study
    from voirdire.study.serve import is_loopback, serve_study

    if not is_loopback(host):
        warn(
            [
                f"{host} is open to the network, and what goes over it can be read on the way. For TLS, leave the "
                "study on 127.0.0.1 and put a server before it, such as: caddy reverse-proxy --from study.example.org "
                f"--to 127.0.0.1:{port}"
            ]
        )
    serve_study(open_study(study), host, port, open, until_done, announce=partial(say, err=True))
    say("stopped; every answer that was acknowledged is kept", err=True)


def status(study: _Folder, as_json: AsJson = False) -> None:
    """Say how far the judges are, and their completion codes."""
    import msgspec

    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    opened = open_study(study)
    store = JudgedStore(opened)
    people, taken, kept = store.people(), store.taken(), store.kept()
    store.close()
    wanted = opened.about.judges
    told = {
        **_told(opened),
        "judged": len(kept),
        "finished": sum(count >= wanted for count in taken),
        "people": msgspec.to_builtins(people),
    }
    if as_json:
        show_json(told)
        return
    share = len(kept) / max(1, told["judgements"])
    say(
        f"{told['exam']}: {len(kept):,} of {told['judgements']:,} judgements ({share:.0%}); {told['finished']:,} of "
        f"{len(taken):,} tasks have all of their {wanted}"
    )
    head = ("judge", "done", "skipped", "open", "agreed", "code", "link")
    rows = [
        (
            *(one.name, show_count(one.done), show_count(one.skipped), show_count(one.open)),
            *(one.consented[:10] or "–", one.code or "–", "revoked" if one.revoked else "valid"),
        )
        for one in people
    ]
    if rows:
        say("\n".join(["", *aligned(head, rows)]))


def _collect(**values: Any) -> None:
    """Make the files of the exam from what was judged so far, and print its figures, agreement and judges."""
    from voirdire.study.collect import collect_study
    from voirdire.study.folder import open_study

    fields: dict[str, Any] = {one.name: values[one.name] for one in option_fields(CollectOptions)}
    options = CollectOptions(**{**fields, "without": tuple(fields["without"])})
    made = collect_study(open_study(values["study"]), values["output"], options, values["overwrite"])
    if values["as_json"]:
        show_json(_as_json(made))
        return
    _show(made)


def _signed() -> Callable[..., None]:
    """`collect`, whose flags are those of its options."""
    hints = types_of(CollectOptions)
    out = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="The folder to write what was judged to.")]
    again = Annotated[bool, typer.Option("--overwrite", help="Let --output take the place of an earlier one.")]
    parameters = [
        make_parameter("study", _Folder, Parameter.empty),
        make_parameter("output", out, Parameter.empty),
        *(option_parameter(one, hints[one.name]) for one in option_fields(CollectOptions)),
        make_parameter("overwrite", again, False),
        make_parameter("as_json", AsJson, False),
    ]
    return with_parameters(_collect, parameters)


collect = _signed()


def _show(made: "Collected") -> None:
    from voirdire.exam import part_of
    from voirdire.tables import text_table

    tables = part_of(made.run).tables
    say((load(tables) if tables else text_table)(made.run))
    kappa, alpha = map(_with_interval, (made.agreement.kappa, made.agreement.alpha))
    units = counted(made.agreement.units, "unit")
    say(f"\nFleiss' κ {kappa}, Krippendorff's α {alpha} over {units} with several judges\n")
    head = ("judge", "judged", "checks", "failed", "agrees (%)", "seconds", "remark")
    rows = [
        (
            *(one.judge, show_count(one.judged), show_count(one.checks), show_count(one.failed)),
            short(None if one.agreement is None else 100 * one.agreement),
            short(one.seconds),
            "left out" if one.judge in made.left_out else "named" if one.named else "",
        )
        for one in made.judges
    ]
    say("\n".join(aligned(head, rows)))
    for one in made.judges:
        if one.named:
            say(f"{one.judge} {one.named}")
    say(f"\n{made.folder}: {', '.join(made.files)}")
    warn(made.warnings)


def _with_interval(one: "Estimate") -> str:
    value = show_figure(one.value)
    return value if one.low is None else f"{value} ({show_interval(one.low, one.high)})"


def _as_json(made: "Collected") -> dict[str, Any]:
    import msgspec

    return {
        **msgspec.json.decode(made.run.to_json()),
        "agreement": msgspec.to_builtins(made.agreement),
        "judges": msgspec.to_builtins(made.judges),
        "left_out": made.left_out,
    }


def revoke(study: _Folder, judge: _Judges) -> None:
    """Take links back. What these people judged stays; what they have open is given to others."""
    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    store = JudgedStore(open_study(study))
    with store.writing():
        for name in judge:
            store.revoke(name)
    store.close()
    say(f"revoked: {', '.join(judge)}")


def forget(
    study: _Folder,
    judge: _Judges,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without it, only say what would be deleted.")] = False,
) -> None:
    """Delete people and all that they said. Their tasks are given to others."""
    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    store = JudgedStore(open_study(study))
    there = {one.name: one.done for one in store.people()}
    for name in judge:
        if name not in there:
            store.forget(name)  # Says who there is.
    if yes:
        for name in judge:
            store.forget(name)
    store.close()
    done = sum(there[name] for name in judge)
    say(f"{'deleted' if yes else 'would delete, with --yes'}: {', '.join(judge)}, {counted(done, 'judgement')}")
