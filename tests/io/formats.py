"""The formats .npy, .npz and .safetensors, written from their descriptions for the tests: small, strict, and
independent of the library. An array is (dtype, shape, data): one of our names, a tuple, and the elements in
row-major order as little-endian bytes."""
import ast
import json
import struct
import zipfile

SIZES = {"float32": 4, "float64": 8, "int64": 8, "bool": 1, "uint8": 1, "int32": 4, "float16": 2, "bfloat16": 2}
NUMPY = {"float32": "f4", "float64": "f8", "int64": "i8", "bool": "b1", "uint8": "u1", "int32": "i4",
         "float16": "f2"}
SAFETENSORS = {"float32": "F32", "float64": "F64", "int64": "I64", "bool": "BOOL", "uint8": "U8", "int32": "I32",
               "float16": "F16", "bfloat16": "BF16"}


def count_of(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def swapped(data, size):
    return b"".join(data[at:at + size][::-1] for at in range(0, len(data), size))


def places(shape, column_major):
    """Where in the file each element stands, in row-major order of the indices."""
    dims = range(len(shape))
    strides, step = [0] * len(shape), 1
    for d in dims if column_major else reversed(dims):
        strides[d], step = step, step * shape[d]
    index = [0] * len(shape)
    for _ in range(count_of(shape)):
        yield sum(i * s for i, s in zip(index, strides))
        for d in reversed(dims):
            index[d] += 1
            if index[d] < shape[d]:
                break
            index[d] = 0


def read_npy(data):
    assert data[:6] == b"\x93NUMPY", "magic"
    major = data[6]
    assert major in (1, 2, 3) and data[7] == 0, "version"
    start = 10 if major == 1 else 12
    (length,) = struct.unpack("<H" if major == 1 else "<I", data[8:start])
    assert (start + length) % 64 == 0, "alignment"
    text = data[start:start + length].decode("utf-8" if major == 3 else "latin1")
    assert text.endswith("\n")
    header = ast.literal_eval(text)
    assert sorted(header) == ["descr", "fortran_order", "shape"], header
    (dtype,) = [name for name, code in NUMPY.items() if code == header["descr"][1:]]
    size, shape, body = SIZES[dtype], header["shape"], data[start + length:]
    assert len(body) == count_of(shape) * size, "size"
    assert header["descr"][0] == ("|" if size == 1 else "<") or header["descr"][0] == ">"
    if header["descr"][0] == ">":
        body = swapped(body, size)
    body = b"".join(body[p * size:(p + 1) * size] for p in places(shape, header["fortran_order"]))
    return dtype, shape, body


def write_npy(array, version=1, big_endian=False, column_major=False):
    dtype, shape, data = array
    size = SIZES[dtype]
    body = bytearray(len(data))
    for i, place in enumerate(places(shape, column_major)):
        body[place * size:(place + 1) * size] = data[i * size:(i + 1) * size]
    if big_endian:
        body = swapped(bytes(body), size)
    order = "|" if size == 1 else ">" if big_endian else "<"
    text = repr({"descr": order + NUMPY[dtype], "fortran_order": column_major, "shape": tuple(shape)})
    start = 10 if version == 1 else 12
    text += " " * (-(start + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode("ascii") + bytes(body)


def read_npz(path):
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        return {name.removesuffix(".npy"): read_npy(file.read(name)) for name in file.namelist()}


def write_npz(path, arrays, compressed=False, **options):
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as file:
        for name, array in arrays.items():
            with file.open(name + ".npy", "w", force_zip64=True) as entry:
                entry.write(write_npy(array, **options))


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    assert data[8:9] == b"{" and 8 + length <= len(data)

    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
        return dict(pairs)

    header = json.loads(data[8:8 + length].decode("utf-8"), object_pairs_hook=unique)
    body, arrays, covered = data[8 + length:], {}, []
    for name, entry in header.items():
        if name == "__metadata__":
            assert all(isinstance(value, str) for value in entry.values())
            continue
        assert sorted(entry) == ["data_offsets", "dtype", "shape"], entry
        (dtype,) = [ours for ours, code in SAFETENSORS.items() if code == entry["dtype"]]
        begin, end = entry["data_offsets"]
        assert end - begin == count_of(entry["shape"]) * SIZES[dtype], entry
        covered.append((begin, end))
        arrays[name] = dtype, tuple(entry["shape"]), body[begin:end]
    at = 0
    for begin, end in sorted(covered):
        assert begin == at, "a gap or an overlap"
        at = end
    assert at == len(body)
    return arrays


def write_safetensors(path, arrays):
    header, body = {"__metadata__": {"format": "test"}}, b""
    for name, (dtype, shape, data) in arrays.items():
        header[name] = {"dtype": SAFETENSORS[dtype], "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)
