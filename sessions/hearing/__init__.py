"""Whether the words that an edit put in are heard, and what is tried where they are not.

An edit is listened to while its beginning, which is the parent's, plays. What was changed is held
back until it was heard right, so nobody hears a wrong word that is taken back a moment later.
"""

from sessions.hearing.checked import CheckedRequest, Checks, ChecksStats
from sessions.hearing.judging import Judge

__all__ = ["CheckedRequest", "Checks", "ChecksStats", "Judge"]
