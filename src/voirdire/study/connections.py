"""Connections of a study's server: how long a request may take to arrive, and how many may be on their way.

A connection waits until the head and the body of a request are there. It waits at most `PATIENCE` seconds, however it
trickles in, and at most `PER_ADDRESS` connections of one address and `MOST` of all wait at once: a further one takes
the place of the one that has waited longest, of those first that never sent a whole request. A request that is there is
never cut off, so whoever sends one is answered, no matter how many others send a half.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
PER_ADDRESS, MOST = 64, 512


class BoundedConnection(H11Protocol):
    """A connection that waits for requests within these bounds."""

    deadline: asyncio.TimerHandle | None = None
    since: float
    served = False
    """Whether a whole request was ever there; a refusal may come before the end of its body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection; others that have waited longer may go for it."""
        super().connection_made(transport)
        self._wait()
        waiting = sorted(
            (other for other in self.connections if isinstance(other, BoundedConnection) and other.waits),
            key=lambda other: (other.served, other.since),
        )
        address = (self.client or ("",))[0]
        same = [other for other in waiting if (other.client or ("",))[0] == address]
        for other in (*same[:-PER_ADDRESS], *waiting[:-MOST]):
            other.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; once it is whole there is no deadline."""
        super().data_received(data)
        if not self.waits:
            self.served = True
            self._unset_deadline()
        elif self.deadline is None:
            self._wait()

    def on_response_complete(self) -> None:
        """From here on it waits for the next request; how long it may be silent is another bound."""
        self.since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._unset_deadline()
        super().connection_lost(exc)

    @property
    def waits(self) -> bool:
        """Whether no whole request is there."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _wait(self) -> None:
        self.since = self.loop.time()
        self.deadline = self.loop.call_later(PATIENCE, self.transport.abort)

    def _unset_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
