// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads `NAME=SIZE`, `NAME=LOW..HIGH` and `NAME=FORMULA`.
#include "compiler/Graph/DimOption.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using llvm::StringRef;

static bool readSize(StringRef text, int64_t &size) { return !text.getAsInteger(10, size) && size >= 0; }

std::optional<DimOption> weft::parseDimOption(StringRef text) {
  DimOption option;
  std::tie(option.name, option.range) = text.rsplit('=');
  // A formula has a name in it.
  option.isFormula = !option.name.empty() && !option.range.contains("..") &&
                     llvm::any_of(option.range, [](char c) { return llvm::isAlpha(c) || c == '_'; });
  if (option.isFormula)
    return option;
  auto [low, high] = option.range.split("..");
  bool isRange = option.range.contains("..");
  int64_t last = INT64_MAX;
  bool isValid = !option.name.empty() && option.range != ".." &&
                 (isRange && low.empty() ? true : readSize(low, option.low)) &&
                 (high.empty() || readSize(high, last)) && option.low <= last;
  if (!isRange)
    option.high = option.low;
  else if (!high.empty())
    option.high = last;
  return isValid ? std::optional(option) : std::nullopt;
}
