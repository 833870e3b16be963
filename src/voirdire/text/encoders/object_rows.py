"""Rows of numbers inside an array of objects, as numpy for Python 2 saved it, found without unpickling.

The published tables of Skip-thoughts are such files: a .npy whose array holds one small array per word, each as
Python's pickle writes it. A pickle is a program, and running one that a stranger made does whatever it says. This
reader only follows its instructions on paper: it notes where in the file the numbers of each row lie, knows the few
instructions that an array of arrays of numbers needs, and refuses any other, and any name but numpy's own three. Rows
are then read where they lie: a table of two gigabytes costs its index (nine bytes per row) and the rows in use.
"""

import mmap
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

RECONSTRUCT, ARRAY, DTYPE = "_reconstruct", "ndarray", "dtype"
NAMES = {
    ("numpy.core.multiarray", RECONSTRUCT): RECONSTRUCT,
    ("numpy._core.multiarray", RECONSTRUCT): RECONSTRUCT,
    ("numpy", ARRAY): ARRAY,
    ("numpy", DTYPE): DTYPE,
}
SIZES = {"f4": 4, "f8": 8}
OBJECTS = ("O8", "O4", "O")

Bytes = bytes | mmap.mmap

_u2, _u4, _i4 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")


class PickleFault(ValueError):
    """What a pickle holds that an array of arrays of numbers does not; the message says what was found."""


class _Kind:
    """What stands for a dtype: its code, and its byte order."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code, self.order = code, ""


class _Array:
    """What stands for an array: how many numbers of which size lie where, or a list of such arrays."""

    __slots__ = ("at", "rows", "shape", "size")

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()
        self.at, self.size = 0, 0
        self.rows: list[_Array] | None = None


def find_rows(data: Bytes, start: int, count: int) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Of the pickled array that begins at `start`: numbers per row, where each row begins, whether it is in double.

    count  how many rows the file says that it has
    """
    try:
        whole = _follow(data, start)
    except PickleFault:
        raise
    except (IndexError, KeyError, struct.error, TypeError, ValueError, AttributeError, RecursionError):
        raise PickleFault("a pickle that is damaged, or cut short") from None
    rows = whole.rows if isinstance(whole, _Array) else None
    if rows is None or not all(type(row) is _Array and row.rows is None for row in rows):
        raise PickleFault("a pickle of something else")
    if len(rows) != count:
        raise PickleFault(f"{len(rows):,} rows, where it says {count:,}")
    widths = {_width(row.shape) for row in rows}
    if len(widths) != 1:
        raise PickleFault(f"rows of different lengths, {', '.join(map(str, sorted(widths)[:5]))}")
    at = np.fromiter((row.at for row in rows), np.int64, len(rows))
    double = np.fromiter((row.size == SIZES["f8"] for row in rows), np.bool_, len(rows))
    return widths.pop(), at, double


def _width(shape: tuple[int, ...]) -> int:
    """How many numbers a row of this shape has; a few rows of the published tables are matrices of one row."""
    if not shape or any(number != 1 for number in shape[:-1]):
        raise PickleFault(f"a row of shape {shape}")
    return int(shape[-1])


