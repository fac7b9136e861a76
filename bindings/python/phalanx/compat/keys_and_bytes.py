"""Has what the names of every package share: objects with keys stay where they are, and bytes are bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx import BufferTypeError, PicklingError

if TYPE_CHECKING:
    from typing_extensions import Buffer


class HoldsKey:
    """Is neither pickled nor copied."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        name = type(self).__name__
        raise PicklingError(f"{name} is neither pickled nor copied: it holds a key. Make one where it is used")


def bytes_of(given: Buffer, name: str) -> bytes:
    """Returns the bytes of any buffer. `bytes` alone would make zeros of a number, and bytes of a list."""
    if type(given) is bytes:
        return given
    try:
        view: memoryview | None = memoryview(given)
    except (TypeError, ValueError):
        view = None
    # NumPy's numbers are buffers of no dimension, and its arrays of objects give addresses.
    if view is None or view.ndim == 0 or "O" in view.format:
        raise BufferTypeError(f"{name} must be bytes-like, and is of type {type(given).__name__}")
    return view.tobytes()
