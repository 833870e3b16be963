"""`voirdire models`: the papers' own networks: what there is, features of pictures, training, and answers."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from voirdire.cli.command import flagged, group, later, verb
from voirdire.cli.output import say, show_json
from voirdire.cli.progress_bars import show_progress, shown_stages
from voirdire.cli.verbs import make_parameter, option_parameter, with_parameters
from voirdire.errors import UsageError
from voirdire.options import Options, option_fields, types_of

Parameter = inspect.Parameter
FEATURES = "Make features of pictures, by a network that comes along or is on this machine."
TRAIN = "Train a network on VQA questions and annotations; a killed training goes on when it is called again."
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_Features = Annotated[
    str | None, typer.Option(metavar="FILE", help="Features of the pictures, for a network that sees.")
]


def list_networks(as_json: _Json = False) -> None:
    """List the networks: their names, what they see, and the papers that they are from."""
    from voirdire.models.architectures import ARCHITECTURES

    if as_json:
        rows = {
            name: {"title": made.title, "citation": made.citation, "features": made.layout}
            for name, made in ARCHITECTURES.items()
        }
        show_json({"networks": rows}, indent=-1)
        return
    for name, made in ARCHITECTURES.items():
        say(f"{name:<14} {made.title}; features: {made.layout}. {made.citation}")


def answer(
    network: Annotated[Path, typer.Argument(metavar="FILE", help="A network that `models train` wrote.")],
    questions: Annotated[
        list[str], typer.Option(metavar="FILE", help="VQA questions, clean or noisy. May be given again.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The results; a folder for several files of questions.")
    ],
    features: _Features = None,
) -> None:
    """Let a trained network answer VQA questions, of several files at once."""
    from voirdire.models.answering import answer_files

    with show_progress("answer", "replies") as report:
        written = answer_files(network, questions, output, features, report)
    for path, count in written:
        say(f"answers to {count:,} questions: {path}")


def features_verb() -> Any:
    """The verb that makes features; its options are those of `FeatureOptions`."""
    from voirdire.models.make_features import FeatureOptions

    def features(**values: Any) -> None:
        from voirdire.models.make_features import make_features

        options = FeatureOptions(**{field.name: values[field.name] for field in option_fields(FeatureOptions)})
        with show_progress("features", "pictures") as report:
            made = make_features(values["pictures"], values["output"], options, report)
        for error in made.unread:
            say(f"left out: {error}", err=True)
        shape = " × ".join(f"{size:,}" for size in made.shape)
        say(f"features of {made.pictures:,} pictures ({made.made:,} made now), {shape}: {values['output']}")

    pictures = Annotated[str, typer.Option(metavar="PATH", help="A folder or a zip of pictures, with COCO names.")]
    output = Annotated[str, typer.Option("--output", "-o", metavar="OUT.h5", help="Where to write: .h5 or .hdf5.")]
    parameters = [
        make_parameter("pictures", pictures, Parameter.empty),
        make_parameter("output", output, Parameter.empty),
    ]
    return flagged(with_parameters(features, [*parameters, *options_as_flags(FeatureOptions)]))


def train_verb() -> Any:
    """The verb that trains a network; its options are those of `NetworkTraining`."""
    from voirdire.models.train_network import NetworkTraining

    def train(**values: Any) -> None:
        from voirdire.models.train_network import train_network_files

        options = NetworkTraining(**{field.name: values[field.name] for field in option_fields(NetworkTraining)})
        valid = values["valid_questions"], values["valid_annotations"]
        if valid.count(None) == 1:
            raise UsageError("give both `valid_questions` and `valid_annotations`, or neither")
        files = (values["vqa_questions"], values["annotations"], values["features"], valid if all(valid) else None)
        with shown_stages() as stages:
            trained = train_network_files(values["network"], *files, options, stages, output=values["output"])
        for number, epoch in enumerate(trained.history, start=1):
            after = "" if epoch.valid_error is None else f", {epoch.valid_error:.4f} on validation questions"
            say(f"epoch {number}: error {epoch.error:.4f}{after}{' (kept)' if number == trained.epoch else ''}")
        count, words, classes = trained.examples, len(trained.vocabulary.words), len(trained.classes)
        say(f"learnt from {count:,} questions, {words:,} words, {classes:,} classes: {values['output']}")

    file = "FILE"
    parameters = [
        make_parameter(
            "network",
            Annotated[str, typer.Argument(metavar="NAME", help="A network of `models list`.")],
            Parameter.empty,
        ),
        make_parameter(
            "vqa_questions",
            Annotated[str, typer.Option("--questions", metavar=file, help="VQA questions.")],
            Parameter.empty,
        ),
        make_parameter(
            "annotations", Annotated[str, typer.Option(metavar=file, help="Their annotations.")], Parameter.empty
        ),
        make_parameter(
            "output",
            Annotated[str, typer.Option("--output", "-o", metavar="OUT.npz", help="Where to write it.")],
            Parameter.empty,
        ),
        make_parameter("features", _Features, None),
        make_parameter(
            "valid_questions",
            Annotated[str | None, typer.Option(metavar=file, help="Questions that choose the epoch.")],
            None,
        ),
        make_parameter(
            "valid_annotations", Annotated[str | None, typer.Option(metavar=file, help="Their annotations.")], None
        ),
    ]
    return flagged(with_parameters(train, [*parameters, *options_as_flags(NetworkTraining)]))


def options_as_flags(options: type[Options]) -> list[Any]:
    """The options of a verb as its flags."""
    types = types_of(options)
    return [option_parameter(field, types[field.name]) for field in option_fields(options)]


def models_verbs() -> Any:
    """Train the papers' own networks, and let them answer."""
    verbs = [
        verb(f"{__name__}:list_networks", "list"),
        later("features", lambda: FEATURES, features_verb),
        later("train", lambda: TRAIN, train_verb),
        verb(f"{__name__}:answer"),
    ]
    return group("models", str(models_verbs.__doc__), verbs)
