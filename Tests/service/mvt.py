"""Reads Mapbox Vector Tiles by the specification, as far as tests need it: properties, no geometry."""

import struct


def fields(data):
    """The fields of a protocol buffer: pairs of number and value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            assert key & 7 == 1, key
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        yield key >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def layers(tile):
    """The properties of the features, by layer."""
    found = {}
    for _, layer in fields(tile):
        keys, values, tags, name = [], [], [], None
        for number, value in fields(layer):
            if number == 1:
                name = value.decode()
            elif number == 2:
                tags.append(next((packed for kind, packed in fields(value) if kind == 2), b""))
            elif number == 3:
                keys.append(value.decode())
            elif number == 4:
                kind, inner = next(fields(value))
                values.append(inner.decode() if kind == 1 else inner)
        found[name] = [properties(packed, keys, values) for packed in tags]
    return found


def properties(packed, keys, values):
    numbers, at = [], 0
    while at < len(packed):
        number, at = varint(packed, at)
        numbers.append(number)
    return {keys[key]: values[value] for key, value in zip(numbers[::2], numbers[1::2])}


def count(tile):
    """How many restaurants a tile stands for."""
    found = layers(tile)
    return len(found.get("restaurants", [])) + sum(c["point_count"] for c in found.get("clusters", []))
