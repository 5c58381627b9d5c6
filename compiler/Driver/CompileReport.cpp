// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a report's data from IR of the buffer level, which says all of it.
#include "compiler/Driver/CompileReport.h"
#include "compiler/Driver/ReportPage.h"
#include "compiler/Graph/DimOption.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace weft;
namespace json = llvm::json;

/// A name of the model, which may be any bytes.
static std::string textOf(StringRef name) { return json::fixUTF8(name); }

static StringRef nameOf(DimKind kind) {
  switch (kind) {
  case DimKind::Add:
    return "add";
  case DimKind::Mul:
    return "mul";
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
  case DimKind::Constant:
  case DimKind::Symbol:
    break;
  }
  llvm_unreachable("an operand");
}

/// A formula as a postfix program; 0 if there is none.
static json::Array formulaOf(DimAttr attribute) {
  json::Array words;
  if (!attribute)
    return json::Array{0};
  visitPostfix(Dim(attribute), [&](DimKind kind, int64_t value, StringRef name) {
    if (kind == DimKind::Constant)
      words.push_back(value);
    else if (kind == DimKind::Symbol)
      words.push_back(json::Object{{"dim", textOf(name)}});
    else
      words.push_back(nameOf(kind));
  });
  return words;
}

/// The model's nodes that an operation stands for, each with its operator: "MatMul-13".
static void collectNodes(Location location, json::Array &nodes) {
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location inner : fused.getLocations())
      collectNodes(inner, nodes);
  if (auto named = dyn_cast<NameLoc>(location)) {
    auto kind = dyn_cast<NameLoc>(named.getChildLoc());
    nodes.push_back(json::Array{textOf(named.getName()), textOf(kind ? kind.getName().getValue() : "")});
  }
}

namespace {

/// Reads one entry point.
class ProgramReader {
public:
  ProgramReader(func::FuncOp program, ArrayRef<std::string> dimOptions)
      : program(program), dimOptions(dimOptions) {}

  json::Object read() {
    readSteps();
    readSignature();
    auto arena = program->getAttrOfType<DimAttr>(names::kArenaBytes);
    return json::Object{{"name", textOf(program.getName())},
                        {"dims", readDims()},
                        {"inputs", std::move(edges[names::kInput])},
                        {"outputs", std::move(edges[names::kOutput])},
                        {"states", std::move(edges[names::kStateRole])},
                        {"arena", formulaOf(arena)},
                        {"arena_formula", arena ? textOf(Dim(arena).toString()) : "0"},
                        {"steps", std::move(steps)},
                        {"buffers", readBuffers()},
                        {"weights", readWeights()}};
  }

private:
  void readSteps() {
    program.walk([&](StepOp step) {
      numbers[step] = steps.size();
      json::Array nodes;
      collectNodes(step.getLoc(), nodes);
      auto scores = step->getAttrOfType<StringAttr>(names::kScores);
      steps.push_back(json::Object{{"kernel", textOf(step.getKernel())},
                                   {"nodes", std::move(nodes)},
                                   {"note", scores ? textOf(scores.getValue()) : ""},
                                   {"flops", formulaOf(step.getFlopsAttr())},
                                   {"bytes", formulaOf(step.getBytesAttr())}});
    });
  }

  void readSignature() {
    for (StringRef role : {StringRef(names::kInput), StringRef(names::kOutput), StringRef(names::kStateRole)})
      edges[role] = json::Array();
    for (unsigned i = 0; i < program.getNumArguments(); ++i) {
      auto role = program.getArgAttrOfType<StringAttr>(i, names::kRole);
      auto name = program.getArgAttrOfType<StringAttr>(i, names::kName);
      auto dims = program.getArgAttrOfType<DimsAttr>(i, names::kDims);
      auto element = program.getArgAttrOfType<TypeAttr>(i, names::kElement);
      auto list = role ? edges.find(role.getValue()) : edges.end();
      if (list == edges.end() || !name || !dims || !element)
        continue;
      std::string type;
      llvm::raw_string_ostream stream(type);
      for (DimAttr dim : dims.getDims())
        stream << Dim(dim).toString() << " x ";
      stream << element.getValue();
      if (std::optional<StateGrowth> growth = StateGrowth::get(program.getArgAttr(i, names::kState)))
        stream << ", room for " << growth->capacity;
      list->second.push_back(json::Array{textOf(name.getValue()), textOf(type)});
      if (dims.getDims().size() > 1)
        if (std::optional<StringRef> first = Dim(dims.getDims().front()).getSymbol())
          batches.insert(*first);
    }
  }

