"""What a config asks for that needs a grant (`live.trust`): by what a call names, or by a question to the user."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from voirdire.errors import UsageError
from voirdire.live.trust import Wish, remember, ungranted, wishes
from voirdire.session.config import Config
from voirdire.session.schedule import live_options

OF_THIS_MACHINE = ("here", "processes")
"""Engines whose workers are on this machine."""


def with_call(
    config: Config, keys: Sequence[str] = (), trust: Sequence[str] = (), proxy: str | None = None, ca: str | None = None
) -> Config:
    """The config with what a call names, which is thereby granted.

    keys   `VARIABLE`, or `MODEL=VARIABLE` where several models are asked live
    trust  further grants, as `VARIABLE@HOST`
    """
    if (keys or proxy or ca) and not config.live:
        raise UsageError(f"{config.places.name}: no model is asked live, so `key`, `proxy` and `ca` are of no use")
    of_all = {option: value for option, value in (("proxy", proxy), ("ca", ca)) if value is not None}
    named: dict[str, dict[str, str]] = {name: dict(of_all) for name in config.live}
    for key in keys:
        model, equals, variable = key.rpartition("=")
        if not equals and len(named) > 1:
            raise UsageError(f"`key` must name its model, as in {next(iter(named))}={key}: {len(named)} are asked live")
        model = model if equals else next(iter(named))
        if model not in named:
            raise UsageError(f"`key` must name a model that is asked live, {' or '.join(named)}, got {model!r}")
        named[model]["key"] = variable
    live = {name: {**given, **named[name]} for name, given in config.live.items()}
    config = replace(config, live=live, trust=tuple(trust))
    by_call = [wish.grant for name, wish in _of_models(config) if wish.option in named[name]]
    return replace(config, trust=(*trust, *by_call))


def check_trust(config: Config, engine: bool = True, confirm: Callable[[str], bool] | None = None) -> None:
    """Refuse a config that was read from a file and asks for what nobody granted.

    engine   whether the work is done where the config says
    confirm  asks the user a question; what is confirmed is remembered
    """
    if not config.places.name:
        return
    asked = {wish.grant: (f"models.{name}.{wish.option}", wish) for name, wish in _of_models(config)}
    kind, _, address = (config.engine or "").partition(":")
    if engine and kind not in OF_THIS_MACHINE and address not in ("", "auto"):
        wish = Wish("engine", kind, address, f"send work and data to the {kind} cluster at {address}")
        asked[wish.grant] = ("engine", wish)
    missing = [asked[wish.grant] for wish in ungranted((wish for _, wish in asked.values()), config.trust)]
    if not missing:
        return
    for key, wish in missing:
        if confirm is None or not confirm(f"{config.places.at(key)}: {wish.does}?"):
            grants = ", ".join(f"`trust` {other.grant}" for _, other in missing)
            raise UsageError(
                f"{config.places.at(key)}: a config alone may not {wish.does}; where you mean it, call with {grants}"
            )
    remember(wish.grant for _, wish in missing)


def _of_models(config: Config) -> Iterator[tuple[str, Wish]]:
    for name, given in config.live.items():
        options = live_options(config, name, given)
        try:
            asked = wishes(options)
        except UsageError as error:
            raise UsageError(f"{config.places.at(f'models.{name}')}: {error}") from None
        yield from ((name, wish) for wish in asked)
