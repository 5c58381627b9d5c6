#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages an artifact in many ways: damage.py ARTIFACT. Each copy must be refused in one line; none may be run or crash.

Bytes of the trailer, the code and the metadata are flipped, the file is cut off, and the ABI version is another. Metadata is also
changed together with its checksum, as an attacker or a bug would: then it may be accepted, but reading it may not crash. (Running it may:
code that computes f32 for an output that is said to be i16 writes too far, and nobody but the code can tell.)
"""
import os
import random
import struct
import subprocess
import sys

TRAILER = struct.Struct("<7Q2I8s")  # WeftTrailer of weft/abi.h
CHECKSUM, VERSION = 48, 56  # offsets in it


class Damage:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.end = len(self.data) - TRAILER.size
        fields = TRAILER.unpack(self.data[self.end:])
        self.code, self.metadata, self.metadata_bytes = fields[1], fields[4], fields[5]
        self.path = os.path.join(os.path.dirname(path), "damaged.weft")
        self.count, self.problems = 0, []

    def check(self, name, data, codes=(1,), expected="", runs=True):
        """Inspects a damaged copy, and runs it."""
        with open(self.path, "wb") as file:
            file.write(data)
        run = [["weft", "run", self.path, "--input", "x=1x2x64xf32=1"]] if runs else []
        for command in [["weft", "inspect", self.path], *run]:
            done = subprocess.run(command, capture_output=True, timeout=60)
            message = done.stderr.decode(errors="replace")
            if done.returncode not in codes or message.count("\n") != (done.returncode != 0) or expected not in message:
                self.problems.append(f"{name}: {command[1]} ended with {done.returncode}: {message}")
        self.count += 1

    def changed(self, offset, value):
        return self.data[:offset] + value + self.data[offset + len(value):]

    def with_checksum(self, data):
        digest = 0xcbf29ce484222325  # FNV-1a of code and metadata
        for byte in data[:self.code] + data[self.metadata:self.metadata + self.metadata_bytes]:
            digest = (digest ^ byte) * 0x100000001b3 % 2**64
        return data[:self.end + CHECKSUM] + struct.pack("<Q", digest) + data[self.end + CHECKSUM + 8:]


def main():
    damage, chance = Damage(sys.argv[1]), random.Random(7)
    size = len(damage.data)
    for length in (1, 71, 72, 4096, size // 2, size - 72, size - 1):
        damage.check(f"cut to {length}", damage.data[:length], expected="is not a Weft model")
    damage.check("another ABI", damage.changed(damage.end + VERSION, struct.pack("<I", 99)),
                 expected="was compiled for runtime ABI 99")
    for offset in range(0, TRAILER.size, 3):
        damage.check(f"trailer byte {offset}", damage.changed(damage.end + offset, bytes([damage.data[damage.end + offset] ^ 0x81])))
    for part, start, length in (("code", 0, damage.code), ("metadata", damage.metadata, damage.metadata_bytes)):
        for offset in chance.sample(range(start, start + length), 8):
            damage.check(f"{part} byte {offset}", damage.changed(offset, bytes([damage.data[offset] ^ 0x10])), expected="checksum")
    for _ in range(60):
        offset = damage.metadata + chance.randrange(damage.metadata_bytes)
        value = bytes([chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))])
        damage.check(f"metadata byte {offset} is {value}", damage.with_checksum(damage.changed(offset, value)), codes=(0, 1, 4), runs=False)
    print("\n".join(damage.problems + [f"{damage.count} damaged artifacts, {len(damage.problems)} problems"]))
    return 1 if damage.problems else 0


if __name__ == "__main__":
    sys.exit(main())
