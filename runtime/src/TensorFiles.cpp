// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the format of a tensor file.

#include "TensorFiles.h"
#include "Error.h"
#include "FileIO.h"
#include "Npy.h"
#include "Npz.h"
#include "OnnxTensor.h"

namespace weft::runtime {

namespace {

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::vector<NamedTensor> decodeFile(const std::string &path) {
  std::string bytes = readFile(path);
  if (startsWith(bytes, npyMagic))
    return {{"", decodeNpy(bytes, path)}};
  if (startsWith(bytes, "PK"))
    return decodeNpz(bytes, path);
  if (endsWith(path, ".pb"))
    return {decodeOnnxTensor(bytes, path)};
  raiseBadData(path,
               ": is not a tensor file: expected the content of a .npy or .npz, or a name that ends in .pb");
}

} // namespace

WeftStatus loadTensors(const std::string &path, std::vector<NamedTensor> &outTensors) {
  return guarded([&] { outTensors = decodeFile(path); });
}

WeftStatus checkSavePath(const std::string &path, size_t tensorCount) {
  return guarded([&] {
    bool holdsOne = endsWith(path, ".npy") || endsWith(path, ".pb");
    if (holdsOne && tensorCount != 1)
      raiseBadArgument(path, ": a .npy or .pb file holds one tensor, not ", tensorCount, "; use .npz");
    if (!holdsOne && !endsWith(path, ".npz") && !startsWith(path, "/dev/"))
      raiseBadArgument(path, ": tensors are written to .npz, .npy or .pb files");
  });
}

WeftStatus saveTensors(const std::string &path, const std::vector<NamedTensor> &tensors) {
  return guarded([&] {
    check(checkSavePath(path, tensors.size()));
    OutputFile file(path);
    if (endsWith(path, ".npy"))
      writeNpy(file, tensors.front().tensor.get());
    else if (endsWith(path, ".pb"))
      writeOnnxTensor(file, tensors.front());
    else
      writeNpz(file, tensors);
    file.commit();
  });
}

} // namespace weft::runtime
