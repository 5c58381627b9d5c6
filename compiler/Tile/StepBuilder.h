// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a family's lowering writes steps and kernels with.
#ifndef WEFT_COMPILER_TILE_STEPBUILDER_H
#define WEFT_COMPILER_TILE_STEPBUILDER_H

#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

namespace weft {

/// The element type in memory from tile level on: a bool is a byte, integers are signless, and bf16, of which
/// processors know little, is the integer of its bits.
mlir::Type getStoredElement(mlir::Type element);

/// The tensor of the program that a value is, or is a view of.
mlir::Value getRoot(mlir::Value tensor);

/// What a step does at least, for profiles. Null operations are none; null bytes are those of every operand,
/// once.
struct StepWork {
  Dim flops, bytes;
};

/// A tensor that the session keeps from run to run (weft.capacity): a graph's argument and what is made of it
/// by appending to it, both in one tensor of the program that has room for `capacity` positions along the
/// axis.
struct StateTensor {
  mlir::Value tensor;          ///< as the last step left it
  llvm::SmallVector<Dim> dims; ///< of what there is after appending
  int64_t axis;
  int64_t capacity;
  /// The dims of `tensor`.
  llvm::SmallVector<Dim> room() const;
};

/// Builds the step program of one entry point while the graph operations are walked in order.
///
/// A graph value has one tensor of the program, without encoding, and its dims as expressions. Where an
/// operation wants other dims of the same elements (rows of a matrix, say) it asks for a view.
class StepBuilder {
public:
  StepBuilder(mlir::func::FuncOp program, bool isForGPU);

  /// Whether steps run on a GPU, where more tiles than on a CPU work at once.
  const bool isForGPU;
  /// Elements of a tile that does little with each: enough work to pay for a call, few enough to share out.
  int64_t elementsOfTile() const { return isForGPU ? 256 : 8192; }

  mlir::OpBuilder &host() { return builder; }
  /// A loop of the program, while its body is written.
  struct Loop {
    mlir::scf::ForOp op;
    llvm::SmallVector<mlir::Value> carried; ///< in the body: what a step writes into one is there in the next
                                            ///< iteration
    mlir::Block *around;
    Dim repeats;
  };
  /// Starts a loop that carries these tensors: steps go into its body from here on.
  Loop beginLoop(Dim count, mlir::ValueRange initial);
  /// Ends it, with what steps made of what is carried; the same behind the loop.
  llvm::SmallVector<mlir::Value> endLoop(Loop &loop, mlir::ValueRange carried);
  /// The graph operation that is being lowered; its location names the steps and its schedule the kernels.
  void setOperation(mlir::Operation *op);

  // Values.
  void map(mlir::Value graphValue, mlir::Value tensor);
  /// The graph value's tensor, which is made now if that was deferred.
  mlir::Value tensor(mlir::Value graphValue);
  bool hasTensor(mlir::Value graphValue) const { return tensors.contains(graphValue); }
  /// Makes the tensor of an operation's result when it is asked for, if it ever is; or now, behind a long
  /// chain of such operations.
  void defer(mlir::Value graphValue, std::function<mlir::Value()> make);
  /// Makes `tensor`, an argument's, a state, which holds `appended` once the graph has concatenated that.
  void mapState(mlir::Value appended, mlir::Value tensor, int64_t capacity, int64_t axis);
  /// The state that holds a graph value which was made by appending; null for every other.
  StateTensor *findState(mlir::Value graphValue);
  /// A result that has no tensor: the step of the operation that reads it computes it, by so many operations.
  void leaveToUser(mlir::Value graphValue, unsigned operations) { leftToUsers[graphValue] = operations; }
  /// How many they are; 0 where the graph value has a tensor, or gets one.
  unsigned countOperations(mlir::Value graphValue) const { return leftToUsers.lookup(graphValue); }
  /// The dims of a tensor that a graph value or a step has.
  llvm::ArrayRef<Dim> dimsOf(mlir::Value tensor) { return knownDims[tensor]; }
  /// What weft.uniform_tile made of a graph value; null until somebody asks and fills it in.
  mlir::Value &mapOf(mlir::Value graphValue) { return maps[graphValue]; }
  /// The same elements with other dims; nothing moves.
  mlir::Value view(mlir::Value tensor, llvm::ArrayRef<Dim> dims);
  mlir::Value empty(llvm::ArrayRef<Dim> dims, mlir::Type storedElement);
  mlir::RankedTensorType type(llvm::ArrayRef<Dim> dims, mlir::Type storedElement);

