"""What a server says in place of a reply: in which words, of what kind, and what helps.

Every server has a layout of its own. All the words of one are looked through, wherever they stand:

    {"error": {"message", "code", "param", "type"}}     OpenAI, Azure, vLLM, llama.cpp, OpenRouter (with `metadata`)
    [{"error": {"code", "message", "status"}}]          Gemini
    {"object": "error", "message", "type", "code"}      vLLM before 0.10, Mistral
    {"error": "…"}, {"detail": "…" or [{"loc", "msg"}]} Ollama, LM Studio, FastAPI

An error may be an item's: a filter of contents, a dialogue that is too long, a picture that is not taken. Then that
item has no reply, and all others go on. It may be that the server is loading, and is waited for. Any other 4xx is a
mistake in the call, which no repetition mends.
"""

import email.utils
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from voirdire.bounded import Undecodable, decode
from voirdire.errors import shorten, shorten_text
from voirdire.runs.provenance import CONTENT, CONTEXT, IMAGE_SAFETY, PICTURE

AGAIN = frozenset({408, 409, 425, 429})
LARGEST = 64 * 2**10
"""Bytes of an error that are read."""
MOST_WORDS = 20_000
_TITLE = re.compile(rb"<title[^>]*>(.{0,2000}?)</title>", re.IGNORECASE | re.DOTALL)
_HTML = re.compile(rb"\s*<(?:!doctype\s+)?html\b", re.IGNORECASE)
_ECHOES = frozenset({"input", "request", "url", "documentation_url"})
"""Fields in which a server repeats what it was sent, or tells of its pages."""
_IMAGE = r"(?:image|picture|multi-?modal|vision)"
_KINDS = {
    IMAGE_SAFETY: re.compile(
        rf"image_(?:safety|prohibited|other)|input {_IMAGE}s? (?:may|might|contain)[^|]{{0,60}}(?:not allowed|safety)"
        rf"|{_IMAGE}s?[^|]{{0,40}}(?:safety (?:system|polic)|flagged|moderat|sexual|violen)",
        re.IGNORECASE,
    ),
    CONTENT: re.compile(
        r"content_?filter|content[_ ]?policy|content management policy|content filtering|ResponsibleAIPolicy"
        r"|safety system|moderation|flagged|inappropriate content|data_inspection_failed|Content Exists Risk"
        r"|prohibited_content|blocked (?:by|due to|because)|blockReason|usage polic"
        r"|(?-i:\bSAFETY\b)|violates? (?:our|the)[^|]{0,30}pol",
        re.IGNORECASE,
    ),
    CONTEXT: re.compile(
        r"context[_ ](?:length|size|window|limit)|contextlength|exceed_context|maximum (?:model|prompt|input|allowed) "
        r"(?:length|tokens)|(?:prompt|input|request|messages?) (?:is|are|was) too (?:long|large for)|input token count"
        r"|too many (?:input )?tokens|tokens? limit exceed|prompt exceeds|exceeds? (?:the )?n_ctx|too large for model"
        r"|longer than the (?:maximum )?model|tokens \+ `?max_new_tokens|max_tokens must be at least 1, got -"
        r"|must have (?:less|fewer) than \d+ tokens|keep the first \d+ tokens|reduce the length"
        r"|string_above_max_length",
        re.IGNORECASE,
    ),
    PICTURE: re.compile(
        rf"(?:invalid|unsupported|unreadable|broken|corrupt\w*|malformed|bad)[ _-](?:base64[ _-])?{_IMAGE}"
        rf"|{_IMAGE}_(?:parse|too|size|format)|{_IMAGE}s?(?: data| file| size| dimensions?)?[^|]{{0,60}}"
        r"(?:too (?:large|big|small)|exceeds?|larger than|not (?:be )?valid|invalid|could not be|cannot be|unreadable)"
        rf"|(?:cannot|can't|could not|couldn't|failed to|unable to|error) "
        rf"(?:identify|load|loading|decode|decoding|process|processing|parse|open|read|fetch)[^|]{{0,20}} {_IMAGE}"
        r"|image format|aspect ratio|too many (?:image )?pixels",
        re.IGNORECASE,
    ),
}
"""The kinds of an error that is one item's, in the order in which they are looked for."""
_TAKES_NO_PICTURES = re.compile(
    rf"(?:does not|doesn't|do not|don't|cannot|not) (?:currently )?(?:support|accept|take)\w*"
    rf" (?:any )?(?:{_IMAGE}|input of type)"
    rf"|{_IMAGE}s?(?: input| content| modality|_url)*['\"`]? (?:is|are) not (?:supported|enabled)"
    rf"|no endpoints found that support image|not (?:a )?(?:multi-?modal|vision)|vision add-on"
    r"|missing data required for"
    rf"|at most 0 image|unknown variant .image_url|not compiled for multimodal|mmproj|support image input"
    rf"|only (?:supports? )?text|text-only|invalid content type.{{0,20}}image_url|unsupported content.{{0,20}}image_url"
    rf"|{_IMAGE} input is disabled|invalid value: 'image_url'"
    # Without pictures a content is a string; with one it is a list.
    r"|content['\"]? ?:? (?:value )?must be a string|content\.str: input should be a valid string",
    re.IGNORECASE,
)
_LOADING = re.compile(
    r"\bloading\b|(?:is|are) (?:still )?(?:being )?(?:loaded|starting|warming|initiali[sz]ing)|warming up|starting up"
    r"|not (?:yet )?(?:ready|loaded)|model (?:is |was )?unloaded|cold start",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:api|access|subscription)[ _-]?(?:key|token)|unauthori[sz]ed|authenticat", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|credits|funds|balance)|exceeded your current quota|billing|credit balance is too low"
    r"|Arrearage",
    re.I,
)
_AGAIN_IN = re.compile(
    r"(?:try again|retry)[^|\d]{0,20} (?:in|after) (?:(\d{1,3})m)?(\d{1,6}(?:\.\d{1,9})?) ?(ms|s)(?:ec|\b)",
    re.IGNORECASE,
)
"""How a message tells for how long the server asks to be left alone."""
_NO_DEPLOYMENT = re.compile(r"\bResource not found\b|DeploymentNotFound|api[-_]version", re.IGNORECASE)
_NO_SUCH_MODEL = re.compile(
    r"\bmodel\b[^|]{0,60}(?:not|unknown|exist|invalid)|(?:no|unknown|invalid) model|model_not_found", re.I
)
_LOADS = frozenset({409, 424, 425, 500, 502, 503, 529})
_HINTS = (
    (re.compile(r"\bstream\b", re.I), "it only answers in streams, which are not read; ask another endpoint of it"),
    (
        re.compile(r"prompt_logprobs", re.I),
        "it gives no likelihoods of a prompt's tokens; ask it as openai:MODEL@URL, which does not rank",
    ),
    (
        re.compile(r"thinking|reasoning", re.I),
        "`extra_body` sets how it thinks, and `thinking` gives it tokens to think with",
    ),
    (
        re.compile(r"parameter|argument|field|property|extra inputs|extra_forbidden|schema|json|unrecognized", re.I),
        "`extra_body` changes what is sent, and takes away what it has as null",
    ),
    (re.compile(r"header", re.I), "`header` adds one"),
)
"""What helps, by words of the message; the first that fits."""
_HINTS_OF_STATUS = dict.fromkeys((404, 405, 410), "are the model's name and its URL right (`model`)?")


