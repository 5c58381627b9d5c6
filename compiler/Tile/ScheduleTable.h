// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles were measured to be best for which matrix product: a table in JSON, one that comes with the
// compiler (Schedules.json) and those that `weft tune` makes.
#ifndef WEFT_COMPILER_TILE_SCHEDULETABLE_H
#define WEFT_COMPILER_TILE_SCHEDULETABLE_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace weft {

/// Of so many rows GPUs have other kernels.
constexpr int64_t kMostFewRows = 8;

/// What the kernels of a product are to be like. Where something is 0 the compiler chooses.
struct Schedule {
  int64_t rows = 0, columns = 0; ///< of a tile
  int64_t hopperColumns = 0;     ///< of a tile for sm_90a, whose rows are 128
  int64_t hopperCluster = 0;     ///< blocks that share operands there
  int64_t parts = 0;             ///< of the depth

  bool operator==(const Schedule &other) const;
  /// "rows=64,columns=128"; empty if the compiler chooses all.
  std::string toString() const;
  /// What toString made, or nothing.
  static std::optional<Schedule> parse(llvm::StringRef text);

  /// As an element of `weft.schedules`, for products of `ofRows` rows, or of any number if that is 0.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, int64_t ofRows) const;
  static std::pair<int64_t, Schedule> ofAttribute(mlir::DictionaryAttr attribute);
};

/// The schedule that an operation's `weft.schedules` has for a number of rows that `takes` likes, the
/// greatest of these; one that leaves all to the compiler if there is none.
Schedule findSchedule(MatmulOp op, llvm::function_ref<bool(int64_t ofRows)> takes);

/// A product of rows and one matrix, as far as its best schedule depends on it.
struct Product {
  std::string type; ///< of rows, and of the matrix if that is another: "bf16", "tf32", "ui8 x i8"
  int64_t rows;     ///< ShapedType::kDynamic where that is known at run time only
  int64_t columns, depth;

  /// Nothing if columns or depth are known at run time only, or if there are several matrices.
  static std::optional<Product> of(MatmulOp op);
  /// Whether they differ in rows at most.
  bool isLike(const Product &other) const;
};

/// A line of a table.
struct ScheduleEntry {
  std::string machine; ///< a CPU's (Machine.h) or a GPU's name
  Product product;
  Schedule schedule;
};

/// Why kernels for a CPU or a GPU cannot be so; empty if they can.
std::string whyNot(const Schedule &schedule, const Product &product, bool isForGPU);

/// The table that comes with the compiler.
llvm::ArrayRef<ScheduleEntry> getKnownSchedules();
/// The text of a table, or an error that says where it is wrong.
llvm::Expected<std::vector<ScheduleEntry>> parseSchedules(llvm::StringRef text);
/// A table as text, a line each.
std::string printSchedules(llvm::ArrayRef<ScheduleEntry> entries);

} // namespace weft

#endif // WEFT_COMPILER_TILE_SCHEDULETABLE_H
