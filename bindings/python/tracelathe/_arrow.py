# SPDX-License-Identifier: Apache-2.0
"""Streams of the Arrow C data interface in PyCapsules, as the Arrow PyCapsule interface names them."""
import ctypes
from typing import Any, Dict, Tuple

from . import _library

NAME = b"arrow_array_stream"
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# Prototypes of our own: the attributes of pythonapi are everybody's.
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))

# What a stream needs until its reader releases it, by its private data, and how the library releases it. A reader may copy
# the struct, so that neither the capsule nor the address of the struct tells whether it is still read.
_read: Dict[int, Tuple[Any, int]] = {}
# The structs that are in capsules, by address.
_lent: Dict[int, _library.ArrowStream] = {}


@_library.RELEASE_STREAM
def _release(address: int) -> None:
    stream = _library.ArrowStream.from_address(address)
    kept, release = _read.pop(stream.private_data)
    stream.release = release
    _library.RELEASE_STREAM(release)(address)
    del kept


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    stream = _lent.pop(_pointer_of(capsule, NAME))
    if stream.release:
        _library.RELEASE_STREAM(stream.release)(ctypes.addressof(stream))


def capsule_of(stream: _library.ArrowStream, kept: Any) -> Any:
    """A capsule of a stream; `kept` lives until the stream is released."""
    _read[stream.private_data] = (kept, stream.release)
    stream.release = ctypes.cast(_release, ctypes.c_void_p).value
    address = ctypes.addressof(stream)
    _lent[address] = stream
    return _new_capsule(address, NAME, _destroy)
