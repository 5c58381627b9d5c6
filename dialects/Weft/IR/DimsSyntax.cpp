// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax of symbolic dims: printing with as few signs as needed, and a recursive-descent parser that
// normalizes.
#include "dialects/Weft/IR/DimsPolynomial.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace weft;
using namespace weft::polynomial;

//===-- Printing
//--------------------------------------------------------------------------------------------------===//

static StringRef callName(DimKind kind) {
  switch (kind) {
  case DimKind::FloorDiv:
    return "floordiv";
  case DimKind::Mod:
    return "mod";
  case DimKind::Min:
    return "min";
  case DimKind::Max:
    return "max";
  case DimKind::Broadcast:
    return "broadcast";
  default:
    return "";
  }
}

namespace {
struct Printer {
  raw_ostream &os;
  bool quoted;

  void print(DimAttr dim) const;
  void printSymbol(StringRef name) const;
  void printTerm(Monomial term, bool first) const;
};
} // namespace

void Printer::printSymbol(StringRef name) const {
  if (!quoted) {
    os << name;
    return;
  }
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
}

void Printer::printTerm(Monomial term, bool first) const {
  bool subtracted = term.coefficient < 0 && term.coefficient != INT64_MIN && (!first || !term.atoms.empty());
  if (subtracted)
    term.coefficient = -term.coefficient;
  if (first)
    os << (subtracted ? "-" : "");
  else
    os << (subtracted ? " - " : " + ");
  if (term.coefficient != 1 || term.atoms.empty())
    os << term.coefficient << (term.atoms.empty() ? "" : " * ");
  llvm::interleave(
      term.atoms, os,
      [&](DimAttr atom) {
        bool sum = atom.getKind() == DimKind::Add;
        os << (sum ? "(" : "");
        print(atom);
        os << (sum ? ")" : "");
      },
      " * ");
}

void Printer::print(DimAttr dim) const {
  switch (dim.getKind()) {
  case DimKind::Symbol:
    return printSymbol(dim.getName().getValue());
  case DimKind::Constant:
    os << dim.getValue();
    return;
  case DimKind::Add:
  case DimKind::Mul: {
    bool first = true;
    for (const Monomial &term : decompose(dim)) {
      printTerm(term, first);
      first = false;
    }
    return;
  }
  default:
    os << callName(dim.getKind()) << '(';
    llvm::interleaveComma(dim.getOperands(), os, [&](DimAttr operand) { print(operand); });
    os << ')';
  }
}

void Dim::print(raw_ostream &os, bool quoted) const {
  if (attr)
    Printer{os, quoted}.print(attr);
  else
    os << '?';
}

std::string Dim::toString(bool quoted) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, quoted);
  return text;
}

//===-- Parsing
//---------------------------------------------------------------------------------------------------===//

namespace {
/// sum     ::= product ((`+` | `-`) product)*
/// product ::= factor (`*` factor)*
/// factor  ::= `-`* (integer | string | `(` sum `)` | name `(` sum (`,` sum)* `)`)
class ExpressionParser {
public:
  explicit ExpressionParser(AsmParser &parser) : parser(parser), context(parser.getContext()) {}

  ParseResult parseSum(Dim &dim);

private:
  ParseResult parseProduct(Dim &dim);
  ParseResult parseFactor(Dim &dim);
  ParseResult parseAtom(Dim &dim, bool &negative);
  ParseResult parseCall(Dim &dim, StringRef name, SMLoc location);
  ParseResult parseConstant(Dim &dim, llvm::APInt value, bool &negative, SMLoc location);
  /// Normalizing may refuse an expression; that is an error at its place.
  ParseResult accept(SMLoc location, Dim result, Dim &dim);

  AsmParser &parser;
  MLIRContext *context;
  int depth = 0;
};
} // namespace

ParseResult ExpressionParser::accept(SMLoc location, Dim result, Dim &dim) {
  dim = result;
  return result ? success() : parser.emitError(location, "the expression overflows 64 bits or is too large");
}