  /// Each with what it may be, and a size to begin with: 1 of a batch, which comes first in a shape.
  json::Array readDims() {
    json::Array dims;
    auto symbols = program->getAttrOfType<ArrayAttr>(names::kSymbols);
    if (!symbols)
      return dims;
    for (auto symbol : symbols.getAsRange<StringAttr>()) {
      json::Value high = nullptr;
      int64_t low = 0, start = batches.contains(symbol.getValue()) ? 1 : 64;
      for (const std::string &text : dimOptions)
        if (std::optional<DimOption> option = parseDimOption(text);
            option && option->name == symbol.getValue()) {
          low = option->low;
          if (option->high) {
            high = *option->high;
            start = std::min(start, *option->high);
          }
        }
      dims.push_back(json::Object{{"name", textOf(symbol.getValue())},
                                  {"low", low},
                                  {"high", std::move(high)},
                                  {"start", std::max(start, low)}});
    }
    return dims;
  }

  /// The numbers of the steps that use a buffer, or another view of it.
  void collectUses(Value buffer, SmallVectorImpl<int64_t> &uses) {
    for (Operation *user : buffer.getUsers()) {
      if (auto step = dyn_cast<StepOp>(user))
        uses.push_back(numbers.lookup(step));
      if (isa<memref::ReinterpretCastOp>(user))
        collectUses(user->getResult(0), uses);
    }
  }

  SmallVector<int64_t> usesOf(Value buffer) {
    SmallVector<int64_t> uses;
    collectUses(buffer, uses);
    llvm::sort(uses);
    uses.erase(llvm::unique(uses), uses.end());
    return uses;
  }

  /// Views of the argument of a role that some step uses.
  void overViews(StringRef role, llvm::function_ref<void(memref::ViewOp, ArrayRef<int64_t> uses)> visit) {
    program.walk([&](memref::ViewOp view) {
      auto argument = dyn_cast<BlockArgument>(view.getSource());
      auto actual = argument ? program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kRole)
                             : StringAttr();
      if (!actual || actual.getValue() != role)
        return;
      if (SmallVector<int64_t> uses = usesOf(view); !uses.empty())
        visit(view, uses);
    });
  }

  json::Array readBuffers() {
    json::Array buffers;
    overViews(names::kArena, [&](memref::ViewOp view, ArrayRef<int64_t> uses) {
      buffers.push_back(json::Object{{"node", textOf(getNodeName(view.getLoc()))},
                                     {"offset", formulaOf(view->getAttrOfType<DimAttr>(names::kOffset))},
                                     {"bytes", formulaOf(view->getAttrOfType<DimAttr>(names::kBytes))},
                                     {"first", uses.front()},
                                     {"last", uses.back()}});
    });
    return buffers;
  }

  json::Array readWeights() {
    json::Array weights;
    overViews(names::kWeightsRole, [&](memref::ViewOp view, ArrayRef<int64_t> uses) {
      MemRefType type = view.getType();
      int64_t bytes = type.getNumElements() * getElementBytes(type.getElementType());
      weights.push_back(json::Object{
          {"name", textOf(getNodeName(view.getLoc()))}, {"bytes", bytes}, {"steps", json::Array(uses)}});
    });
    return weights;
  }

  func::FuncOp program;
  ArrayRef<std::string> dimOptions;
  llvm::DenseMap<Operation *, int64_t> numbers; ///< of steps
  json::Array steps;
  std::map<StringRef, json::Array> edges; ///< inputs, outputs and states, by role
  llvm::StringSet<> batches;              ///< dims that come first in a shape
};

} // namespace

void CompileReport::addDeclined(StringRef node, StringRef remark) {
  StringRef why = remark.split(": not fused: ").second;
  if (why.empty()) // it says how many are fused
    return;
  declined.push_back(json::Object{{"node", textOf(node)}, {"why", textOf(why)}});
}

void CompileReport::addPrograms(ModuleOp module, ArrayRef<std::string> dimOptions) {
  for (auto program : module.getOps<func::FuncOp>())
    if (!program.isExternal())
      programs.push_back(ProgramReader(program, dimOptions).read());
}

llvm::Error CompileReport::open(StringRef path) {
  auto created = OutputFile::create(path);
  if (!created)
    return created.takeError();
  file.emplace(std::move(*created));
  isPage = path.ends_with(".html");
  return llvm::Error::success();
}

llvm::Error CompileReport::save() {
  facts["declined"] = std::move(declined);
  facts["programs"] = std::move(programs);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(facts));
  // No name may end the script that a page holds the data in.
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  if (isPage)
    file->write(StringRef(reportPageBeforeData));
  file->write(StringRef(text + "\n"));
  if (isPage)
    file->write(StringRef(reportPageBehindData));
  return file->commit();
}
