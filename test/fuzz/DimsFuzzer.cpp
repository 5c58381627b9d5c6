// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: what dims are simplified to has the value of what was written, and proofs hold. The input is a
// program for a stack of expressions, a byte an instruction; the first bytes are the values of symbols.
#include "dialects/Weft/IR/Weft.h"
#include <cstdlib>

using namespace mlir;
using weft::Dim;
using weft::DimKind;

namespace {
/// An expression, and what it is where the symbols have their values: nothing where it means nothing.
struct Written {
  Dim dim;
  std::optional<int64_t> value;
};

class Program {
public:
  explicit Program(llvm::ArrayRef<uint8_t> bytes) : values(bytes.take_front(kSymbols)) {
    context.loadDialect<weft::WeftDialect>();
    for (uint8_t byte : bytes.drop_front(kSymbols))
      step(byte);
  }

  static constexpr size_t kSymbols = 3;

private:
  void step(uint8_t byte);
  void combine(DimKind kind);
  void check(const Written &left, const Written &right);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::ArrayRef<uint8_t> values; ///< of the symbols
  llvm::SmallVector<Written> stack;
};
} // namespace

static void require(bool holds) {
  if (!holds)
    std::abort();
}

void Program::step(uint8_t byte) {
  constexpr DimKind kinds[] = {DimKind::Add,       DimKind::Mul, DimKind::FloorDiv, DimKind::Mod,
                               DimKind::Broadcast, DimKind::Min, DimKind::Max};
  if (byte < std::size(kinds))
    return combine(kinds[byte]);
  if (byte < 16) {
    size_t index = byte % kSymbols;
    std::string name(1, char('a' + index));
    stack.push_back({Dim::symbol(&context, name), values[index]});
  } else {
    int64_t number = int64_t(byte) - 128;
    stack.push_back({Dim::constant(&context, number), number});
  }
}

void Program::combine(DimKind kind) {
  if (stack.size() < 2)
    return;
  Written right = stack.pop_back_val(), left = stack.pop_back_val();
  check(left, right);
  Written result{Dim::combine(&context, kind, {left.dim, right.dim}), std::nullopt};
  bool fits = kind != DimKind::Broadcast || left.value == right.value || left.value == 1 || right.value == 1;
  if (left.value && right.value && fits)
    result.value = weft::combineValues(kind, *left.value, *right.value);
  stack.push_back(result);
}

void Program::check(const Written &left, const Written &right) {
  for (const Written *written : {&left, &right}) {
    if (!written->dim || !written->value)
      continue;
    auto valueOf = [&](llvm::StringRef name) { return std::optional<int64_t>(values[name[0] - 'a']); };
    // A way that was simplified may overflow where the written one does not.
    std::optional<int64_t> value = written->dim.evaluate(valueOf);
    require(!value || value == written->value);
    require(!weft::provablyNonNegative(written->dim) || *written->value >= 0);
  }
  if (!left.dim || !right.dim || !left.value || !right.value)
    return;
  require(!weft::provablyLess(left.dim, right.dim) || *left.value < *right.value);
  require(!weft::provablyLessEqual(left.dim, right.dim) || *left.value <= *right.value);
  if (std::optional<bool> equal = weft::provablyEqual(left.dim, right.dim))
    require(*equal == (*left.value == *right.value));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t kMost = 40; // expressions, not how long they may get
  if (size > Program::kSymbols && size <= kMost)
    Program({data, size});
  return 0;
}
