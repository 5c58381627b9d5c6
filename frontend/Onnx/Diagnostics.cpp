// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Renders and collects diagnostics.
#include "frontend/Onnx/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft::onnx;

std::string weft::onnx::quoted(llvm::StringRef name) {
  constexpr size_t kLongest = 200;
  std::string text = "\"";
  llvm::raw_string_ostream out(text);
  llvm::printEscapedString(name.take_front(kLongest), out);
  out << (name.size() > kLongest ? "...\"" : "\"");
  return text;
}

static std::string inFunction(llvm::StringRef function) {
  return function.empty() ? std::string() : "function " + quoted(function) + ": ";
}

Place Body::at(const Node &node) const {
  std::string text = inFunction(function) + "node ";
  llvm::raw_string_ostream out(text);
  if (!node.name.empty())
    out << quoted(node.name);
  else
    out << "#" << node.index;
  // Nodes without a name are best found by what they make.
  if (node.name.empty() && !node.outputs.empty() && !node.outputs.front().empty())
    out << ", which makes " << quoted(node.outputs.front());
  out << " (";
  if (!node.domain.empty())
    llvm::printEscapedString(llvm::StringRef(node.domain).take_front(100), out), out << ".";
  llvm::printEscapedString(llvm::StringRef(node.opType).take_front(100), out);
  if (auto opset = opsets.find(node.domain); opset != opsets.end())
    out << "-" << opset->second;
  out << ")";
  return {text, node.name};
}

Place Body::at(llvm::StringRef what, llvm::StringRef name) const {
  return {inFunction(function) + what.str() + " " + quoted(name), ""};
}

void Diagnostics::error(DiagnosticId id, const Place &place, const llvm::Twine &text) {
  if (++errors_ <= kMaxErrors)
    add(id, Severity::Error, place, text);
}

void Diagnostics::warning(DiagnosticId id, const Place &place, const llvm::Twine &text) {
  if (++warnings_ <= kMaxErrors)
    add(id, Severity::Warning, place, text);
}

void Diagnostics::add(DiagnosticId id, Severity severity, const Place &place, const llvm::Twine &text) {
  std::string message;
  llvm::raw_string_ostream out(message);
  llvm::printEscapedString(name_, out);
  out << ": " << place.text << (place.text.empty() ? "" : ": ") << text
      << llvm::format(" [weft-%04u]", static_cast<unsigned>(id));
  all_.push_back({id, severity, std::move(message), place.node});
}
