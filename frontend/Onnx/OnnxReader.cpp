// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader from top to bottom: map, lift the weights out, parse, decode, sort, check.
#include "frontend/Onnx/OnnxReader.h"
#include "frontend/Onnx/Checks.h"
#include "frontend/Onnx/DecodeModel.h"
#include "frontend/Onnx/ParseModel.h"
#include "frontend/Onnx/RawDataLift.h"
#include "frontend/Onnx/SortNodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace weft::onnx;
using llvm::StringRef;

std::string weft::onnx::describeForeignFormat(StringRef bytes) {
  if (bytes.starts_with("PK\x03\x04"))
    return "; this is a zip archive (a PyTorch .pt, or .npz), export the model to ONNX first";
  if (bytes.starts_with("\x1f\x8b"))
    return "; this is gzip data, unpack it first";
  if (bytes.starts_with("version https://git-lfs"))
    return "; this is a git-lfs pointer, run 'git lfs pull'";
  if (bytes.substr(4).starts_with("ORTM"))
    return "; this is an ORT-format file, export the model to ONNX";
  if (llvm::all_of(bytes.take_front(64), [](char c) { return llvm::isPrint(c) || llvm::isSpace(c); }))
    return "; this is text";
  return "";
}

std::shared_ptr<const MappedFile> weft::onnx::openModel(StringRef path, Diagnostics &diagnostics) {
  MappedFile::Failure failure;
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, MappedFile::FollowSymlinks::Yes, failure);
  if (!file)
    diagnostics.error(failure.isSystemError ? DiagnosticId::FileUnreadable : DiagnosticId::FileNotRegular, {},
                      failure.reason);
  return file;
}

bool weft::onnx::parseModel(StringRef bytes, ReaderLimits limits, Diagnostics &diagnostics,
                            ::onnx::ModelProto &proto) {
  limits.messageBytes = std::min<uint64_t>(limits.messageBytes, 1u << 30); // Protobuf stops at 2 GiB.
  if (bytes.empty()) {
    diagnostics.error(DiagnosticId::FileEmpty, {}, "expects an ONNX model, got an empty file");
    return false;
  }
  std::optional<std::string> message = liftRawData(bytes, limits, diagnostics);
  if (!message)
    return false;
  google::protobuf::io::ArrayInputStream array(message->data(), message->size());
  google::protobuf::io::CodedInputStream stream(&array);
  stream.SetTotalBytesLimit(message->size());
  // The walk has bounded the nesting already; the outermost message does not count here.
  stream.SetRecursionLimit(limits.nesting);
  if (!proto.ParseFromCodedStream(&stream)) {
    diagnostics.error(DiagnosticId::FileMalformed, {},
                      "expects an ONNX model, got fields of other types" + describeForeignFormat(bytes));
    return false;
  }
  if (!proto.has_graph()) {
    diagnostics.error(DiagnosticId::NoGraph, {},
                      "expects a graph, got a file without one" + describeForeignFormat(bytes));
    return false;
  }
  return true;
}

/// From IR version 4 on, an initializer that is also an input is a default that a caller may override.
/// Before, every initializer had to be listed as an input and was a constant; such inputs are none that a
/// caller gives.
static void separateInputsFromInitializers(Model &model) {
  llvm::StringSet<> inputs, initializers;
  for (const ValueInfo &input : model.graph.inputs)
    inputs.insert(input.name);
  for (Tensor &tensor : model.graph.initializers) {
    tensor.isInputDefault = model.irVersion >= 4 && inputs.contains(tensor.name);
    initializers.insert(tensor.name);
  }
  if (model.irVersion < 4)
    llvm::erase_if(model.graph.inputs,
                   [&](const ValueInfo &input) { return initializers.contains(input.name); });
}

static std::optional<Model> readMapped(std::shared_ptr<const MappedFile> file, StringRef modelPath,
                                       Diagnostics &diagnostics, const ReaderLimits &limits) {
  Model model;
  {
    ::onnx::ModelProto proto;
    if (!parseModel(file->bytes(), limits, diagnostics, proto))
      return std::nullopt;
    TensorSources sources = {std::move(file), ExternalData(modelPath), diagnostics};
    model = decodeModel(proto, sources);
  }
  separateInputsFromInitializers(model);
  sortNodes(model);

  FunctionTable functions(model);
  checkVersions(model, functions, diagnostics);
  checkNames(model, diagnostics);
  checkFunctions(model, functions, limits, diagnostics);
  checkSubgraphs(model, functions, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return model;
}

std::optional<Model> weft::onnx::readOnnxModel(StringRef path, Diagnostics &diagnostics,
                                               const ReaderLimits &limits) {
  std::shared_ptr<const MappedFile> file = openModel(path, diagnostics);
  return file ? readMapped(std::move(file), path, diagnostics, limits) : std::nullopt;
}

std::optional<Model> weft::onnx::readOnnxModel(llvm::MemoryBufferRef bytes, Diagnostics &diagnostics,
                                               const ReaderLimits &limits) {
  return readMapped(MappedFile::view(bytes.getBufferIdentifier(), bytes.getBuffer()), /*modelPath=*/"",
                    diagnostics, limits);
}
