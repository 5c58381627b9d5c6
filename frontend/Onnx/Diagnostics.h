// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of the ONNX frontend. They are collected, so that one run names every problem of a model.
#ifndef WEFT_FRONTEND_ONNX_DIAGNOSTICS_H
#define WEFT_FRONTEND_ONNX_DIAGNOSTICS_H

#include "frontend/Onnx/OnnxModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

namespace weft::onnx {

/// The stable ids; Diagnostics.def describes each.
enum class DiagnosticId : uint16_t {
#define WEFT_DIAGNOSTIC(name, number, sentence) name = number,
#include "frontend/Onnx/Diagnostics.def"
};

enum class Severity : uint8_t { Error, Warning };

struct Diagnostic {
  DiagnosticId id;
  Severity severity;
  /// One line: `model.onnx: node "/attn/Softmax" (Softmax-13): expects ..., got ...; hint [weft-0123]`.
  std::string message;
  std::string node; ///< The name of the node at fault; may be empty.
};

/// What a diagnostic points at.
struct Place {
  std::string
      text; ///< `node "/attn/Softmax" (Softmax-13)`, `initializer "w"`, or "" for the model as a whole.
  std::string node;
};
/// Places are rendered only when there is something to say about them.
using PlaceFn = llvm::function_ref<Place()>;

/// A name from the file, in quotes, on one line, and no longer than a person reads.
std::string quoted(llvm::StringRef name);

/// The graph or function whose nodes are looked at.
struct Body {
  const Opsets &opsets;
  llvm::StringRef function; ///< Empty for the model's graph.

  Place at(const Node &node) const;
  Place at(llvm::StringRef what, llvm::StringRef name) const;
};

class Diagnostics {
public:
  static constexpr size_t kMaxErrors = 20;

  /// `name` is the file that the messages begin with.
  explicit Diagnostics(llvm::StringRef name) : name_(name) {}

  void error(DiagnosticId id, const Place &place, const llvm::Twine &text);
  void warning(DiagnosticId id, const Place &place, const llvm::Twine &text);

  bool hasErrors() const { return errors_ > 0; }
  llvm::ArrayRef<Diagnostic> all() const { return all_; }
  /// Further errors are only counted: no need to work out their details.
  bool isFull() const { return errors_ >= kMaxErrors; }
  /// How many errors came after the first kMaxErrors and were only counted.
  size_t unlisted() const { return errors_ > kMaxErrors ? errors_ - kMaxErrors : 0; }

private:
  void add(DiagnosticId id, Severity severity, const Place &place, const llvm::Twine &text);

  std::string name_;
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_DIAGNOSTICS_H
