"""What keeps a take or scene from becoming a file."""

from __future__ import annotations


class ExportError(Exception):
    """It can't be exported this way; the message says which way it can. `code` is for machines."""

    code = "not_exportable"
