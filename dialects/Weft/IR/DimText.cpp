// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Weft/IR/DimText.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using llvm::StringRef;

namespace {
/// sum := product (('+' | '-') product)*;  product := atom (('*' | '//') atom)*;  atom := name | number | '('
/// sum ')'. A null Dim is "not an expression".
class DimParser {
public:
  DimParser(mlir::MLIRContext *context, const llvm::StringSet<> &names, StringRef text)
      : context(context), names(names), rest(text) {}

  Dim parse() {
    Dim dim = parseSum();
    return rest.ltrim().empty() ? dim : Dim();
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  Dim parseSum() {
    Dim dim = parseProduct();
    while (dim) {
      if (take("+"))
        dim = dim + parseProduct();
      else if (take("-"))
        dim = dim - parseProduct();
      else
        return dim;
    }
    return dim;
  }

  Dim parseProduct() {
    Dim dim = parseAtom();
    while (dim) {
      if (take("//"))
        dim = Dim::floorDiv(dim, parseAtom());
      else if (take("*"))
        dim = dim * parseAtom();
      else
        return dim;
    }
    return dim;
  }

  Dim parseAtom() {
    constexpr unsigned kDeepest = 32; // Of parentheses: the text comes from a file.
    if (take("(")) {
      if (++depth > kDeepest)
        return Dim();
      Dim dim = parseSum();
      --depth;
      return take(")") ? dim : Dim();
    }
    rest = rest.ltrim();
    StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    int64_t number = 0;
    if (!word.getAsInteger(10, number))
      return Dim::constant(context, number);
    return names.contains(word) ? Dim::symbol(context, word) : Dim();
  }

  mlir::MLIRContext *context;
  const llvm::StringSet<> &names;
  StringRef rest;
  unsigned depth = 0;
};
} // namespace

Dim weft::parseDimText(mlir::MLIRContext *context, const llvm::StringSet<> &names, StringRef text) {
  return DimParser(context, names, text).parse();
}
