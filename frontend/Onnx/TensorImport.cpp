// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of the model becomes inline attributes or handles into mapped files.
#include "frontend/Onnx/TensorImport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weft;
using weft::onnx::ElementType;
using weft::onnx::TensorImport;
namespace path = llvm::sys::path;

Type weft::onnx::getElementType(MLIRContext *context, ElementType type) {
  auto integer = [&](unsigned bits, bool isUnsigned = false) {
    return IntegerType::get(context, bits, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (type) {
  case ElementType::Float16:
    return Float16Type::get(context);
  case ElementType::BFloat16:
    return BFloat16Type::get(context);
  case ElementType::Float32:
    return Float32Type::get(context);
  case ElementType::Float64:
    return Float64Type::get(context);
  case ElementType::Bool:
    return integer(1);
  case ElementType::Int8:
    return integer(8);
  case ElementType::Int16:
    return integer(16);
  case ElementType::Int32:
    return integer(32);
  case ElementType::Int64:
    return integer(64);
  case ElementType::UInt8:
    return integer(8, /*isUnsigned=*/true);
  case ElementType::UInt16:
    return integer(16, /*isUnsigned=*/true);
  case ElementType::UInt32:
    return integer(32, /*isUnsigned=*/true);
  case ElementType::UInt64:
    return integer(64, /*isUnsigned=*/true);
  case ElementType::Int4:
    return integer(4);
  case ElementType::UInt4:
    return integer(4, /*isUnsigned=*/true);
  case ElementType::Int2:
    return integer(2);
  case ElementType::UInt2:
    return integer(2, /*isUnsigned=*/true);
  case ElementType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case ElementType::Float4E2M1:
    return Float4E2M1FNType::get(context);
  default: // strings and complex numbers
    return Type();
  }
}

/// Elements of less than a byte, which share bytes in a model, the first in the lowest bits: one a byte, as
/// Weft has them (isCompact).
static std::vector<char> unpack(StringRef packed, Type element, int64_t count) {
  unsigned bits = element.getIntOrFloatBitWidth(), each = 8 / bits;
  std::vector<char> unpacked(count);
  for (int64_t i = 0; i < count; ++i) {
    unsigned code = uint8_t(packed[i / each]) >> (i % each * bits) & ((1U << bits) - 1);
    unpacked[i] = char(element.isSignlessInteger() ? llvm::SignExtend32(code, bits) : int32_t(code));
  }
  return unpacked;
}

TensorImport::TensorImport(MLIRContext *context, const Model &model) : modelPath(model.path) {
  StringRef folder = path::parent_path(modelPath);
  llvm::SmallString<256> resolved;
  if (!llvm::sys::fs::real_path(folder.empty() ? "." : folder, resolved))
    resolvedFolder = resolved.str().str();
  context->getOrLoadDialect<WeftDialect>()->getWeights().setBaseDirectory(folder);
}

/// The file name that a handle carries: relative to the model's folder, if it lies there; "" for bytes that
/// no file has, such as those of a model in memory.
std::string TensorImport::nameFor(const MappedFile &file) const {
  if (!llvm::sys::fs::is_regular_file(file.path()))
    return "";
  if (file.path() == modelPath)
    return path::filename(modelPath).str();
  // The reader gives external data by its resolved path.
  StringRef rest = file.path();
  if (!resolvedFolder.empty() && rest.consume_front(resolvedFolder) && rest.consume_front("/"))
    return rest.str();
  return file.path().str();
}

Value TensorImport::add(GraphBuilder &graph, const Tensor &tensor, ArrayRef<int64_t> shape) const {
  Type element = getElementType(graph.getContext(), tensor.elementType);
  if (!element) {
    emitError(graph.getLocation()) << "expects data of a type that Weft computes with, got "
                                   << elementTypeName(tensor.elementType);
    return nullptr;
  }
  auto type = RankedTensorType::get(shape, element);
  StringRef bytes = tensor.bytes();
  std::vector<char> unpacked;
  bool isPacked = elementBits(tensor.elementType) < 8;
  if (isPacked) {
    unpacked = unpack(bytes, element, type.getNumElements());
    bytes = StringRef(unpacked.data(), unpacked.size());
  }
  auto copyOf = [&](RankedTensorType copyType) {
    return makeConstant(copyType, graph.getLocation(), [&](MutableArrayRef<char> into) {
      llvm::copy(bytes.take_front(into.size()), into.begin());
    });
  };
  constexpr int64_t kMaxInlineElements = 64; // As makeConstant has it.
  int64_t width = getElementBytes(element);
  std::string file;
  FailureOr<mlir::Attribute> value;
  if (type.getNumElements() <= kMaxInlineElements) {
    value = copyOf(type);
  } else if (bytes.drop_front(width) == bytes.drop_back(width)) { // A splat, told without a copy.
    value = copyOf(RankedTensorType::get({1}, element));
    if (succeeded(value))
      value = mlir::Attribute(cast<DenseElementsAttr>(*value).resizeSplat(type));
  } else if (!isPacked && tensor.file && !(file = nameFor(*tensor.file)).empty()) {
    uint64_t hash = WeightStore::hash(ArrayRef<char>(bytes.data(), bytes.size()));
    tensor.file->release(bytes);
    value = mlir::Attribute(WeightAttr::get(graph.getContext(), file, tensor.offset, tensor.size, hash));
  } else {
    value = copyOf(type);
  }
  return failed(value) ? Value() : graph.constant(type, *value);
}
