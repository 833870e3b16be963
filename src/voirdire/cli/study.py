"""`voirdire study`: draw tasks for people, serve the page on which they judge, and make figures of their judgements."""

import inspect
from collections import Counter
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
_Images = Annotated[str | None, typer.Option(metavar="PATH", help="A folder or a zip of pictures, with COCO names.")]
_Language = Annotated[
    str, typer.Option(metavar="en|de|FILE", help="The language of the page, or a file with texts of your own.")
]
_Judges = Annotated[list[str], typer.Argument(metavar="JUDGE…", help="Judges, by their names in `study status`.")]


def study_verbs() -> TyperGroup:
    """Let people judge: draw tasks, serve a page on this machine, and turn the judgements into figures."""
    names = ("invite", "serve", "status", "collect", "revoke", "forget")
    make = Later("make", lambda: str(_make_verbs.__doc__), _make_verbs)
    return group("study", str(study_verbs.__doc__), [make, *(verb(f"{__name__}:{name}") for name in names)])


def _make_verbs() -> TyperGroup:
    """Draw tasks for people from files, by exam, and write the folder of a study."""
    judged = [(exam.name, part.study) for exam in exams() for part in exam.parts if part.study is not None]
    verbs = [later(name, partial(_about, study), partial(_maker, name)) for name, study in judged]
    return group("make", str(_make_verbs.__doc__), verbs)


def _about(study: Study) -> str:
    """What people are asked: the first sentence of the module that draws the tasks."""
    text = inspect.getdoc(inspect.getmodule(load(study.function))) or ""
    return " ".join(text.partition("\n\n")[0].split())


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
        *(option_parameter(field, hints[field.name]) for field in fields),
        make_parameter("as_json", AsJson, False),
    ]
    flags = input_flags(study.inputs)
    flags |= {name: _flag(name) for name in ("output", "images", "language")}
    flags |= {named(field): _flag(named(field)) for field in fields if not about(field).positional}

    def call(**values: Any) -> None:
        try:
            _make(name, study, values)
        except VoirDireError as error:
            raise UsageError(renamed(str(error), flags)) from error

    return with_parameters(call, parameters)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _make(name: str, study: Study, values: Mapping[str, Any]) -> None:
    from voirdire.study.folder import make_study

    options: Any = study.options(**{field.name: values[field.name] for field in option_fields(study.options)})
    given = {source.name: values[source.name] for source in study.inputs}
    with shown_stages() as stages:
        study_ = make_study(
            name,
            given,
            options,
            values["output"],
            images=values["images"],
            language=values["language"],
            stages=stages,
        )
    counts = _counts(study_)
    if values["as_json"]:
        show_json(counts)
        return
    say(
        f"{counts['tasks']:,} tasks and {counted(counts['checks'], 'attention check')} for {counts['judges']} people "
        f"each, {counts['judgements']:,} judgements in all: {values['output']}"
    )
    if not study_.pictures:
        warn(["The tasks have no pictures; --images says where these are."])
    say(f"Its words, consent among them: {study_.folder / 'texts.txt'}; then voirdire study invite, or serve --open.")


def _counts(study: "OpenedStudy") -> dict[str, Any]:
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
    people: Annotated[int, typer.Option(min=0, max=10_000, metavar="N", help="Number of links to make.")] = 0,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A link for somebody by name or code; may be given again."),
    ] = None,
    url: Annotated[
        str, typer.Option(metavar="URL", help="The address at which judges reach the page.")
    ] = "http://127.0.0.1:8377/",
    as_json: AsJson = False,
) -> None:
    """Make a link for each judge. It is shown once, and only its hash is kept."""
    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    wished = [name.strip() for name in names or ()]
    if not people and not wished:
        raise UsageError("say who is invited: --people N, or --name NAME")
    if wrong := [name for name in wished if not 0 < len(name) <= 80 or not name.isprintable()]:
        raise UsageError(f"--name must be 1 to 80 characters that can be printed, got {wrong[0]!r}")
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--url must begin with http:// or https://, got {url}")
    store = JudgedStore(open_study(study))
    invited = store.invite(people, wished)
    store.close()
    links = {person.name: f"{url.partition('#')[0]}#{person.token}" for person in invited}
    if as_json:
        show_json(links)
        return
    for name, link in links.items():
        say(f"{name}  {link}")


