"""What can go wrong with what is stored."""

from __future__ import annotations

from sessions.errors import SessionError


class StoreError(SessionError):
    """The store could not do it: a full disk, a damaged file. Nothing of it was written."""

    code = "store_failed"


class NewerStore(StoreError):
    """The store was written by a newer version of the program; it is left as it is."""

    code = "newer_store"


class StoreInUse(StoreError):
    """Another process has the store open."""

    code = "store_in_use"


class UnknownSession(SessionError):
    """No session of that name is stored."""

    code = "unknown_session"


class UnknownScene(SessionError):
    """No scene of that name is stored."""

    code = "unknown_scene"


class BadArchive(SessionError):
    """Not a session as JSON, or one that contradicts itself; the message names the place."""

    code = "bad_archive"


class SessionThere(SessionError):
    """The archive's session, or a take of it, is in the store already."""

    code = "session_there"
