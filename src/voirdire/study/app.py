"""The web application of a study: the few requests that its page makes, over the database of judgements.

    GET  /                   the page
    POST /api/open           a new person, where anyone is let in
    GET  /api/me             whether this person has agreed, and how far they are
    POST /api/consent        that they agree
    GET  /api/next           what they judge now, or their code where nothing is left
    GET  /api/task/NUMBER    a task that they were given before
    POST /api/message        what they answered, or why they skip; the response can bring the next task
    GET  /picture/NAME       a picture of the study

A person is identified by the token of their link, which is behind the # and so is never part of an address that is
sent or logged; the page sends it as a header, which no other site can. A request that comes from another site, by what
the browser says or by its origin, is refused all the same. Bodies are small, typed and bounded.

One thread does all work on the database. Requests that wait are carried out in one transaction, each a part of it that
can fail alone, and nothing is answered before that transaction is on disk: many people cost one sync, not many.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from voirdire.bounded import Undecodable, decode
from voirdire.errors import VoirDireError
from voirdire.study.database import Gone, JudgedStore, Message, Person, Place, Unknown
from voirdire.study.folder import OpenedStudy
from voirdire.study.judge_page import HEADERS, study_page

T = TypeVar("T")
LARGEST_BODY = 65_536
"""Bytes of a request's body; the longest comment fits."""
LONGEST_COMMENT, LONGEST_REASON = 2_000, 200
LARGEST_STAMP = 2**53
LONGEST_LOOK = 1e6
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TYPES = {"jpg": "image/jpeg", "png": "image/png"}
AT_ONCE = 64
"""Requests that share a transaction."""
MOST_WAITING = 2_000
"""Requests that may wait for the database; further ones are told to come again."""


_Job = tuple[Callable[[JudgedStore], Any], Callable[[Any, BaseException | None], None]]
"""Work on the store, and what gets its result or its error."""


class RefusedRequest(Exception):
    """A request that is not carried out: the status, and a word that tells the page why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class _Worker:
    """The one thread that works on the database."""

    def __init__(self, study: OpenedStudy) -> None:
        self._study = study
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    async def do(self, job: Callable[[JudgedStore], T]) -> T:
        """The result of a job, once it is on disk."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(value: Any, error: BaseException | None) -> None:
            if not future.cancelled():
                future.set_exception(error) if error is not None else future.set_result(value)

        def report(value: Any, error: BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # The loop is closed where the server stops.
                loop.call_soon_threadsafe(settle, value, error)

        try:
            self._jobs.put_nowait((job, report))
        except queue.Full:
            raise RefusedRequest(503, "busy") from None
        return await future

    def stop(self) -> None:
        self._jobs.put(None)
        self._thread.join()

    def _waiting(self, most: int = MOST_WAITING) -> list[_Job]:
        """The jobs that wait, at most so many."""
        jobs: list[_Job] = []
        while len(jobs) < most:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _work(self) -> None:
        store = JudgedStore(self._study)
        while (first := self._jobs.get()) is not None:
            batch = [first, *self._waiting(AT_ONCE - 1)]
            done: list[tuple[Any, BaseException | None]] = []
            try:
                with store.writing():
                    done = [_tried(store, job) for job, _ in batch]
            except BaseException as failure:
                # Whoever waits behind a store that is locked, or full, is told at once as well.
                batch += self._waiting()
                done = [(None, failure)] * len(batch)
            for (_, report), (value, error) in zip(batch, done, strict=True):
                report(value, error)
        store.close()


def _tried(store: JudgedStore, job: Callable[[JudgedStore], Any]) -> tuple[Any, BaseException | None]:
    try:
        with store.writing():
            return job(store), None
    except Exception as error:
        return None, error


def make_app(study: OpenedStudy, anyone: bool = False) -> Starlette:
    """The application of a study; `anyone` lets in people without a link, on this machine alone."""
    texts = study.texts()
    page = study_page(study, texts, anyone)
    # Where the database cannot be opened, the error comes from here and not from the thread.
    JudgedStore(study).close()
    handlers = _Handlers(study, texts["consent"], anyone)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        handlers.worker = _Worker(study)
        try:
            yield
        finally:
            await asyncio.to_thread(handlers.worker.stop)

    async def show(request: Request) -> Response:
        return HTMLResponse(page)

    routes = [
        Route("/", show),
        *(Route(path, _answering(do), methods=[method]) for method, path, do in handlers.requests()),
        Route("/picture/{name}", _guarded(handlers.picture)),
    ]
    app = Starlette(routes=routes, lifespan=life)
    app.add_middleware(_Gate, anyone=anyone)
    return app


class _Handlers:
    """The handler of each request."""

    def __init__(self, study: OpenedStudy, consent: str, anyone: bool) -> None:
        self.study, self.consent_text, self.anyone = study, consent, anyone
        self.worker: _Worker

    def requests(self) -> list[tuple[str, str, Callable[[Request], Awaitable[Any]]]]:
        """Method, path and handler."""
        return [
            ("POST", "/api/open", self.open),
            ("GET", "/api/me", self.me),
            ("POST", "/api/consent", self.consent),
            ("GET", "/api/next", self.next),
            ("GET", "/api/task/{number:int}", self.task),
            ("POST", "/api/message", self.message),
        ]

    async def open(self, request: Request) -> Any:
        """A new person, with a token of their own."""
        await _body(request, dict[str, Any])
        if not self.anyone:
            raise RefusedRequest(403, "link")
        (invited,) = await self.worker.do(lambda store: store.invite(1, prefix="self"))
        return {"token": invited.token}

    async def me(self, request: Request) -> Any:
        """How far this person is."""
        token = _token(request)

        def do(store: JudgedStore) -> Any:
            judge = store.judge_of(token)
            return {"consented": judge.consented, "progress": store.progress(judge)}

        return await self.worker.do(do)

    async def consent(self, request: Request) -> Any:
        """Record that they agree to the text as it is."""
        token = _token(request)
        await _body(request, dict[str, Any])
        await self.worker.do(lambda store: store.consent(store.judge_of(token), self.consent_text))
        return {}

    async def next(self, request: Request) -> Any:
        """Their next task."""
        token = _token(request)
        return await self.worker.do(lambda store: self._next(store, _consenting(store, token)))

    async def task(self, request: Request) -> Any:
        """A task that they were given before."""
        token, number = _token(request), request.path_params["number"]

        def do(store: JudgedStore) -> Any:
            judge = _consenting(store, token)
            if number > LARGEST_STAMP:
                raise Gone
            return {"progress": store.progress(judge), **self._task(store.place(judge, number))}

        return await self.worker.do(do)

    async def message(self, request: Request) -> Any:
        """Record what they answered."""
        token = _token(request)
        message = await _body(request, Message)
        if (
            not 0 < message.stamp <= LARGEST_STAMP
            or not 0 < message.number <= LARGEST_STAMP
            or not 0 <= message.seconds <= LONGEST_LOOK
            or len(message.comment) > LONGEST_COMMENT
            or len(message.reason) > LONGEST_REASON
        ):
            raise RefusedRequest(400, "bad")

        def do(store: JudgedStore) -> Any:
            judge = _consenting(store, token)
            kept = store.record(judge, message)
            following = self._next(store, judge) if message.next else {"progress": store.progress(judge)}
            return {"kept": kept, **following}

        return await self.worker.do(do)

    async def picture(self, request: Request) -> Response:
        """One of the study's pictures, found by its name among them and by no path."""
        token, name = _token(request), request.path_params["name"]
        await self.worker.do(lambda store: store.judge_of(token))
        if (path := self.study.pictures.get(name)) is None:
            raise RefusedRequest(404, "picture")
        data = await asyncio.to_thread(path.read_bytes)
        return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers={"Cache-Control": "private"})

    def _next(self, store: JudgedStore, judge: Person) -> dict[str, Any]:
        place = store.next(judge)
        following = {"code": store.code(judge)} if place is None else self._task(place)
        return {"progress": store.progress(judge), **following}

    def _task(self, place: Place) -> dict[str, Any]:
        task = self.study.tasks[place.task]
        return {
            "number": place.number,
            "state": place.state,
            "said": place.answers,
            "comment": place.comment,
            "reason": place.reason,
            "stamp": place.stamp,
            "task": task.public(),
        }


