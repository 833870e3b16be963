"""Tables of prices, of both layouts; what is wrong in one is named."""

import json
from pathlib import Path

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.live.chat import ChatModel
from voirdire.live.client import Client
from voirdire.live.endpoint import Endpoint
from voirdire.live.prices import Price, Prices, read_prices
from voirdire.live.prompts import read_template
from voirdire.live.providers import FunctionModel


def model(name: str) -> ChatModel:
    return ChatModel(name, Client(Endpoint.at("https://models.example/v1")), read_template())


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_prices_of_a_million_tokens_and_of_one(tmp_path: Path) -> None:
    table = read_prices(written(tmp_path / "a.csv", "model,sent,received,note\nsmall,0.15,0.6,x\nlarge,2.5,10,\n"))
    assert table.of(model("small")) == Price(0.15, 0.6)
    assert table.of(model("large")).cost(2_000_000, 100_000) == 6.0
    per_token = {
        "sample_spec": {"input_cost_per_token": "what a token costs"},
        "large": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "mode": "chat"},
        "pictures": {"output_cost_per_image": 0.04},
    }
    other = read_prices(written(tmp_path / "b.json", json.dumps(per_token)))
    assert other.table == {"large": Price(2.5, 10.0)}


def test_who_is_in_this_process_costs_nothing_and_who_is_not_in_the_table_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "model,sent,received\nsmall,1,2\n")
    function = FunctionModel("python:mine:reply", lambda messages, picture: "yes", read_template())
    assert read_prices(path).of(function) == Price()
    with pytest.raises(UsageError, match="has no price of 'smal'; it has 'small'"):
        read_prices(path).of(model("smal"))
    assert read_prices(path, Price(3, 4)).of(model("smal")) == Price(3, 4)
    assert Prices(Price(1, 1)).of(model("any")) == Price(1, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,sent\na,1\n", "field `received`: found no such column"),
        ("model,sent,received\na,-1,2\n", "line 2, field `sent`: found '-1'"),
        ("model,sent,received\na,nan,2\n", "line 2, field `sent`: found 'nan'"),
        ("model,sent,received\na,1,2\na,1,2\n", "'a' twice"),
        ("model,sent,received\n", "no price"),
        ("", "an empty file"),
        ('{"a": {"input_cost_per_token": 7, "output_cost_per_token": 0}}', "prices of a token"),
        ('{"a": ', "no JSON object"),
        ("{}", "no price"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_prices(written(tmp_path / "prices", text))
