"""What tokens cost: a table by model, in a file.

    model,sent,received                                                     CSV, prices of a million tokens
    {MODEL: {"input_cost_per_token": …, "output_cost_per_token": …}, …}     JSON, prices of a token, as LiteLLM has them

The model is the one of `openai:MODEL@URL`. Prices go out of date, so none come with Voir Dire.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

import msgspec

from voirdire.errors import UsageError, shorten
from voirdire.formats.csv_and_npz import Column, read_table, text
from voirdire.formats.files import Source, open_source
from voirdire.formats.strict import Problems
from voirdire.live.model import LiveModel

MOST = 1e6
"""The highest price of a million tokens."""


@dataclass(frozen=True)
class Price:
    """Of a million tokens that are sent, and of a million that are received."""

    sent: float = 0.0
    received: float = 0.0

    def cost(self, sent: int, received: int) -> float:
        """What so many tokens cost."""
        return (self.sent * sent + self.received * received) / 1e6


FREE = Price()


@dataclass(frozen=True)
class Prices:
    """Prices by model, and one for those that the table does not have."""

    others: Price = FREE
    table: Mapping[str, Price] = field(default_factory=dict)
    name: str = ""

    def of(self, model: LiveModel) -> Price:
        """What a model's tokens cost; UsageError where it is behind an endpoint and has no price."""
        called = model.identity["model"] if self.table else ""
        if called in self.table:
            return self.table[called]
        if self.table and self.others == FREE and not model.local:
            near = get_close_matches(called, self.table, 3) or sorted(self.table)[:3]
            raise UsageError(
                f"`prices`: {self.name} has no price of {shorten(called)}; it has {', '.join(map(shorten, near))}, …; "
                "add it, or give `price_sent` and `price_received`"
            )
        return self.others


class _PerToken(msgspec.Struct):
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None


def _read_price(cell: str) -> float:
    value = float(cell)
    if not 0 <= value <= MOST:
        raise ValueError(cell)
    return value


def _column(name: str) -> Column:
    return Column(name, _read_price, f"a number from 0 to {MOST:,.0f}")


def read_prices(path: str, others: Price = FREE) -> Prices:
    """A table of prices, of either layout."""
    source = open_source(path)
    problems = Problems(source.name)
    table = _per_token(source, problems) if source.data.lstrip()[:1] == b"{" else _per_million(source, problems)
    problems.check()
    if not table:
        raise source.fail("", "", "no price", "at least one")
    return Prices(others, table, source.name)


def _per_million(source: Source, problems: Problems) -> dict[str, Price]:
    read = read_table(source, (text("model"), _column("sent"), _column("received")), problems)
    rows = zip(*(read.columns[name] for name in ("model", "sent", "received")), read.lines, strict=True)
    prices: dict[str, Price] = {}
    for model, sent, received, line in rows:
        if model in prices:
            problems.add(f"line {line}", "model", f"{shorten(model)} twice", "each model once")
        prices[model] = Price(sent, received)
    return prices


def _per_token(source: Source, problems: Problems) -> dict[str, Price]:
    """The models that have both prices; a real table also has such as are paid by picture or second."""
    try:
        rows = msgspec.json.decode(source.data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise source.fail(
            "", "", f"no JSON object ({error})", "an object with a model's prices under its name"
        ) from None
    prices: dict[str, Price] = {}
    for model, raw in rows.items():
        try:
            price = msgspec.json.decode(raw, type=_PerToken)
        except msgspec.ValidationError:
            # Its first entry explains the fields, in words.
            continue
        given = price.input_cost_per_token, price.output_cost_per_token
        if given[0] is None or given[1] is None:
            continue
        sent, received = (1e6 * float(value) for value in given if value is not None)
        if not all(math.isfinite(value) and 0 <= value <= MOST for value in (sent, received)):
            problems.add(
                f"model {shorten(model)}", "", f"{given[0]:g} and {given[1]:g}", "prices of a token, from 0 to 1"
            )
        prices[model] = Price(sent, received)
    return prices