@dataclass(frozen=True)
class ServerError:
    """An error of a server.

    status   its number: of the reply's head, or within what was sent as if it were a reply
    message  for people, in one short line
    words    everything that it says, for a search
    wait     for how many seconds it asks to be left alone
    """

    status: int
    message: str = "nothing"
    words: str = ""
    wait: float | None = None

    @property
    def kind(self) -> str:
        """Of an item's own error, what it is; empty where the error is not about the item."""
        if self.status in (401, 402, 407, *AGAIN) or self.takes_no_pictures:
            return ""
        # A fault of the server's own may be one of its filter: that is no word about the item.
        kinds = {kind: _KINDS[kind] for kind in (CONTEXT, PICTURE)} if self.status >= 500 else _KINDS
        return next((kind for kind, pattern in kinds.items() if pattern.search(self.words)), "")

    @property
    def takes_no_pictures(self) -> bool:
        """Whether the model does not take pictures at all."""
        return _TAKES_NO_PICTURES.search(self.words) is not None

    @property
    def is_loading(self) -> bool:
        """Whether the server says that it will be there in a while."""
        return self.status in _LOADS and _LOADING.search(self.words) is not None

    @property
    def gets_better(self) -> bool:
        """Whether the same request may be answered later."""
        if self.kind or self.takes_no_pictures or self.has_no_credit:
            return False
        return self.status in AGAIN or self.status >= 500

    @property
    def has_no_credit(self) -> bool:
        """Whether nothing more is answered until somebody pays; a limit per minute, in the same words, passes."""
        return _NO_CREDIT.search(self.words) is not None and (self.status != 429 or _seconds_within(self.words) is None)

    def hint(self, has_key: bool, served: tuple[str, ...] = (), where: str = "") -> str:
        """Which option helps, after a semicolon.

        served  the models that the server says it has
        where   what may be wrong with the URL
        """
        if self.kind:
            return ""  # That is an item's matter, and not one of the call.
        if self.takes_no_pictures:
            hint = "it takes no pictures: show it words or nothing (`show`)"
        elif self.status in (401, 403) or _KEY.search(self.words):
            hint = "is it the right key? `key` names its variable"
            hint = hint if has_key else "name the variable that holds the key with `key`"
        elif self.status == 402 or self.has_no_credit:
            hint = "its account has no credit left; replies are kept: call again when it has"
        elif self.status == 407:
            hint = "the proxy wants a name and a password"
        elif self.status in (413, 414, 431):
            hint = "pictures are sent smaller with `longest`"
        elif _NO_DEPLOYMENT.search(self.words):
            hint = "Azure is asked at …/openai/deployments/NAME?api-version=VERSION (`model`)"
        elif self.status in (404, 405) and where:
            return where
        elif served and (self.status == 404 or _NO_SUCH_MODEL.search(self.words)):
            hint = f"it serves {shorten_text(', '.join(served[:5]) + (', …' if len(served) > 5 else ''))}"
        else:
            of_status = _HINTS_OF_STATUS.get(self.status, "`extra_body` and `header` change what is sent")
            hint = next((hint for pattern, hint in _HINTS if pattern.search(self.words)), of_status)
        return f"; {hint}"


