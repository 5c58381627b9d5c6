// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles the text of one weft.kernel in memory and runs it over all tiles of a grid.
#ifndef WEFT_TEST_COMPILER_TARGET_CPU_KERNELRUNNER_H
#define WEFT_TEST_COMPILER_TARGET_CPU_KERNELRUNNER_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The header of ExecutionEngine alone takes seconds to compile.
namespace mlir {
class ExecutionEngine;
class MLIRContext;
} // namespace mlir

namespace weft::test {

/// Memory that ends at a page which must not be touched, so that a kernel that reads or writes past its end
/// stops there.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  void *begin() const { return first; }

private:
  void *pages;
  size_t pageBytes;
  void *first;
};

/// A contiguous array, passed to a kernel as a memref.
class ArrayBase {
public:
  int64_t count() const;
  /// The memref descriptor: pointers, offset, sizes, strides.
  std::vector<int64_t> descriptor() const;
  const std::vector<int64_t> shape;

protected:
  ArrayBase(std::vector<int64_t> shape, size_t elementBytes)
      : shape(std::move(shape)), memory(std::make_shared<GuardedMemory>(count() * elementBytes)) {}
  void *begin() const { return memory->begin(); }

private:
  std::shared_ptr<GuardedMemory> memory;
};

template <typename T> class Array : public ArrayBase {
public:
  explicit Array(std::vector<int64_t> shape) : ArrayBase(std::move(shape), sizeof(T)) {
    std::fill(data(), data() + count(), T(0));
  }
  T *data() const { return static_cast<T *>(begin()); }
  T &operator[](int64_t i) const { return data()[i]; }
};

class KernelRunner {
public:
  /// Null, with a message on stderr, if the text does not compile. `cpu` is a name of -mcpu.
  static std::unique_ptr<KernelRunner> compile(const std::string &kernel, int64_t vectorBits);
  /// Runs tiles 0 up to grid.
  void run(int64_t grid, const std::vector<const ArrayBase *> &arrays);
  /// Operands of the weft.fail that ran, in order.
  std::vector<std::pair<int64_t, int64_t>> failures;
  ~KernelRunner();

private:
  KernelRunner();
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// Whether this processor can run kernels for vectors of that many bits.
bool canRun(int64_t vectorBits);

} // namespace weft::test

#endif // WEFT_TEST_COMPILER_TARGET_CPU_KERNELRUNNER_H