def _follow(data: Bytes, at: int) -> Any:
    """What the instructions from `at` on would make, with texts and bytes as places in the file."""
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}
    push, pop = stack.append, stack.pop
    while True:
        code = data[at]
        at += 1
        if code == 0x68:  # BINGET
            push(memo[data[at]])
            at += 1
        elif code == 0x4B:  # BININT1
            push(data[at])
            at += 1
        elif code == 0x71:  # BINPUT
            memo[data[at]] = stack[-1]
            at += 1
        elif code == 0x72:  # LONG_BINPUT
            memo[_u4.unpack_from(data, at)[0]] = stack[-1]
            at += 4
        elif code == 0x94:  # MEMOIZE
            memo[len(memo)] = stack[-1]
        elif code == 0x6A:  # LONG_BINGET
            push(memo[_u4.unpack_from(data, at)[0]])
            at += 4
        elif code in (0x54, 0x42, 0x58):  # BINSTRING, BINBYTES, BINUNICODE
            end = at + 4 + _u4.unpack_from(data, at)[0]
            push(_place(data, at + 4, end))
            at = end
        elif code in (0x55, 0x43, 0x8C):  # SHORT_BINSTRING, SHORT_BINBYTES, SHORT_BINUNICODE
            end = at + 1 + data[at]
            push(_place(data, at + 1, end))
            at = end
        elif code == 0x85:  # TUPLE1
            stack[-1:] = [tuple(stack[-1:])]
        elif code == 0x86:  # TUPLE2
            stack[-2:] = [tuple(stack[-2:])]
        elif code == 0x87:  # TUPLE3
            stack[-3:] = [tuple(stack[-3:])]
        elif code == 0x28:  # MARK
            marks.append(len(stack))
        elif code == 0x74:  # TUPLE
            first = marks.pop()
            stack[first:] = [tuple(stack[first:])]
        elif code == 0x52:  # REDUCE
            arguments = pop()
            stack[-1] = _reduced(data, stack[-1], arguments)
        elif code == 0x62:  # BUILD
            state = pop()
            _build(data, stack[-1], state)
        elif code == 0x4D:  # BININT2
            push(_u2.unpack_from(data, at)[0])
            at += 2
        elif code == 0x4A:  # BININT
            push(_i4.unpack_from(data, at)[0])
            at += 4
        elif code == 0x8A:  # LONG1
            end = at + 1 + data[at]
            push(int.from_bytes(data[at + 1 : end], "little", signed=True))
            at = end
        elif code in (0x88, 0x89, 0x4E):  # NEWTRUE, NEWFALSE, NONE
            push({0x88: True, 0x89: False, 0x4E: None}[code])
        elif code == 0x5D:  # EMPTY_LIST
            push([])
        elif code == 0x61:  # APPEND
            last = pop()
            stack[-1].append(last)
        elif code == 0x65:  # APPENDS
            first = marks.pop()
            more = stack[first:]
            del stack[first:]
            stack[-1].extend(more)
        elif code == 0x63:  # GLOBAL
            middle = data.find(b"\n", at)
            end = data.find(b"\n", middle + 1)
            push(_named(data, slice(at, middle), slice(middle + 1, end)))
            at = end + 1
        elif code == 0x93:  # STACK_GLOBAL
            name = pop()
            stack[-1] = _named(data, stack[-1], name)
        elif code == 0x80:  # PROTO
            at += 1
        elif code == 0x95:  # FRAME
            at += 8
        elif code == 0x2E:  # STOP
            return pop()
        else:
            raise PickleFault(f"a pickle with the instruction {code:#04x} at byte {at - 1:,}, which no table needs")


def _place(data: Bytes, start: int, end: int) -> slice:
    if end > len(data):
        raise PickleFault("a pickle that is cut short")
    return slice(start, end)


def _text(data: Bytes, where: slice) -> str:
    return bytes(data[where]).decode("latin-1")


def _named(data: Bytes, module: slice, name: slice) -> str:
    pair = _text(data, module), _text(data, name)
    if pair not in NAMES:
        raise PickleFault(f"a pickle that names {'.'.join(pair)[:100]!r}, which is no part of an array of numbers")
    return NAMES[pair]


def _reduced(data: Bytes, name: Any, arguments: tuple[Any, ...]) -> Any:
    if name == RECONSTRUCT and arguments[0] == ARRAY:
        return _Array()
    if name == DTYPE:
        return _Kind(_text(data, arguments[0]))
    raise PickleFault("a pickle that calls what no table needs")


def _build(data: Bytes, target: Any, state: tuple[Any, ...]) -> None:
    """Give what stands for a dtype or an array its state."""
    if type(target) is _Kind:
        target.order = _text(data, state[1])
        return
    if type(target) is not _Array:
        raise PickleFault("a pickle that gives a state to what has none")
    _, target.shape, kind, _, content = state
    if type(kind) is not _Kind:
        raise PickleFault("an array without a dtype")
    if kind.code in OBJECTS and type(content) is list:
        target.rows = content
        return
    if kind.code not in SIZES or kind.order != "<" or type(content) is not slice:
        raise PickleFault(f"an array of dtype {kind.order + kind.code!r}")
    target.at, target.size = content.start, SIZES[kind.code]
    if content.stop - content.start != _width(target.shape) * target.size:
        raise PickleFault(f"{content.stop - content.start} bytes for a row of shape {target.shape}")