def serve(
    study: _Folder,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 for any free one.")] = 8377,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at; the default is for this machine alone.")
    ] = "127.0.0.1",
    open: Annotated[
        bool, typer.Option("--open", help="Let anybody in without a link, on this machine alone: to try it yourself.")
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
    """Show how far the judges are, and their completion codes."""
    import msgspec

    from voirdire.study.folder import open_study
    from voirdire.study.stored_judgements import read_judgements

    opened = open_study(study)
    judgements = read_judgements(opened)
    people, kept = judgements.people, judgements.kept
    taken = Counter(judgement.task for judgement in kept)
    wanted = opened.about.judges
    counts = {
        **_counts(opened),
        "judged": len(kept),
        "finished": sum(count >= wanted for count in taken.values()),
        "people": msgspec.to_builtins(people),
    }
    warn(filter(None, [judgements.damage]))
    if as_json:
        show_json(counts)
        return
    share = len(kept) / max(1, counts["judgements"])
    say(
        f"{counts['exam']}: {len(kept):,} of {counts['judgements']:,} judgements ({share:.0%}); "
        f"{counts['finished']:,} of {len(opened.tasks):,} tasks have all of their {wanted}"
    )
    head = ("judge", "done", "skipped", "open", "agreed", "code", "link")
    rows = [
        (
            *(person.name, show_count(person.done), show_count(person.skipped), show_count(person.open)),
            *(person.consented[:10] or "–", person.code or "–", "revoked" if person.revoked else "valid"),
        )
        for person in people
    ]
    if rows:
        say("\n".join(["", *aligned(head, rows)]))


def _collect(**values: Any) -> None:
    """Make the exam's files from the judgements so far, and print figures, agreement and judges."""
    from voirdire.study.collect import collect_study
    from voirdire.study.folder import open_study

    fields: dict[str, Any] = {field.name: values[field.name] for field in option_fields(CollectOptions)}
    options = CollectOptions(**{**fields, "without": tuple(fields["without"])})
    collected = collect_study(open_study(values["study"]), values["output"], options, values["overwrite"])
    if values["as_json"]:
        show_json(_as_json(collected))
        return
    _show(collected)


def _signed() -> Callable[..., None]:
    """`collect`, whose flags are those of its options."""
    hints = types_of(CollectOptions)
    out = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="The folder for the judgements.")]
    again = Annotated[bool, typer.Option("--overwrite", help="Let --output take the place of an earlier one.")]
    parameters = [
        make_parameter("study", _Folder, Parameter.empty),
        make_parameter("output", out, Parameter.empty),
        *(option_parameter(field, hints[field.name]) for field in option_fields(CollectOptions)),
        make_parameter("overwrite", again, False),
        make_parameter("as_json", AsJson, False),
    ]
    return with_parameters(_collect, parameters)


collect = _signed()


def _show(collected: "Collected") -> None:
    from voirdire.exam import part_of
    from voirdire.tables import text_table

    tables = part_of(collected.run).tables
    say((load(tables) if tables else text_table)(collected.run))
    kappa, alpha = map(_with_ci, (collected.agreement.kappa, collected.agreement.alpha))
    units = counted(collected.agreement.units, "unit")
    say(f"\nFleiss' κ {kappa}, Krippendorff's α {alpha} over {units} with several judges\n")
    head = ("judge", "judged", "checks", "failed", "agrees (%)", "seconds", "remark")
    rows = [
        (
            *(judge.judge, show_count(judge.judged), show_count(judge.checks), show_count(judge.failed)),
            short(None if judge.agreement is None else 100 * judge.agreement),
            short(judge.seconds),
            "left out" if judge.judge in collected.left_out else "named" if judge.named else "",
        )
        for judge in collected.judges
    ]
    say("\n".join(aligned(head, rows)))
    for judge in collected.judges:
        if judge.named:
            say(f"{judge.judge} {judge.named}")
    say(f"\n{collected.folder}: {', '.join(collected.files)}")
    warn(collected.warnings)


def _with_ci(estimate: "Estimate") -> str:
    value = show_figure(estimate.value)
    return value if estimate.low is None else f"{value} ({show_interval(estimate.low, estimate.high)})"


def _as_json(collected: "Collected") -> dict[str, Any]:
    import msgspec

    return {
        **msgspec.json.decode(collected.run.to_json()),
        "agreement": msgspec.to_builtins(collected.agreement),
        "judges": msgspec.to_builtins(collected.judges),
        "left_out": collected.left_out,
    }


def revoke(study: _Folder, judge: _Judges) -> None:
    """Revoke links. The judgements of these people stay; their open tasks are given to others."""
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
    yes: Annotated[bool, typer.Option("--yes", help="Delete; without it, only say what would be deleted.")] = False,
) -> None:
    """Delete people and all their judgements. Their tasks are given to others."""
    from voirdire.study.database import JudgedStore
    from voirdire.study.folder import open_study

    store = JudgedStore(open_study(study))
    judged = {person.name: person.done for person in store.read().people}
    for name in judge:
        if name not in judged:
            store.forget(name)  # Its error says who there is.
    if yes:
        for name in judge:
            store.forget(name)
    store.close()
    done = sum(judged[name] for name in judge)
    say(f"{'deleted' if yes else 'would delete, with --yes'}: {', '.join(judge)}, {counted(done, 'judgement')}")
