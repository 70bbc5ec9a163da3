"""The one error of the wire: something a peer sent that is not the protocol."""

from __future__ import annotations

from sessions.events import Refused


class WireError(Exception):
    """A frame or message that can't be taken.

    code: a stable word for machines. message: for people; says what was expected.
    field: the dotted path of what was wrong, such as `audio.frame_ms` or `underruns[2].ms`.
    reply_to: the `id` of the message at fault, where it had a good one.
    """

    def __init__(
        self, code: str, message: str, field: str | None = None, reply_to: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.reply_to = reply_to

    def answer(self) -> Refused:
        """The `error` message that tells the peer."""
        return Refused(self.code, self.message, self.field, self.reply_to)


def shown(value: object) -> str:
    """A short, printable form of what a peer sent, safe to put into a message to it."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return repr(value) if len(value) <= 60 else repr(value[:57]) + "..."
        case _:
            return repr(value)
