"""Tells how far a run is: to a callback, or to a bar of tqdm where that is installed."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from ._native import Path

Progress = Union[Callable[[int], object], bool, None]


@contextmanager
def reporting(progress: Progress, path: Path, num_readings: int = 1) -> Iterator[Callable[[int], object] | None]:
    """Returns the function, if any, that the library is to call with the bytes of a file that is read so many times."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=num_readings * os.path.getsize(path), unit="B", unit_scale=True, desc=os.fsdecode(path)) as bar:
        yield bar.update
        bar.total = bar.n  # the second reading is of another file, of about the same size
        bar.refresh()