def read_error(status: int, content: bytes, retry_after: str | None = None) -> ServerError:
    """The error in the body of a reply, whatever its layout is."""
    error = _read(status, content, _seconds(retry_after))
    return error if error.wait is not None else replace(error, wait=_seconds_within(error.words))


def _read(status: int, content: bytes, wait: float | None) -> ServerError:
    if _HTML.match(content):
        title = _TITLE.search(content)
        about = " ".join(title[1].decode(errors="replace").split()) if title else ""
        return ServerError(status, f"a web page called {shorten(about)}" if about else "a web page", about, wait)
    try:
        document = decode(content, most=LARGEST)
    except Undecodable:
        text = content[:MOST_WORDS].decode(errors="replace")
        return ServerError(status, _short(text), text, wait)
    if isinstance(document, list) and document:
        document = document[0]
    error = document
    if isinstance(document, dict):
        error = document.get("error") or document.get("detail") or document.get("message") or document
    message = error.get("message") if isinstance(error, dict) else error
    words = " | ".join(_texts(document))[:MOST_WORDS]
    if not isinstance(message, str) or not message.strip():
        message = words
    elif isinstance(error, dict) and isinstance(meta := error.get("metadata"), dict) and meta.get("raw"):
        # A gateway's own message says little; that of the server behind it stands beside.
        message = f"{message}: {meta['raw']}"
    if wait is None and isinstance(document, dict):
        wait = _seconds(document.get("estimated_time"))
    return ServerError(status, _short(message), words, wait)


def error_within(reply: Any) -> int | None:
    """The code of an error that a gateway sends as if it were a reply, 0 where it has none; None where none is sent."""
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    if not isinstance(reply, dict) or reply.get("choices"):
        return None
    error = reply if reply.get("object") == "error" else reply.get("error")
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) == 3:
        return int(code)
    return code if isinstance(code, int) and 100 <= code < 600 else 0


def _texts(value: Any) -> Iterator[str]:
    """All texts in an error, the message first; the names of codes, but not what the server repeats of a request."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        first = [name for name in ("error", "message") if name in value]
        for name in [*first, *(name for name in value if name not in first)]:
            if name.lower() not in _ECHOES:
                yield from _texts(value[name])
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), 200) if text.strip() else "nothing"


def _seconds_within(words: str) -> float | None:
    """The seconds that a message asks to wait: "Please try again in 2m59.5s"."""
    if (found := _AGAIN_IN.search(words)) is None:
        return None
    minutes, number, unit = found.groups()
    return 60.0 * int(minutes or 0) + float(number) / (1000 if unit.lower() == "ms" else 1)


def _seconds(asked: Any) -> float | None:
    """The seconds that a server asks to wait, given as such or as a moment; None where that is neither."""
    try:
        if isinstance(asked, str) and not re.fullmatch(r"\s*\d{1,12}(?:\.\d{1,9})?\s*", asked, re.ASCII):
            seconds = email.utils.parsedate_to_datetime(asked[:100]).timestamp() - time.time()
        elif isinstance(asked, str | int | float) and not isinstance(asked, bool):
            seconds = float(asked)
        else:
            return None
    except (TypeError, ValueError, OverflowError, ArithmeticError, LookupError, OSError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