def _consenting(store: JudgedStore, token: str) -> Person:
    judge = store.judge_of(token)
    if not judge.consented:
        raise RefusedRequest(403, "consent")
    return judge


def _token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not 0 < len(token) <= 200:
        raise RefusedRequest(401, "link")
    return token


async def _body(request: Request, kind: type[T]) -> T:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedRequest(415, "bad")
    try:
        return decode(await request.body(), kind, most=LARGEST_BODY)
    except Undecodable:
        raise RefusedRequest(400, "bad") from None


def _answering(do: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return _json(200, await do(request))

    return _guarded(answer)


def _guarded(do: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await do(request)
        except RefusedRequest as error:
            return _refusal(error.status, error.why)
        except Unknown:
            return _refusal(401, "link")
        except Gone:
            return _refusal(409, "gone")
        except (ValueError, ClientDisconnect):
            return _refusal(400, "bad")
        except (sqlite3.Error, OSError, VoirDireError):
            # Mostly the disk. Nothing is acknowledged, and the page sends it again.
            return _refusal(503, "busy")

    return answer


def _json(status: int, value: Any) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _refusal(status: int, why: str) -> Response:
    return _json(status, {"refused": why})


class _Gate:
    """Checks every request: which site it comes from and how large it is; adds the headers to every response."""

    def __init__(self, app: ASGIApp, anyone: bool) -> None:
        self.app, self.anyone = app, anyone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

        async def headed(event: Event) -> None:
            if event["type"] == "http.response.start":
                present = {name.lower() for name, _ in event["headers"]}
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                added = [(name, value) for name, value in extra if name not in present]
                event = {**event, "headers": [*event["headers"], *added]}
            await send(event)

        if why := self._refused(scope, headers):
            await _refusal(*why)(scope, receive, headed)
            return
        if "transfer-encoding" in headers:
            await self._buffered(scope, receive, headed)
        else:
            await self.app(scope, receive, headed)

    async def _buffered(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a body of unknown length first, up to the limit."""
        data = b""
        while True:
            event = await receive()
            if event["type"] != "http.request":
                return
            data += event.get("body", b"")
            if len(data) > LARGEST_BODY:
                await _refusal(413, "large")(scope, receive, send)
                return
            if not event.get("more_body"):
                break
        events = iter([{"type": "http.request", "body": data, "more_body": False}])

        async def again() -> Event:
            for event in events:
                return event
            return await receive()

        await self.app(scope, again, send)

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        host, path = headers.get("host", ""), scope["path"]
        if not path.isascii() or len(path) > 1_000:
            return 404, "path"
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "method"
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > 20 or int(length) > LARGEST_BODY:
            return 413, "large"
        # Without tokens, a domain of another site that resolves to this machine would let that site in.
        if self.anyone and _name(host) not in LOOPBACK:
            return 421, "host"
        if path == "/":
            return None
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "site"
        if (origin := headers.get("origin")) is not None and origin.partition("://")[2] != host:
            return 403, "site"
        return None


def _name(host: str) -> str:
    return host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
