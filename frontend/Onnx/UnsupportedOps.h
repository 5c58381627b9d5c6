// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of a model that are not imported, collected so that each is reported once, with all its
// nodes.
#ifndef WEFT_FRONTEND_ONNX_UNSUPPORTEDOPS_H
#define WEFT_FRONTEND_ONNX_UNSUPPORTEDOPS_H

#include "frontend/Onnx/OpTable.h"

namespace weft::onnx {

class UnsupportedOps {
public:
  void add(const Node &node, const Place &place, int64_t opset);
  /// One error for each operator, in the order in which they were met.
  void report(const OpTable &table, Diagnostics &diagnostics) const;

private:
  struct Use {
    std::string domain, opType;
    Place place;
    int64_t opset = 0;
    std::vector<std::string> nodes; ///< The first few names.
    size_t count = 0;
  };
  std::vector<Use> uses;
  llvm::StringMap<size_t> places; ///< In `uses`, by domain and operator.
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_UNSUPPORTEDOPS_H
