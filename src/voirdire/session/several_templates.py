"""A live model that is asked in several templates: one model of the session for each, called NAME@TEMPLATE.

models: {gpt: {model: openai:…, templates: [plain, explicit, brief]}}
→       gpt@plain, gpt@explicit, gpt@brief, each with its own replies, files and runs
"""

from collections.abc import Mapping
from dataclasses import replace

from voirdire.errors import InputError, UsageError
from voirdire.session.config import MODEL_NAME, Config, Values, is_model_name
from voirdire.session.schedule import live_options
from voirdire.verdict.templates import BETWEEN


def over_templates(config: Config) -> Config:
    """The config with a model for each template of those that are asked in several."""
    models: dict[str, Mapping[str, Values]] = {}
    live: dict[str, Values] = {}
    for name, files in config.models.items():
        given = config.live.get(name)
        own: dict[str, Values] = {} if given is None else {name: given}
        spread = _in_templates(config, name, given) if given is not None else {}
        if spread and files:
            place = config.places.at(f"models.{name}")
            raise UsageError(f"{place}: {name} brings files, which no template made; leave `templates` out, or these")
        for label in spread or (name,):
            if label in models:
                place = config.places.at(f"models.{name}")
                raise UsageError(f"{place}: {label} is also the name of another model; call one of them otherwise")
            models[label] = {} if spread else files
        live |= spread or own
    return replace(config, models=models, live=live)


def _in_templates(config: Config, name: str, given: Values) -> dict[str, Values]:
    """The settings of a live model in each of its templates; empty where it has only one."""
    options = live_options(config, name, given)
    if not options.templates:
        return {}
    # The client comes with it.
    from voirdire.live.prompts import read_template
    from voirdire.live.providers import make_model

    place = config.places.at(f"models.{name}.templates")
    alone = {key: value for key, value in given.items() if key != "templates"}
    spread: dict[str, Values] = {}
    for template in options.templates:
        try:
            label = f"{name}{BETWEEN}{read_template(template).name}"
        except InputError as error:
            raise UsageError(f"{place}: {error}") from None
        if label in spread:
            raise UsageError(f"{place}: `templates` has two that are called {label.partition(BETWEEN)[2]}")
        if not is_model_name(label):
            raise UsageError(f"{place}: a model and its template are called {MODEL_NAME}; got {label!r}")
        spread[label] = {**alone, "template": template}
    if getattr(make_model(live_options(config, name, alone)), "template", None) is None:
        raise UsageError(f"{place}: {options.model} is asked without words, so `templates` change nothing")
    return spread
