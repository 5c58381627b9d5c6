// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads numbers as an input's element type has them.
#include "frontend/Onnx/InputConstants.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace weft;
using weft::onnx::InputConstants;

InputConstants::InputConstants(ArrayRef<std::string> settings, Diagnostics &diagnostics)
    : diagnostics(diagnostics) {
  for (StringRef setting : settings) {
    auto [name, value] = setting.split('=');
    if (!setting.contains('=') || !values.try_emplace(name, value.str()).second)
      diagnostics.error(DiagnosticId::InputConstant, {},
                        "expects --set NAME=VALUE, each name once, got " + quoted(setting));
  }
}

/// A number as an element; null if it is none, or does not fit.
static mlir::Attribute parseElement(StringRef text, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value(type.getFloatSemantics());
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (status)
      return FloatAttr::get(type, value);
    consumeError(status.takeError());
    return nullptr;
  }
  auto type = cast<IntegerType>(element);
  if (type.getWidth() == 1 && (text == "true" || text == "false"))
    return BoolAttr::get(type.getContext(), text == "true");
  bool isSigned = !type.isUnsigned() && type.getWidth() > 1;
  StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  constexpr size_t kMostDigits = 20; // of 64 bits
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit) || digits.size() > kMostDigits ||
      (isNegative && !isSigned))
    return nullptr;
  APInt number(/*numBits=*/128, digits, /*radix=*/10);
  if (isNegative)
    number.negate();
  if (isSigned ? !number.isSignedIntN(type.getWidth()) : !number.isIntN(type.getWidth()))
    return nullptr;
  return IntegerAttr::get(type, number.trunc(type.getWidth()));
}

Value InputConstants::make(GraphBuilder &graph, StringRef input, Type element, ArrayRef<weft::Dim> shape) {
  auto setting = values.find(input);
  std::string text = std::move(setting->second);
  values.erase(setting);
  auto bad = [&](const Twine &what) {
    diagnostics.error(DiagnosticId::InputConstant, {("input " + quoted(input)), input.str()},
                      "expects " + what + " from --set, got " + quoted(text));
    return Value();
  };
  RankedTensorType type = getTensorType(shape, element);
  if (!type.hasStaticShape())
    return bad("no constant, because its size is not fixed (" + describeType(type) + "),");
  SmallVector<StringRef> words;
  StringRef(text).split(words, ',');
  SmallVector<mlir::Attribute> elements;
  for (StringRef word : words) {
    elements.push_back(parseElement(word.trim(), element));
    if (!elements.back())
      return bad("numbers that fit " + describeType(type));
  }
  if (elements.size() != 1 && int64_t(elements.size()) != type.getNumElements())
    return bad("one value, or " + Twine(type.getNumElements()));
  return graph.constant(type, elements.size() == 1 ? DenseElementsAttr::get(type, elements.front())
                                                   : DenseElementsAttr::get(type, elements));
}

void InputConstants::reportUnused() {
  for (StringRef name : values.keys())
    diagnostics.error(DiagnosticId::InputConstant, {},
                      "expects --set to name an input of the model, got " + quoted(name));
}