  // Index arithmetic on the host.
  mlir::Value index(Dim dim);
  mlir::Value index(int64_t value) { return index(constant(value)); }
  Dim constant(int64_t value) { return Dim::constant(program.getContext(), value); }
  /// How many tiles of `each` it takes to cover `size`.
  Dim tiles(Dim size, int64_t each) { return Dim::floorDiv(size + (each - 1), constant(each)); }
  Dim product(llvm::ArrayRef<Dim> dims) { return Dim::product(program.getContext(), dims); }

  /// One kernel and the step that runs it.
  struct Kernel {
    KernelOp op;
    mlir::OpBuilder body;                  ///< where the kernel's operations go
    llvm::SmallVector<mlir::Value> inputs; ///< the arguments, in the order of the step's operands
    llvm::SmallVector<mlir::Value> outputs;
    mlir::Value output; ///< the first, of most kernels the only one
  };
  /// Starts a kernel for a step on these tensors and scalars.
  Kernel beginKernel(llvm::StringRef name, mlir::ValueRange inputs, mlir::ValueRange outputs,
                     llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> schedule);
  /// Ends it and adds its step over `grid` tiles; the values of the outputs after it.
  llvm::SmallVector<mlir::Value> endKernel(Kernel &kernel, Dim grid, mlir::ValueRange inputs,
                                           mlir::ValueRange outputs, StepWork work = {});
  mlir::Value endKernel(Kernel &kernel, Dim grid, mlir::ValueRange inputs, mlir::Value output,
                        StepWork work = {}) {
    return endKernel(kernel, grid, inputs, mlir::ValueRange(output), work).front();
  }
  /// The bytes of a tensor of the program; 0 of a scalar.
  Dim bytesOf(mlir::Value tensor);

  /// Whether a size was asked for that is no formula of at most 64 bits; 0 stands for it.
  bool hasUnknownSize() const { return unknownSize; }

  /// A size of the operation's `weft.schedule`, or a default where that has none.
  int64_t scheduled(llvm::StringRef name, int64_t otherwise);

private:
  mlir::func::FuncOp program;
  mlir::OpBuilder builder;
  mlir::Block *block; ///< the program's, or a loop's
  Dim repeats;        ///< of what is in the block
  mlir::Operation *operation = nullptr;
  mlir::SymbolTable symbolTable;
  llvm::DenseMap<mlir::Value, mlir::Value> tensors; ///< by graph value
  struct Deferred {
    std::function<mlir::Value()> make;
    unsigned chain; ///< operations that are seen through from this result on
  };
  llvm::DenseMap<mlir::Value, Deferred> deferred;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Dim>> knownDims; ///< of the program's tensors
  llvm::DenseMap<mlir::Value, unsigned> leftToUsers;
  llvm::DenseMap<mlir::Value, mlir::Value> maps;   ///< by the graph value
  llvm::DenseMap<mlir::Value, StateTensor> states; ///< by the graph value after appending
  DimIndices indices;
  bool unknownSize = false;
};

/// The tensors of an operation's results, null where that was deferred or mapped already. What lowers one
/// that has a single result gives that.
struct LoweredResults : mlir::FailureOr<llvm::SmallVector<mlir::Value>> {
  using FailureOr::FailureOr;
  LoweredResults(mlir::FailureOr<mlir::Value> only) {
    if (succeeded(only))
      emplace({*only});
  }
};

} // namespace weft

#include "compiler/Tile/StepLowering.h.inc"

namespace weft {
/// Attaches each family's lowering to its operations.
void registerStepLowering(mlir::DialectRegistry &registry);
} // namespace weft

#endif // WEFT_COMPILER_TILE_STEPBUILDER_H
