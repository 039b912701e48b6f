# SPDX-License-Identifier: Apache-2.0
"""Errors of the library as exceptions, and its texts and numbers as Python has them."""
import os
from typing import Any, Optional

from . import _library
from ._library import NOWHERE


class Error(Exception):
    """What went wrong, and where: `status` is its name, `offset` and `record` are None where there is no place."""

    def __init__(self, status: str, text: str, path: Optional[str] = None, offset: Optional[int] = None,
                 record: Optional[int] = None):
        place = "" if offset is None else "offset 0x%x: " % offset
        super().__init__((path + ": " if path else "") + place + text)
        self.status, self.text, self.path, self.offset, self.record = status, text, path, offset, record


Error.__module__ = __package__


def text_of(raw: Optional[bytes]) -> str:
    """A text of the library; bytes that are not UTF-8 are kept as surrogates."""
    return raw.decode("utf-8", "surrogateescape") if raw else ""


def known(number: int, unknown: int = 0) -> Optional[int]:
    """None for the number that means that it is unknown."""
    return None if number == unknown else number


def new_error() -> "_library.Error":
    """Room for an error without a place."""
    return _library.Error(offset=NOWHERE, record=NOWHERE)


def error_of(lib: Any, err: "_library.Error", path: Optional[str] = None) -> Error:
    """The exception for what the library said."""
    status = text_of(lib.tl_status_name(err.status))
    text = text_of(err.text) or status
    if err.sys_errno:
        text += ": " + os.strerror(err.sys_errno)
    return Error(status, text, path, known(err.offset, NOWHERE), known(err.record, NOWHERE))
