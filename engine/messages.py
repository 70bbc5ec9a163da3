"""What travels between the coordinator and the stages: frozen values that can cross a process.

A request at a stage begins with `NewRequest` and ends with exactly one of `Result` and `Aborted`;
after that the stage holds nothing of it. `Error` says that the request is lost; the coordinator
answers it with `Abort` to every stage. On each edge `Done` comes last, whatever happened: a stage
knows by it that no chunk is still on its way, so nothing has to be remembered of ended requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.errors import EngineError
from engine.types import Credit, Epoch, Notice, RequestId, Utterance

CLIENT = "client"
"""Name of the far end of the entry's and the terminals' edges: whoever submitted the request."""


class Sendable:
    """A value whose fields are all that it is: so it is taken apart and made again with one call,
    at half the time that a dataclass with slots takes by itself."""

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        kind = type(self)
        names = kind.__match_args__  # type: ignore[attr-defined]  # each subclass is a dataclass
        return kind, tuple([getattr(self, name) for name in names])


@dataclass(frozen=True, slots=True)
class Job(Sendable):
    """One life of a request."""

    request: RequestId
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class StageAddress(Sendable):
    """One replica of a stage."""

    stage: str
    replica: int


@dataclass(frozen=True, slots=True)
class Binding(Sendable):
    """The replica of every stage that works for a request, fixed for the request's life."""

    addresses: tuple[StageAddress, ...]

    def of(self, stage: str) -> StageAddress:
        """Raises KeyError for a stage that the graph lacks."""
        for address in self.addresses:
            if address.stage == stage:
                return address
        raise KeyError(stage)


@dataclass(frozen=True, slots=True)
class NewRequest(Sendable):
    """First message of a request to each of its stages, from the coordinator."""

    job: Job
    utterance: Utterance
    binding: Binding


@dataclass(frozen=True, slots=True)
class Chunk(Sendable):
    """The next item on the edge from `source`; may come before `NewRequest`."""

    job: Job
    source: str
    item: object


@dataclass(frozen=True, slots=True)
class Done(Sendable):
    """Nothing more comes on the edge from `source`. `broken`: because the request was lost."""

    job: Job
    source: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Abort(Sendable):
    """Drop the request. `gone` names stages that died, whose `Done` will not come."""

    job: Job
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CreditUpdate(Sendable):
    """How far sound is wanted; the newest counts."""

    job: Job
    credit: Credit


@dataclass(frozen=True, slots=True)
class Ack(Sendable):
    """`target` has taken one more item of those sent to it."""

    job: Job
    target: str


@dataclass(frozen=True, slots=True)
class SourceGone(Sendable):
    """A stage that may feed this one is gone: what has not come from it will not come any more."""

    source: StageAddress
    error: EngineError


Inbound: TypeAlias = NewRequest | Chunk | Done | Abort | CreditUpdate | Ack
"""What a stage is told of a request."""


@dataclass(frozen=True, slots=True)
class Admitted(Sendable):
    """The scheduler has opened a state for the request."""

    job: Job


@dataclass(frozen=True, slots=True)
class StreamItem(Sendable):
    """The next item for the stages after this one, or for the client after a terminal stage."""

    job: Job
    item: object


@dataclass(frozen=True, slots=True)
class Noticed(Sendable):
    """Goes to the client directly, past the stages between."""

    job: Job
    notice: Notice


@dataclass(frozen=True, slots=True)
class Taken(Sendable):
    """One item has gone from the scheduler's hands into the runner: room for another."""

    job: Job


@dataclass(frozen=True, slots=True)
class Result(Sendable):
    """The stage has made all it will make and its state is closed."""

    job: Job


@dataclass(frozen=True, slots=True)
class Error(Sendable):
    """The stage can't go on with the request and its state is closed."""

    job: Job
    error: EngineError


@dataclass(frozen=True, slots=True)
class Aborted(Sendable):
    """The answer to `Abort`: the state is closed and every edge into the stage is dry."""

    job: Job


Outgoing: TypeAlias = Admitted | StreamItem | Noticed | Taken | Result | Error
"""What a scheduler puts out."""

Outbound: TypeAlias = StreamItem | Noticed | Taken | Result | Error | Aborted
"""What a stage tells the coordinator."""


@dataclass(frozen=True, slots=True)
class Mail(Sendable):
    """A message to the coordinator and the replica that sent it."""

    sender: StageAddress
    message: Outbound


@dataclass(frozen=True, slots=True)
class Died(Sendable):
    """The replica is gone with all that it held."""

    sender: StageAddress
    error: EngineError


@dataclass(frozen=True, slots=True)
class Revived(Sendable):
    """The replica is there again, and holds nothing."""

    sender: StageAddress


News: TypeAlias = Mail | Died | Revived
"""What reaches the coordinator."""
