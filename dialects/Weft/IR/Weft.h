// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weft dialect: dialect class, attributes, interfaces and operations.
#ifndef WEFT_DIALECTS_WEFT_IR_WEFT_H
#define WEFT_DIALECTS_WEFT_IR_WEFT_H

#include "dialects/Weft/IR/Dims.h"
#include "dialects/Weft/IR/InferContext.h"
#include "dialects/Weft/IR/WeftAttrs.h"
#include "dialects/Weft/IR/WeightStore.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Weft/IR/WeftDialect.h.inc"
#include "dialects/Weft/IR/WeftInterfaces.h.inc"

namespace weft {
struct PackedForm; // PackedWeights.h
}

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftAttentionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftContractionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftControlOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftIndexOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftNormOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftQuantizeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftReductionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftStepOps.h.inc"

namespace weft {

/// Names of attributes on functions that the levels share.
namespace names {
constexpr llvm::StringLiteral kName = "weft.name"; ///< of an argument or result: its name in the model
constexpr llvm::StringLiteral kElementSymbols =
    "weft.element_symbols"; ///< of an input: for each element two symbols, see getElementDims
constexpr llvm::StringLiteral kComputedBy =
    "weft.computed_by"; ///< of a last input: the function that computes it first, and which result it is
constexpr llvm::StringLiteral kDefinitions =
    "weft.definitions"; ///< of a function: names of symbols, each with the dim that it stands for, in turn
constexpr llvm::StringLiteral kGuards = "weft.guards"; ///< of a function: its GuardAttrs
constexpr llvm::StringLiteral kSymbols =
    "weft.symbols";                                ///< of a program: the dims that are its first arguments
constexpr llvm::StringLiteral kDims = "weft.dims"; ///< of a program's input, output or buffer: its dims
constexpr llvm::StringLiteral kElement =
    "weft.element";                                ///< of a program's input or output: its type in the model
constexpr llvm::StringLiteral kBF16 = "weft.bf16"; ///< of a kernel's work: its buffers of i16 hold bf16
constexpr llvm::StringLiteral kRole =
    "weft.role"; ///< of a program's buffer argument: what it is, a role below
constexpr llvm::StringLiteral kArenaBytes = "weft.arena_bytes"; ///< of a program: its arena's size, a DimAttr
constexpr llvm::StringLiteral kOffset = "weft.offset"; ///< of a view of the arena: where it is, a DimAttr
constexpr llvm::StringLiteral kBytes = "weft.bytes";   ///< of a view of the arena: what it takes, a DimAttr
constexpr llvm::StringLiteral kWeights =
    "weft.weights";                              ///< of a module: constants by place in the weights part
constexpr llvm::StringLiteral kGPU = "weft.gpu"; ///< of a kernel's code: the only GPUs that it is for
constexpr llvm::StringLiteral kHopper = "weft.hopper"; ///< of a kernel's code: what sm_90a runs in its place
constexpr llvm::StringLiteral kMachine = "weft.machine"; ///< of a module: the machine it is compiled for
constexpr llvm::StringLiteral kSteps =
    "weft.steps"; ///< of an entry: kernel, node, note, operations, bytes and unit of each step, in turn
constexpr llvm::StringLiteral kScores =
    "weft.scores"; ///< of an attention and of the step that computes it: what it sees, in words
constexpr llvm::StringLiteral kPieces = "weft.pieces"; ///< of a kernel's function: its last arguments are the
                                                       ///< first and the end of a tile's pieces
constexpr llvm::StringLiteral kBeside =
    "weft.beside"; ///< of a step: it needs nothing of the steps before it, from the last without this on
constexpr llvm::StringLiteral kAlternative =
    "weft.alternative"; ///< of a step: where it has tiles, the one before, which writes the same, has none
constexpr llvm::StringLiteral kSchedules =
    "weft.schedules"; ///< of a product: what a table of schedules has for it (compiler/Tile/ScheduleTable.h)
constexpr llvm::StringLiteral kProduct =
    "weft.product"; ///< of a product and of its steps while schedules are tried: which one it is
constexpr llvm::StringLiteral kCapacity =
    "weft.capacity"; ///< of a graph's argument: it is a state, with room for so many positions
constexpr llvm::StringLiteral kState = "weft.state"; ///< of a program's argument, with its dims before a run:
                                                     ///< {axis, capacity, next}; of a result: unit

// Roles of a program's arguments at the buffer level; symbols have none.
constexpr llvm::StringLiteral kInput = "input", kOutput = "output", kWeightsRole = "weights",
                              kArena = "arena", kStateRole = "state";
} // namespace names

/// The elements of an input that decides sizes, from its weft.element_symbols. No symbol is negative, so each
/// element is what it is above 0 less what it is below, or the first alone, where the second symbol is empty:
/// a session then refuses an element below 0.
llvm::SmallVector<Dim> getElementDims(mlir::ArrayAttr symbols);
/// Calls `visit` with each element's symbols; `below` is null where there is none.
void forEachElement(
    mlir::ArrayAttr symbols,
    llvm::function_ref<void(size_t element, mlir::StringAttr above, mlir::StringAttr below)> visit);
/// The same with the symbols alone, of all inputs of a function.
void forEachElementSymbol(mlir::FunctionOpInterface function,
                          llvm::function_ref<void(mlir::StringAttr)> visit);

/// The function and the number of its result that a session computes an input by, before it runs the program:
/// sizes depend on it. Nothing if it is given.
std::optional<std::pair<llvm::StringRef, int64_t>> getComputedBy(mlir::DictionaryAttr argument);

/// Calls `visit` with the symbols of weft.definitions in their order, and what each stands for: expressions
/// over symbols of inputs and those before. No value is negative.
void forEachDefinition(mlir::Operation *function, llvm::function_ref<void(mlir::StringAttr, Dim)> visit);

/// The name that the model gives an operation ("/layers.0/MatMul"), or the operation's own name.
std::string getNodeName(mlir::Operation *op);
std::string getNodeName(mlir::Location location);

/// The handle's or the inline data's bytes of a constant, as the evaluator and the passes read it. Inline
/// data is written to `storage` (bool as one byte each, splats spread out). Emits an error on `op` if the
/// bytes are not there.
mlir::FailureOr<llvm::ArrayRef<char>> readConstant(ConstantOp op, llvm::SmallVectorImpl<char> &storage);
/// Inline data as bytes, one per bool, splats spread out.
void spreadConstant(mlir::DenseElementsAttr dense, llvm::SmallVectorImpl<char> &storage);
/// Makes a constant from bytes: inline if it is a splat or short, a handle otherwise.
mlir::FailureOr<mlir::Attribute> makeConstant(mlir::RankedTensorType type, mlir::Location location,
                                              llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);
/// Bytes of one element in memory: a bool takes one.
int64_t getElementBytes(mlir::Type element);
/// Whether elements are stored, moved and cast, and nothing is computed in them: floats of eight bits and
/// less, integers of less than eight. In memory each is a byte, integers extended to it.
bool isCompact(mlir::Type element);
bool isCompactFloat(mlir::Type element);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_WEFT_H
