"""How gdb prints tensors: shape, dtype, device and first values, read from memory without calling a
function of the program, so that it works on a core dump and at -O2, too.

gdb loads this file by itself when it lies beside the library as libtorchlight.so.VERSION-gdb.py and the
place is one gdb trusts (add-auto-load-safe-path DIRECTORY, in ~/.config/gdb/gdbinit).
"""
import struct

import gdb
import gdb.printing

FIRST = 8  # so many values are shown

# In the order of torchlight::Dtype: name, bytes, how struct reads it.
DTYPES = [("float32", 4, "f"), ("float64", 8, "d"), ("int64", 8, "q"), ("bool", 1, "?"),
          ("uint8", 1, "B"), ("int32", 4, "i"), ("float16", 2, "e"), ("bfloat16", 2, None)]
DEVICE_SPACE = 2  # TL_SPACE_DEVICE: the host can't read it


def text(string):
    """A std::string, without libstdc++'s own printers."""
    return string["_M_dataplus"]["_M_p"].string(length=int(string["_M_string_length"]))


def complete(pointer, name):
    """What a pointer points to, where the program itself knows the class by name only."""
    return pointer.cast(gdb.lookup_type(name).pointer()).dereference()


def entries(shape):
    return [int(shape["values_"][i]) for i in range(int(shape["rank_"]))]


def parentheses(values):
    return "(" + ", ".join(map(str, values)) + ("," if len(values) == 1 else "") + ")"


def indices(shape, count):
    """The first `count` indices of a shape in row-major order."""
    if 0 in shape:
        return
    index = [0] * len(shape)
    for _ in range(count):
        yield tuple(index)
        for axis in reversed(range(len(shape))):
            index[axis] += 1
            if index[axis] < shape[axis]:
                break
            index[axis] = 0
        else:
            return


def element(address, dtype):
    name, size, code = DTYPES[dtype]
    data = bytes(gdb.selected_inferior().read_memory(address, size))
    if code is None:  # bfloat16 is the upper half of a float32
        return "%g" % struct.unpack("<f", b"\0\0" + data)
    value, = struct.unpack("<" + code, data)
    return "%g" % value if isinstance(value, float) else str(value).lower()


def values(array, device):
    """The first values of an array, as text."""
    if not int(array["storage_"]["object_"]):
        return "no storage"
    if int(device["info_"]["memory_space"]) == DEVICE_SPACE:
        return "in device memory"
    memory = array["storage_"]["object_"].dereference()["memory_"]
    dtype = int(array["dtype_"])
    base = int(memory["base"]) + int(memory["byte_offset"])
    shape, strides = entries(array["shape_"]), entries(array["strides_"])
    shown = []
    for index in indices(shape, FIRST + 1):
        if len(shown) == FIRST:
            shown.append("...")
            break
        place = int(array["offset_"]) + sum(i * s for i, s in zip(index, strides))
        shown.append(element(base + place * DTYPES[dtype][1], dtype))
    return "[" + ", ".join(shown) + "]"


def describe(array):
    if not int(array["device_"]):
        return "undefined"
    device = complete(array["device_"], "torchlight::loader::OpenDevice")
    return "%s %s on %s %s" % (parentheses(entries(array["shape_"])), DTYPES[int(array["dtype_"])][0],
                               text(device["name_"]), values(array, device))


class ArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "Array " + describe(self.value)


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if not int(self.value["impl_"]):
            return "Tensor undefined"
        impl = complete(self.value["impl_"], "torchlight::TensorImpl")
        return "Tensor " + describe(impl["variable"]["array"])


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return parentheses(entries(self.value))


class DevicePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        device = complete(self.value["device_"], "torchlight::loader::OpenDevice")
        return "Device " + text(device["name_"])


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("torchlight")
    for name, printer in [("Tensor", TensorPrinter), ("Array", ArrayPrinter), ("Shape", ShapePrinter),
                          ("Device", DevicePrinter)]:
        collection.add_printer(name, "^torchlight::%s$" % name, printer)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
