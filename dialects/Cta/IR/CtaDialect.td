// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cta dialect: the program of one block of threads of a GPU (a cooperative thread array).
#ifndef CTA_DIALECT_TD
#define CTA_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Cta_Dialect : Dialect {
  let name = "cta";
  let cppNamespace = "::weft::cta";
  let summary = "The program of one block of threads of a GPU";
  let description = [{
    A `cta.kernel` is written for one thread of a block. What threads do alone is arith, math, scf and memref; what they do
    together, or only a GPU does, is an operation of this dialect. Memory of the device is a memref without a memory space,
    memory that a block shares is one of space 3.

    There are two lowerings: to the nvvm dialect, of which PTX is made, and to calls of the emulator in the runtime.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Threads of a warp, and of a warpgroup.
    static constexpr int64_t kWarpThreads = 32, kGroupThreads = 128;
    /// The memory space of what a block shares.
    static constexpr int64_t kShared = 3;
    /// The most threads of a processor, of a block, and the most bytes that one may share on every GPU from sm_80 on.
    static constexpr int64_t kMostResidentThreads = 2048, kMostThreads = 1024, kMostSharedBytes = 163 * 1024;
    /// The same of kernels for sm_90a, and the name of that.
    static constexpr int64_t kMostSharedBytesOfHopper = 227 * 1024;
    static constexpr llvm::StringLiteral kHopper = "sm_90a";
  }];
}

class Cta_Type<string typeName, string typeMnemonic> : TypeDef<Cta_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}
def Cta_PendingType : Cta_Type<"Pending", "pending"> {
  let summary = "a sum of a warpgroup's product, f32, that may not be read yet";
}
def Cta_TensorMapType : Cta_Type<"TensorMap", "tensor_map"> {
  let summary = "how a tensor lies in the device's memory, for the unit that copies tiles of it";
}

#endif // CTA_DIALECT_TD
