# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the code part of a payload, a shared object, to a file: code_of.py ARTIFACT OUT. The format is in weft/abi.h.
import struct
import sys

TRAILER = struct.Struct("<7Q2I8s")  # WeftTrailer

with open(sys.argv[1], "rb") as file:
    data = file.read()
payload_bytes, code_bytes, *_, magic = TRAILER.unpack(data[-TRAILER.size:])
if magic != b"WEFT\r\n\x1a\n":
    sys.exit(f"{sys.argv[1]}: no Weft trailer")
start = len(data) - payload_bytes
with open(sys.argv[2], "wb") as file:
    file.write(data[start:start + code_bytes])
