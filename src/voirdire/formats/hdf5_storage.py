"""What an HDF5 file may hold: all its numbers in itself, written, and behind filters that are known.

An HDF5 file can also point at other files, or leave parts unwritten, which the library reads as zeros.
"""

import math
from typing import Any

from voirdire.formats.files import most_unpacked
from voirdire.formats.strict import Problems

FILTERS = {1: "gzip", 2: "shuffle", 3: "fletcher32", 32000: "lzf"}  # by HDF5's numbers


def check_links(file: Any, problems: Problems) -> None:
    """Refuse links to other files; soft links lead to objects of the same file, and are not followed."""
    import h5py

    file.visititems_links(
        lambda name, link: (
            problems.add(f"link {name!r}", "", f"one to {link.filename!r}", "all numbers in the file itself")
            if isinstance(link, h5py.ExternalLink)
            else None
        )
    )


def check_storage(where: str, array: Any, size: int, problems: Problems) -> None:
    """Refuse a dataset whose numbers are not all in the file, before any of them are read."""
    creation = array.id.get_create_plist()
    filters = [creation.get_filter(number)[0] for number in range(creation.get_nfilters())]
    most = most_unpacked(size) // array.dtype.itemsize
    if array.external or array.is_virtual:
        kind = "external" if array.external else "virtual"
        problems.add(where, "", f"{kind} storage, which reads other files", "all numbers in the file itself")
    elif unknown := [number for number in filters if number not in FILTERS]:
        problems.add(where, "", f"the filter {unknown[0]}", f"none but {', '.join(FILTERS.values())}")
    elif math.prod(array.shape) > most:
        problems.add(where, "", f"the shape {array.shape}", "no more than a file of this size can hold")
    elif array.chunks and math.prod(array.chunks) > most:
        problems.add(where, "", f"chunks of the shape {array.chunks}", "no more than a file of this size can hold")
    elif lack := _unwritten(array):
        problems.add(where, "", lack, "all of them", "Its writer may have been stopped; write the file again.")


def _unwritten(array: Any) -> str:
    """What part of an array was never written; empty where all was."""
    if array.chunks:
        wanted = math.prod(-(-length // chunk) for length, chunk in zip(array.shape, array.chunks, strict=True))
        written = array.id.get_num_chunks()
        return f"{written:,} of {wanted:,} chunks" if written < wanted else ""
    return "" if array.id.get_storage_size() or not math.prod(array.shape) else "none of its numbers"