ParseResult ExpressionParser::parseSum(Dim &dim) {
  SMLoc location = parser.getCurrentLocation();
  if (++depth > kMaxDepth)
    return parser.emitError(location, "the expression is nested deeper than ") << kMaxDepth;
  SmallVector<Dim> terms(1);
  if (parseProduct(terms.front()))
    return failure();
  while (true) {
    bool negative = succeeded(parser.parseOptionalMinus());
    if (!negative && failed(parser.parseOptionalPlus()))
      break;
    SMLoc termLocation = parser.getCurrentLocation();
    Dim term;
    if (parseProduct(term) || accept(termLocation, negative ? -term : term, terms.emplace_back()))
      return failure();
  }
  --depth;
  return accept(location, terms.size() == 1 ? terms.front() : Dim::sum(context, terms), dim);
}

ParseResult ExpressionParser::parseProduct(Dim &dim) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<Dim> factors;
  do {
    if (parseFactor(factors.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalStar()));
  return accept(location, factors.size() == 1 ? factors.front() : Dim::product(context, factors), dim);
}

ParseResult ExpressionParser::parseFactor(Dim &dim) {
  SMLoc location = parser.getCurrentLocation();
  bool negative = false;
  while (succeeded(parser.parseOptionalMinus()))
    negative = !negative;
  if (parseAtom(dim, negative))
    return failure();
  return negative ? accept(location, -dim, dim) : success();
}

ParseResult ExpressionParser::parseAtom(Dim &dim, bool &negative) {
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseSum(dim) || parser.parseRParen());
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    dim = Dim::symbol(context, text);
    return success();
  }
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    return parseCall(dim, name, location);
  llvm::APInt value;
  OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (!integer.has_value())
    return parser.emitError(location, "expected a dim: a quoted symbol, an integer, a call or parentheses");
  return failed(*integer) ? failure() : parseConstant(dim, value, negative, location);
}

/// Takes the sign in, because the least constant has no positive counterpart.
ParseResult ExpressionParser::parseConstant(Dim &dim, llvm::APInt value, bool &negative, SMLoc location) {
  value = value.sext(value.getBitWidth() + 1);
  if (negative)
    value.negate();
  negative = false;
  if (!value.isSignedIntN(64))
    return parser.emitError(location, "the integer does not fit 64 bits");
  dim = Dim::constant(context, value.getSExtValue());
  return success();
}

ParseResult ExpressionParser::parseCall(Dim &dim, StringRef name, SMLoc location) {
  constexpr DimKind kinds[] = {DimKind::FloorDiv, DimKind::Mod, DimKind::Min, DimKind::Max,
                               DimKind::Broadcast};
  const DimKind *kind = llvm::find_if(kinds, [&](DimKind kind) { return callName(kind) == name; });
  if (kind == std::end(kinds))
    return parser.emitError(location, "expected floordiv, mod, min, max or broadcast, got '") << name << "'";
  SmallVector<Dim> operands;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&] { return parseSum(operands.emplace_back()); }))
    return failure();
  bool division = *kind == DimKind::FloorDiv || *kind == DimKind::Mod;
  if (operands.size() < 2 || (division && operands.size() > 2))
    return parser.emitError(location) << "'" << name << "' takes " << (division ? "two" : "at least two")
                                      << " operands, got " << operands.size();
  if (division && operands[1].getConstant() == 0)
    return parser.emitError(location) << "'" << name << "' by zero";
  return accept(location, Dim::combine(context, *kind, operands), dim);
}

ParseResult weft::parseDim(AsmParser &parser, DimAttr &dim) {
  Dim parsed;
  if (ExpressionParser(parser).parseSum(parsed))
    return failure();
  dim = parsed.getAttr();
  return success();
}

void weft::printDim(AsmPrinter &printer, DimAttr dim) { Dim(dim).print(printer.getStream()); }

//===-- Attributes
//------------------------------------------------------------------------------------------------===//

Attribute DimAttr::parse(AsmParser &parser, Type) {
  DimAttr dim;
  if (parser.parseLess() || parseDim(parser, dim) || parser.parseGreater())
    return {};
  return dim;
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, *this);
  printer << '>';
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimAttr> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseDim(parser, dims.emplace_back()); }))
    return {};
  return get(parser.getContext(), dims);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getDims(), printer.getStream(), [&](DimAttr dim) { printDim(printer, dim); });
  printer << '>';
}
