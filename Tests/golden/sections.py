"""Prints the sections of a snapshot with their hashes, and that of the file without store id, generation and checksum.

    sections.py FILE
"""

import hashlib
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
for index in range(struct.unpack_from("<I", data, 20)[0]):
    name, start, length = struct.unpack_from("<8sQQ", data, 64 + 32 * index)
    print(f"{name.rstrip(bytes(1)).decode():8} {length:8} {hashlib.sha256(data[start:start + length]).hexdigest()[:32]}")
# the store id and the generation; the checksum of the header
data[40:56] = bytes(16)
data[4088:4096] = bytes(8)
print(f"{'file':8} {len(data):8} {hashlib.sha256(data).hexdigest()[:32]}")
