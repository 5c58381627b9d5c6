/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The whole contract between compiled code and the runtime: the shape of a payload, what generated code is
 * called with, and the only functions that it may call. The compiler and the runtime include this file and
 * share nothing else. Any change here raises WEFT_ABI_VERSION; a runtime refuses every other version.
 *
 * A payload is one run of bytes at the end of a file (a .weft file is a payload alone; an executable or a .so
 * is a prebuilt launcher or runtime with a payload behind it, starting at a multiple of
 * WEFT_PAYLOAD_ALIGNMENT):
 *
 *   code      ELF shared objects, one after the other, with no needed library and no undefined symbol; more
 *             than one if there is code for different instruction sets, which does the same. Then, of a model
 *             for GPUs, its kernels: texts in PTX, a zero behind each
 *   weights   at a multiple of WEFT_PAYLOAD_ALIGNMENT, mapped read-only and shared
 *   metadata  the model's signature, encoded as said below
 *   trailer   a WeftTrailer, the last bytes of the file
 *
 * Metadata is a sequence of little-endian fields without padding. With
 *   str   = u32 length, bytes (UTF-8, not terminated)
 *   expr  = u32 count, count times i64: a postfix program of WeftExprCode words, over the entry's symbols;
 *           WEFT_EXPR_CONSTANT and WEFT_EXPR_SYMBOL are followed by one operand word
 *   list  = u32 count, count times the item
 * it holds:
 *   str  producer                   the compiler's name and version
 *   list of codes:
 *     u32  isa                      a WeftIsa, the least that it needs; each more than the one before
 *     i64  bytes
 *   list of kernels for GPUs, each text all of the kernels:
 *     u32  gpu                      a WeftGpu, each more than the one before
 *     i64  bytes                    with the zero
 *   list of entry points:
 *     str  name
 *     list of str                   symbols, in the order of WeftFrame.symbols
 *     list of tensor                inputs:  str name, u32 dtype (WeftDType), list of expr (dims)
 *     list of tensor                outputs: the same
 *     list of state                 str name, u32 dtype, list of expr (dims before a run), u32 axis,
 *                                   i64 capacity, expr next (the length along the axis after a run)
 *     list of element               u32 symbol, u32 input, i64 element, u32 part (WeftElementPart): a symbol
 *                                   that an element of an input gives its value, a whole number: of i32,
 *                                   i64, bool, f16, bf16, f32 or f64
 *     list of definition            u32 symbol, expr (over symbols that have a value by then): a symbol that
 *                                   stands for an expression
 *     list of computed              u32 entry, u32 output: of the last inputs, one each, what gives it: an
 *                                   output of an entry point that a session runs first, on the inputs given
 *     expr arena_bytes              the arena's exact size
 *     str  arena_formula            the same for people
 *     list of guard                 u32 relation (WeftRelation), expr left, expr right, str message
 *     list of step                  str kernel, str node (the model's name for what it computes),
 *                                   str note (what an attention sees, for people; empty for others),
 *                                   expr flops (floating-point operations of its matrix products),
 *                                   expr bytes (what it reads and writes at least once),
 *                                   u32 unit (WeftProductUnit)
 *
 * Entry point number i is each code's exported symbol "weft_entry_<i>", a WeftEntryFunction.
 */
#ifndef WEFT_ABI_H
#define WEFT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_ABI_VERSION 15u
/* What a launcher or a runtime for it holds among its bytes, so that a payload can be refused one for
 * another. */
#define WEFT_TEXT_OF(words) #words
#define WEFT_MARK_FOR(version) "weft runtime for ABI " WEFT_TEXT_OF(version)
#define WEFT_RUNTIME_MARK WEFT_MARK_FOR(WEFT_ABI_VERSION)
#define WEFT_PAYLOAD_MAGIC "WEFT\r\n\x1a\n" /* eight bytes; catches text-mode transfer */
#define WEFT_PAYLOAD_ALIGNMENT 4096u
#define WEFT_BUFFER_ALIGNMENT 64u /* of the arena, of each buffer in it, and of each weight */

typedef struct WeftTrailer {
  uint64_t payload_bytes;  /* from the payload's first byte to the end of the file, this trailer included */
  uint64_t code_bytes;     /* the code starts at the payload's first byte */
  uint64_t weights_offset; /* from the payload's first byte, like every offset here */
  uint64_t weights_bytes;
  uint64_t metadata_offset;
  uint64_t metadata_bytes;
  uint64_t checksum; /* FNV-1a, 64 bits, of the code bytes followed by the metadata bytes */
  uint32_t abi_version;
  uint32_t reserved; /* zero */
  char magic[8];     /* WEFT_PAYLOAD_MAGIC, without its terminator */
} WeftTrailer;

/* Instruction sets. Those of x86-64: the psABI's levels, and what goes beyond; those of AArch64 from 64 on.
 * Each includes the ones before it of the same processors. */
typedef enum WeftIsa {
  WEFT_ISA_X86_64_V3 = 3,      /* AVX2, FMA */
  WEFT_ISA_X86_64_V4 = 4,      /* AVX-512 F, BW, CD, DQ, VL */
  WEFT_ISA_X86_64_V4_VNNI = 5, /* and AVX-512 VNNI */
  WEFT_ISA_X86_64_V4_BF16 = 6, /* and AVX-512 BF16 */
  WEFT_ISA_X86_64_V4_AMX = 7,  /* and AMX for bytes and bf16, which a process has to ask the system for */
  WEFT_ISA_ARMV8 = 64,         /* AArch64 with NEON, as every one has */
  WEFT_ISA_ARMV8_DOTPROD = 65  /* and dot products of bytes */
} WeftIsa;

/* GPUs that kernels are made for: ten times the compute capability, twice; odd if they run on that capability
 * alone, and not on every later one. */
typedef enum WeftGpu {
  WEFT_GPU_SM_80 = 160,
  WEFT_GPU_SM_86 = 172,
  WEFT_GPU_SM_89 = 178,
  WEFT_GPU_SM_90 = 180,
  WEFT_GPU_SM_90A = 181
} WeftGpu;

/* What multiplies the numbers of a step's matrix products: which of a GPU's speeds is theirs. */
typedef enum WeftProductUnit {
  WEFT_UNIT_THREADS = 0, /* threads, or vectors of a CPU */
  WEFT_UNIT_TF32 = 1,    /* tensor cores */
  WEFT_UNIT_HALF = 2,    /* the same, of f16 and bf16 */
  WEFT_UNIT_BYTES = 3
} WeftProductUnit;

/* Element types; a bool is one byte, 0 or 1. Of less than eight bits, integers are extended to a byte, and
 * floats are its lowest bits. */
typedef enum WeftDType {
  WEFT_DTYPE_BOOL = 0,
  WEFT_DTYPE_I8 = 1,
  WEFT_DTYPE_I16 = 2,
  WEFT_DTYPE_I32 = 3,
  WEFT_DTYPE_I64 = 4,
  WEFT_DTYPE_U8 = 5,
  WEFT_DTYPE_U16 = 6,
  WEFT_DTYPE_U32 = 7,
  WEFT_DTYPE_U64 = 8,
  WEFT_DTYPE_F16 = 9,
  WEFT_DTYPE_BF16 = 10,
  WEFT_DTYPE_F32 = 11,
  WEFT_DTYPE_F64 = 12,
  WEFT_DTYPE_I4 = 13,
  WEFT_DTYPE_U4 = 14,
  WEFT_DTYPE_I2 = 15,
  WEFT_DTYPE_U2 = 16,
  WEFT_DTYPE_F8E4M3FN = 17, /* F8 and F4: https://onnx.ai/onnx/technical/float8.html and float4.html */
  WEFT_DTYPE_F8E4M3FNUZ = 18,
  WEFT_DTYPE_F8E5M2 = 19,
  WEFT_DTYPE_F8E5M2FNUZ = 20,
  WEFT_DTYPE_F8E8M0FNU = 21,
  WEFT_DTYPE_F4E2M1FN = 22
} WeftDType;

typedef enum WeftExprCode {
  WEFT_EXPR_CONSTANT = 0, /* operand: the value */
  WEFT_EXPR_SYMBOL = 1,   /* operand: the symbol's index */
  WEFT_EXPR_ADD = 2,
  WEFT_EXPR_MUL = 3,
  WEFT_EXPR_FLOORDIV = 4, /* rounds towards minus infinity; a zero divisor is an error */
  WEFT_EXPR_MOD = 5,      /* a - b * floordiv(a, b) */
  WEFT_EXPR_MIN = 6,
  WEFT_EXPR_MAX = 7,
  WEFT_EXPR_BROADCAST = 8 /* a == 1 ? b : a */
} WeftExprCode;

/* A guard holds if its relation does; it is checked when a session is sized. */
typedef enum WeftRelation {
  WEFT_RELATION_EQUAL = 0,     /* left == right */
  WEFT_RELATION_BROADCAST = 1, /* left == right, or one of them is 1 */
  WEFT_RELATION_LESS_EQUAL = 2 /* left <= right */
} WeftRelation;

/* What of an input's element is the value of a symbol. */
typedef enum WeftElementPart {
  WEFT_ELEMENT_SIZE = 0,       /* the element, which must not be negative */
  WEFT_ELEMENT_ABOVE_ZERO = 1, /* max(element, 0) */
  WEFT_ELEMENT_BELOW_ZERO = 2  /* max(-element, 0) */
} WeftElementPart;

typedef enum WeftFailure {
  WEFT_FAILURE_INDEX = 1, /* an index `value` outside [-bound, bound) */
  WEFT_FAILURE_KERNEL = 2 /* a kernel breaks a rule of the machine that it is for; the emulator says which */
} WeftFailure;

typedef struct WeftTeam WeftTeam; /* the threads of one run; opaque to generated code */

/* What tensor cores multiply. */
typedef enum WeftMatrixElement {
  WEFT_MATRIX_F16 = 0,
  WEFT_MATRIX_BF16 = 1,
  WEFT_MATRIX_BYTES = 2, /* of the left matrix without signs, of the right one with */
  WEFT_MATRIX_TF32 = 3   /* f32 that are rounded to tf32 */
} WeftMatrixElement;

/* Kernels of GPUs. A block of threads runs one; the emulator runs each thread as a call of its function. */
typedef struct WeftGpuThread WeftGpuThread;

/* What a thread may call. `op` says which operation of which node it is, for reports; where the threads of a
 * warp meet, it is a text of that operation alone. */
typedef struct WeftEmulator {
  /* Waits for all threads of the block, or of the warp. */
  void (*barrier)(WeftGpuThread *thread, const char *op);
  void (*warp_barrier)(WeftGpuThread *thread, const char *op);
  /* The value that the thread of that lane, modulo 32, passes; all threads of the warp take part. */
  int64_t (*shuffle)(WeftGpuThread *thread, int64_t value, int32_t lane, const char *op);
  /* Says before an access to shared memory that it happens: to `bytes` bytes from `offset` on, of a buffer
   * that lies from `begin` to `end`. */
  void (*access)(WeftGpuThread *thread, int64_t offset, int64_t bytes, int64_t begin, int64_t end,
                 int32_t is_write, const char *op);
  /* Says before an access to the device's memory of several elements at once where it is, and what that is to
   * be a multiple of. */
  void (*wide_access)(WeftGpuThread *thread, const void *at, int64_t alignment, const char *op);
  /* Reports an index `value` outside [-bound, bound). The thread goes on. */
  void (*fail)(WeftGpuThread *thread, int64_t value, int64_t bound);
  /* Adds to c the product of the matrices a and b, of which this thread holds the fragments of PTX's
   * mma.m16n8k16: four words, two words and four sums of f32. Elements are a WeftMatrixElement; of bytes the
   * fragments are those of mma.m16n8k32, and sums are int32_t; of tf32 they are those of mma.m16n8k8. All
   * threads of the warp take part. */
  void (*multiply)(WeftGpuThread *thread, const uint32_t *a, const uint32_t *b, void *c, int32_t elements,
                   const char *op);
  /* Begins to copy 16 bytes to shared memory, from `offset` on, of a buffer that lies from `begin` to `end`;
   * zeros if `from` is null. */
  void (*copy)(WeftGpuThread *thread, const void *from, int64_t offset, int64_t begin, int64_t end,
               const char *op);
  /* Makes a group of the copies begun since the last one; waits for all groups but the last `pending`. */
  void (*commit_copies)(WeftGpuThread *thread);
  void (*wait_copies)(WeftGpuThread *thread, int64_t pending);
  /* Loads four matrices of 8 x 8 elements of 16 bits: this thread says where a row of 16 bytes lies, and gets
   * a word of each. All threads of the warp take part. */
  void (*load_matrices)(WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end,
                        int32_t is_transposed, uint32_t *words, const char *op);
  /* 2 to the power of a number, 0 where that would be less than 2^-126. */
  float (*exp2)(WeftGpuThread *thread, float exponent);

  /* What follows is of kernels for sm_90a. Waits for all threads of the warpgroup, or of all blocks of the
   * cluster; makes what the thread wrote visible to the units that copy and multiply tiles. */
  void (*group_barrier)(WeftGpuThread *thread, const char *op);
  void (*cluster_barrier)(WeftGpuThread *thread, const char *op);
  void (*fence_async)(WeftGpuThread *thread);
  /* A barrier of 64 bits at `offset`, in a buffer that lies from `begin` to `end`: makes one of so many
   * arrivals; arrives, and expects bytes; arrives at the one there of a block of the cluster; waits until the
   * phase of that parity has ended. */
  void (*mbarrier_init)(WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int64_t arrivals,
                        const char *op);
  void (*mbarrier_arrive)(WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int64_t bytes,
                          const char *op);
  void (*mbarrier_arrive_of_block)(WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end,
                                   int64_t block, const char *op);
  void (*mbarrier_wait)(WeftGpuThread *thread, int64_t offset, int64_t begin, int64_t end, int32_t parity,
                        const char *op);
  /* Begins to copy the tile at a position of the launch's tensor map of that number to shared memory, of this
   * block or of each one of the cluster, or from it. Bytes that are loaded count for the barrier at `barrier`
   * there. */
  void (*load_tile)(WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset,
                    int64_t begin, int64_t end, int64_t barrier, const char *op);
  void (*load_tile_to_cluster)(WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset,
                               int64_t begin, int64_t end, int64_t barrier, const char *op);
  void (*store_tile)(WeftGpuThread *thread, int64_t map, const int64_t *position, int64_t offset,
                     int64_t begin, int64_t end, const char *op);
  void (*commit_stores)(WeftGpuThread *thread);
  void (*wait_stores)(WeftGpuThread *thread, int64_t pending);
  /* Products of a warpgroup: adds to this thread's sums, of `columns` columns, that of the matrices that
   * descriptors say the places of. */
  void (*begin_products)(WeftGpuThread *thread);
  void (*wgmma)(WeftGpuThread *thread, int64_t a, int64_t b, float *sums, int64_t columns, int32_t keeps,
                int32_t is_bf16, int32_t is_transposed, const char *op);
  void (*commit_products)(WeftGpuThread *thread);
  void (*wait_products)(WeftGpuThread *thread, int64_t pending, const char *op);
  /* The same where threads have a: four words each, as mma.m16n8k16 has them. Sums are kept. */
  void (*wgmma_fragment)(WeftGpuThread *thread, const uint32_t *a, int64_t b, float *sums, int64_t columns,
                         int32_t is_bf16, int32_t is_transposed, const char *op);
} WeftEmulator;

struct WeftGpuThread {
  const WeftEmulator *emulator;
  int64_t thread; /* in its block */
  int64_t block;
  char *shared; /* what the block shares */
  int64_t grid; /* how many blocks there are */
};

/* What a kernel on a device reports: the first report of a run wins. */
typedef struct WeftGpuFailure {
  int32_t reported;     /* 0 or 1 */
  int32_t step;         /* of which the kernel is a launch */
  int64_t value, bound; /* an index `value` outside [-bound, bound) */
} WeftGpuFailure;

/* How a tensor of elements of 16 bits lies in memory, of which a kernel copies boxes: the innermost dim comes
 * first. Its elements lie side by side, and those of dim i are strides[i - 1] bytes apart. */
enum { WEFT_TENSOR_MAP_DIMS = 5, WEFT_TENSOR_MAP_BYTES = 128 };
typedef struct WeftTensorMap {
  const void *address;
  int64_t rank;
  int64_t sizes[WEFT_TENSOR_MAP_DIMS];
  int64_t strides[WEFT_TENSOR_MAP_DIMS - 1];
  int64_t box[WEFT_TENSOR_MAP_DIMS];
} WeftTensorMap;

/* A kernel on a device has one argument, the address of these words. They lie in the device's memory, not
 * among the arguments, so that a launch that was recorded can be repeated with other words. Blocks behind the
 * step's last tile return at once, so that a recorded launch may have more of them than it needs. Behind the
 * arguments, from the next multiple of 128 bytes on, are the launch's tensor maps as the device has them,
 * of WEFT_TENSOR_MAP_BYTES each. */
typedef enum WeftGpuWord {
  WEFT_GPU_WORD_FAILURE = 0,  /* the address of the run's WeftGpuFailure */
  WEFT_GPU_WORD_STEP = 1,     /* the step's number */
  WEFT_GPU_WORD_ARGUMENTS = 2 /* a WeftLaunch's arguments, with addresses of the device */
} WeftGpuWord;

typedef void (*WeftKernelFunction)(WeftGpuThread *thread, const int64_t *arguments);

/* Blocks of a kernel. The arguments are words: the number of tiles of the step; of each buffer a pointer and
 * its dynamic sizes; of each scalar its bits. */
typedef struct WeftLaunch {
  const char *kernel;
  WeftKernelFunction function; /* null where the kernel is on a device, which finds it by its name */
  int64_t threads;             /* of a block: whole warps of 32 */
  int64_t shared_bytes;        /* of a block */
  int64_t step;
  int64_t first_block, end_block;
  int64_t argument_count;
  const int64_t *arguments;
  int64_t blocks;     /* of all threads together */
  int64_t persistent; /* where blocks go on to other tiles, so that fewer will do, those of a cluster; or 0 */
  int64_t map_count;
  const WeftTensorMap *maps;
  const struct WeftLaunch
      *hopper; /* what kernels for sm_90a have in its place; null where that is nothing else */
} WeftLaunch;

/* Every function that generated code may call. */
typedef struct WeftCallbacks {
  /* Waits for every thread of the team; ends step number `step`. Returns 0, or nonzero to all of them if any
   * thread failed: each must then return at once. Everything written before it is visible to every thread
   * after it.
   */
  int32_t (*barrier)(WeftTeam *team, int64_t step);
  /* Reports an error that the data caused in a step; the first report of a run wins. The caller goes on to
   * its next barrier. */
  void (*fail)(WeftTeam *team, int32_t failure, int64_t step, int64_t value, int64_t bound);
  /* Runs blocks of a kernel, and returns when they have run or a failure is reported. */
  void (*launch)(WeftTeam *team, const WeftLaunch *launch);
} WeftCallbacks;

/* What one run of an entry point works on. */
typedef struct WeftFrame {
  const WeftCallbacks *callbacks;
  WeftTeam *team;
  const int64_t *symbols;
  const void *const *inputs; /* contiguous, row-major */
  void *const *outputs;      /* contiguous, row-major; never aliases an input */
  char *arena;               /* arena_bytes, aligned to WEFT_BUFFER_ALIGNMENT */
  const char *weights;       /* the payload's weights */
  /* What the session keeps from run to run: tensors whose dim `axis` is `capacity`, row-major, of which the
   * positions that were appended so far are there. A run appends behind them. */
  void *const *states;
  /* 0, or 1: a profile is taken, so threads wait after each step, and each has its share of each. Otherwise
   * they may go on to the next step, where that needs nothing of this one. */
  int64_t apart;
} WeftFrame;

/* Called once by every thread of a team, 0 <= thread < threads. */
typedef void (*WeftEntryFunction)(const WeftFrame *frame, int64_t thread, int64_t threads);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_ABI_H */
