// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the targets share: a program as the function that every thread of a run walks
// (runtime/include/weft/abi.h).
#ifndef WEFT_COMPILER_TARGET_ENTRYBUILDER_H
#define WEFT_COMPILER_TARGET_ENTRYBUILDER_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// Places in WeftFrame, in pointers.
enum class FrameField { Callbacks, Team, Symbols, Inputs, Outputs, Arena, Weights, States, Apart };
/// Places in WeftCallbacks, in pointers.
enum class Callback { Barrier, Fail, Launch };
/// What multiplies the numbers of a step's products (WeftProductUnit).
enum class ProductUnit : int64_t { Threads, TF32, Half, Bytes };

/// What reads a frame.
class FrameReader {
public:
  FrameReader(mlir::OpBuilder &builder, mlir::Location location, mlir::Value frame);

  mlir::Value field(FrameField which) { return load(frame, int64_t(which), pointer); }
  mlir::Value callback(Callback which) { return load(field(FrameField::Callbacks), int64_t(which), pointer); }
  /// Element `index` of an array of 8-byte elements.
  mlir::Value load(mlir::Value base, int64_t index, mlir::Type type);

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Value frame;
  mlir::Type pointer;
};

/// An index as an i64.
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location location, mlir::Value index);

/// count * part / threads, an index: where the share of thread `part` begins, of `count` things, all i64.
mlir::Value shareBound(mlir::OpBuilder &builder, mlir::Location location, mlir::Value count, mlir::Value part,
                       mlir::Value threads);

/// A contiguous memref on a pointer, with all of its sizes as i64.
mlir::Value makeMemRef(mlir::OpBuilder &builder, mlir::Location location,
                       const mlir::LLVMTypeConverter &converter, mlir::MemRefType type, mlir::Value pointer,
                       llvm::ArrayRef<mlir::Value> sizes);

/// A text in the data of code, with a 0 behind it.
mlir::LLVM::GlobalOp createText(mlir::OpBuilder &builder, mlir::Location location, const llvm::Twine &symbol,
                                llvm::StringRef text);

/// Turns program number `number` of a module into `weft_entry_<number>(frame, thread, threads)`. The
/// signature, the arena's formula and the steps' names stay on it as attributes, of which the artifact's
/// metadata is made.
class EntryBuilder {
public:
  EntryBuilder(mlir::func::FuncOp program, int64_t number);
  virtual ~EntryBuilder() = default;

  void run();

protected:
  /// Before the work of a group's steps.
  virtual void beginGroup(llvm::ArrayRef<StepOp> /*steps*/) {}
  /// Writes this thread's share of a step.
  virtual void lowerWork(StepOp step, int64_t index) = 0;
  virtual ProductUnit unitOf(StepOp /*step*/) { return ProductUnit::Threads; }
  /// Whether threads wait after each step of a group, as an i1.
  mlir::Value isApart(mlir::Location location);

  mlir::func::FuncOp program;
  int64_t number;
  mlir::OpBuilder builder;
  mlir::LLVMTypeConverter converter;
  mlir::ModuleOp module;
  mlir::Value frame, thread, threads;
  /// Of steps that are not alone in their group: what they do, for comparison with one another, an index.
  llvm::DenseMap<mlir::Operation *, mlir::Value> costs;

private:
  void describeSignature();
  mlir::Operation *firstNonArith();
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> computeSizes();
  llvm::SmallVector<Dim> getBufferDims(unsigned number);
  void replaceSymbols();
  void replaceBuffers(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> sizes);
  void lowerLoop(mlir::scf::ForOp loop);
  void findGroups();
  void computeCosts();
  void lowerSteps();
  mlir::Attribute describeSteps();
  void lowerGroup(llvm::ArrayRef<StepOp> steps, int64_t first, mlir::Block *exit);
  void endStep(StepOp step, int64_t index, bool isLast, mlir::Block *exit);

  llvm::SmallVector<llvm::SmallVector<StepOp>> groups; ///< in the order of the program
};

} // namespace weft

#endif // WEFT_COMPILER_TARGET_ENTRYBUILDER_H
