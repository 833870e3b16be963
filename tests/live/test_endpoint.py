"""URLs, headers and keys: what is sent where, and what is masked in what comes back."""

import base64
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.live.endpoint import Endpoint, Secret, header_variables

KEY = "sk-planted-4711"
AZURE = "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21"


def endpoint(key: str = KEY, headers: tuple[str, ...] = ()) -> Endpoint:
    return Endpoint.at("https://host/v1", Secret(key), headers=headers)


def test_azure_has_its_version_in_each_request_and_its_key_in_a_header_of_its_own() -> None:
    azure = Endpoint.at(AZURE, Secret(KEY))
    assert azure.below("chat/completions") == AZURE.replace("?", "/chat/completions?")
    assert azure.name == AZURE
    assert azure.headers["api-key"] == KEY
    assert "Authorization" not in azure.headers
    with pytest.raises(UsageError, match=r"without \? and #") as caught:
        Endpoint.at(f"https://x.openai.azure.com/openai?api-key={KEY}")
    assert KEY not in str(caught.value)


def test_headers_are_sent_and_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VD_HEADER", "hush-hush-4711")
    given_headers = ("X-Team=vision", "X-Api-Key=env:VD_HEADER")
    with_headers = endpoint(headers=given_headers)
    assert with_headers.headers["X-Team"] == "vision"
    assert with_headers.headers["X-Api-Key"] == "hush-hush-4711"
    assert with_headers.headers["Authorization"] == f"Bearer {KEY}"
    assert with_headers.headers_shown == "X-Api-Key, X-Team=vision"
    assert with_headers.masked(b"hush-hush-4711 and " + KEY.encode()) == b"**** and ****"
    assert header_variables(given_headers) == ["VD_HEADER"]
    assert "hush" not in repr(with_headers)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("X-Team", "must be NAME=VALUE"),
        ("X Team=a", "must be NAME=VALUE"),
        ("Authorization=Bearer abc", "looks like a secret"),
        ("x-api-key=abc", "looks like a secret"),
        ("Host=elsewhere", "every request has its own"),
        ("Content-Length=5", "every request has its own"),
        ("X-Team=a\r\nX-Other: b", "printable ASCII"),
        ("X-Key=env:VD_NOT_SET", "VD_NOT_SET, which is not set"),
        ("X-Key=env:", "names no environment variable"),
    ],
)
def test_headers_that_are_refused(header: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        endpoint(headers=(header,))
    assert "abc" not in str(caught.value)


def escapes(text: str, how: int) -> str:
    """Each sign in one of the ways in which it may be written."""
    ways = (str, lambda sign: f"\\u{ord(sign):04X}", lambda sign: f"%{ord(sign):02x}", lambda sign: f"&#{ord(sign)};")
    return "".join(ways[how // 4**place % 4](sign) for place, sign in enumerate(text))


@given(st.integers(0, 4 ** len(KEY) - 1), st.sampled_from(("", "\n", "\\n", "\r\n")), st.integers(1, len(KEY) - 1))
def test_a_key_is_masked_however_it_is_written(how: int, between: str, place: int) -> None:
    spelled = escapes(KEY[:place], how) + between + escapes(KEY[place:], how)
    assert endpoint().masked(f"a{spelled}b".encode()) == b"a****b"
    assert endpoint().masked_text(f"ä{spelled}b") == "ä****b"


@pytest.mark.parametrize("around", [("", ""), ("Bearer ", ""), ("me:", "\n"), ("x", "y"), ("xy", "zz")])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_key_in_base64_is_masked(around: tuple[str, str], encode: Callable[[bytes], bytes]) -> None:
    key = "sk~planted?4711>"
    packed = encode(f"{around[0]}{key}{around[1]}".encode())
    left = endpoint(key).masked(packed)
    assert b"****" in left
    # What is left on both sides has at most one character of the key in it.
    assert len(left) - 4 <= len(encode("".join(around).encode())) + 8
    assert endpoint(key).masked(b"c2xhbnRlZA==") == b"c2xhbnRlZA=="


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_key_in_utf_16_is_masked(encoding: str) -> None:
    assert KEY[1:-1].encode(encoding)[1:-1] not in endpoint().masked(KEY.encode(encoding))


@given(st.binary(max_size=200))
def test_what_has_no_key_stays_as_it_is(data: bytes) -> None:
    assert endpoint().masked(data) == data


def test_a_short_key_is_a_word() -> None:
    assert endpoint("no").masked(b"no, there is none") == b"no, there is none"
    assert endpoint("EMPTY").masked(b"EMPTY") == b"EMPTY"
