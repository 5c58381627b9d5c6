# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes ones of shape 1 x 2 x 64 as whole.npy, whole.npz and whole.pb (an ONNX TensorProto): make_tensors.py FOLDER
import os
import struct
import sys
import zipfile

folder = sys.argv[1]
data = struct.pack("<128f", *[1.0] * 128)
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 64), }".ljust(117) + "\n"
npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
with open(os.path.join(folder, "whole.npy"), "wb") as file:
    file.write(npy)
with zipfile.ZipFile(os.path.join(folder, "whole.npz"), "w") as archive:
    archive.writestr("x.npy", npy)
with open(os.path.join(folder, "whole.pb"), "wb") as file:  # dims, data_type, raw_data
    file.write(bytes([8, 1, 8, 2, 8, 64, 16, 1, 74, 128, 4]) + data)
