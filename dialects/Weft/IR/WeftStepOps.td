// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step: the tile and buffer levels. A program of steps, each a kernel over a grid of independent tiles.
#ifndef WEFT_STEP_OPS_TD
#define WEFT_STEP_OPS_TD

include "Weft/IR/WeftDialect.td"
include "Weft/IR/WeftAttrs.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Weft_ProgramOp<string opMnemonic, list<Trait> traits = []> : Op<Weft_Dialect, opMnemonic, traits>;

def Weft_KernelOp : Weft_ProgramOp<"kernel", [FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let summary = "what one tile of a step computes";
  let description = [{
    An isolated function of the tile's index (the first argument), whole buffers and scalars. At the tile and buffer levels
    its body is one operation, `linalg.generic` or a `weft.*_tile`, with what prepares its operands; that operation
    stands for the whole result, and an emitter of the target writes the part that belongs to one tile. `schedule` holds the
    sizes that the grid was made with.

    Constraints:
    - kernel-c1: the first argument is an index, the others are memrefs or scalars; there is no result.

    Made by weft-form-steps. Removed by the target's emitters, which make it a `func.func`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, DictionaryAttr:$schedule);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// A size of the schedule, such as "rows"; the kernel must have it.
    int64_t getScheduled(::llvm::StringRef name);
  }];
}

def Weft_StepOp : Weft_ProgramOp<"step", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "runs a kernel over a grid of independent tiles";
  let description = [{
    Calls the kernel with each tile index from 0 up to `grid`, in any order and in parallel. `inputs` (buffers and scalars)
    are read; `outputs` are written, and at the tile level each is given back as a result: one that begins as an argument
    of the program with `weft.state` is written where it is. The kernel's arguments are the tile index, the inputs, the
    outputs.

    A barrier stands between a step and the next. One that is marked `weft.beside` needs nothing of the steps before it,
    from the last without the mark on, and no barrier before it. Of a step and the next, if that is marked
    `weft.alternative` and writes the same, one has no tiles, whatever the sizes are.

    `work` is what the step does at least, for profiles: floating-point operations of matrix products, and bytes read and
    written.

    Constraints:
    - step-c1: the kernel exists and takes these operands, tensors as memrefs.
    - step-c2: results are the tensor outputs, in order, with their types.
    - step-c3: `work` says both flops and bytes.

    Example:
    ```mlir
    %r = weft.step @relu [%grid] ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> (tensor<?x64xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$grid, Variadic<AnyType>:$inputs, Variadic<AnyType>:$outputs,
                       OptionalAttr<Weft_DimAttr>:$flops, OptionalAttr<Weft_DimAttr>:$bytes);
  let results = (outs Variadic<AnyTensor>:$results);
  let assemblyFormat = [{
    $kernel `[` $grid `]` (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` `(` type($results)^ `)`)? (`work` `(` $flops^ `flops` `,` $bytes `bytes` `)`)?
  }];
  let hasVerifier = 1;
}

def Weft_ViewOp : Weft_ProgramOp<"view", [Pure]> {
  let summary = "the same elements, row-major, in another shape; nothing moves";
  let description = [{
    `sizes` holds the dynamic dims of the result. Becomes `memref.reinterpret_cast` in weft-bufferize.

    Example:
    ```mlir
    %v = weft.view %x [%n] : tensor<?x8x8xf32> to tensor<?x64xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$input, Variadic<Index>:$sizes);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$input `[` $sizes `]` attr-dict `:` type($input) `to` type($result)";
}

def Weft_YieldOp : Weft_ProgramOp<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a kernel, an epilogue with its element, or a loop's iteration with what it yields";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

// The operations that stand for a kernel's work. They exist only in kernels, between weft-form-steps and the emitters.
class Weft_TileOp_<string opMnemonic, list<Trait> traits = []>
    : Weft_ProgramOp<opMnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

def Weft_GemmTileOp : Weft_TileOp_<"gemm_tile", [AttrSizedOperandSegments]> {
  let summary = "out = epilogue(lhs * rhs), as weft.matmul";
  let description = [{
    lhs [batch..., M, K], rhs [batch..., K, N] or packed [panels, K, 48] or [panels, ceil(K/64), 9, 48] or [panels, K/4, 48, 4]
    or [panels, K/2, 48, 2] or with `groups` as that says, out [batch..., M, N]; batch dims of lhs and rhs may be fewer, or 1 where out's are not. A tile is `rows` rows of one panel of `columns` columns.

    With `row_dims` lhs is [rows..., K...], which is seen as a matrix [M, K]: so many dims are the rows', and the elements of the last
    lie side by side. So windows of a convolution are multiplied where they lie (on a CPU alone). The first of them is batch * some,
    and rhs has a matrix for each of the batch; a packed one has none.

    With `parts` a tile takes one part of the depth: out is [parts, batch..., M, N], of sums as they are computed, for
    weft.add_parts_tile. The parts are as even as can be of pieces of 64 (on a GPU alone).

    With `experts` [M], as weft.routed_matmul: lhs [M, K], out [M, N], and rhs [E, K, N] or packed panels of one matrix after the
    other, of which each row takes its own. A tile is one panel of one matrix, for all rows that are routed to it; tiles of
    all matrices come before the next panel of any. The first one checks all experts, and an expert that there is not becomes
    a weft.fail (on a CPU alone).
  }];
  let arguments = (ins AnyMemRef:$lhs, AnyMemRef:$rhs, Optional<AnyMemRef>:$experts, Variadic<AnyMemRef>:$captures,
                       AnyMemRef:$out, UnitAttr:$packed,
                       OptionalAttr<Weft_WeightGroupsAttr>:$groups, UnitAttr:$tf32, UnitAttr:$parts,
                       OptionalAttr<I64Attr>:$row_dims);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` (`experts` `(` $experts^ `:` type($experts) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)? `outs` `(` $out `:` type($out) `)` (`epilogue` $epilogue^)? attr-dict
  }];
}

def Weft_AddPartsTileOp : Weft_TileOp_<"add_parts_tile"> {
  let summary = "out = epilogue(the sum of the parts)";
  let description = [{
    parts [parts, batch..., M, N], as weft.gemm_tile writes them, out [batch..., M, N], the epilogue and its captures as
    weft.matmul has them. Parts are added in order. A tile is `columns` columns of one row.
  }];
  let arguments = (ins AnyMemRef:$input, Variadic<AnyMemRef>:$captures, AnyMemRef:$out);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` (`captures` `(` $captures^ `:` type($captures) `)`)?
    `outs` `(` $out `:` type($out) `)` (`epilogue` $epilogue^)? attr-dict
  }];
}

def Weft_AttentionTileOp : Weft_TileOp_<"attention_tile", [AttrSizedOperandSegments]> {
  let summary = "weft.attention, without a matrix of scores in memory";
  let description = [{
    query [B, H, L, d], key [B, G, panels, d, 64] (what weft.panel_tile makes of it) or [B, G, S, d], value [B, G, S, e], out
    [B, H, L, e], all of f32 or all of f64, on a GPU also of f16 or of bf16 with scores of f32; captures broadcast to [B, H, L, S] by dims of 1. A tile is at most `rows` rows of
    the queries that share a key head, [H / G * L, d], of which each tile has as many; it walks at most `columns` keys at a
    time with a running maximum and sum (Milakov and Gimelshein, arXiv 1805.02867; Dao et al., arXiv 2205.14135). `weights`
    [B, H, L, S], if it is there, gets the probabilities.

    `maps` are what weft.uniform_tile makes of some captures, whose numbers are `mapped`: panels that the score region excludes,
    or changes nothing of, are found by them.

    `panels` beside a key [B, G, S, d] is what weft.panel_tile makes of it. It is read if more than 4 rows of queries share a
    key head, and not otherwise.

    With `blocks` [H, N] of i64 the keys of a query head are those of weft.attention's blocks of `block_size` rows: S is
    N * block_size, keys come as [B, G, K, d], and a tile is of one query head.

    `sink` broadcasts to [B, H, L, 1] by dims of 1: where each row's maximum starts. Of parts the first has it.

    With `statistics` [parts, B * H * L, 2] a tile takes one part of the keys only: out is [parts, B, H, L, e], not yet
    divided by the sums, and the maximum and the sum of each row are left for weft.merge_attention_tile.
  }];
  let arguments = (ins AnyMemRef:$query, AnyMemRef:$key, AnyMemRef:$value, Optional<AnyMemRef>:$panels,
                       Optional<AnyMemRef>:$blocks, Variadic<AnyMemRef>:$captures, Variadic<AnyMemRef>:$maps,
                       Optional<AnyMemRef>:$sink, AnyMemRef:$out,
                       Optional<AnyMemRef>:$weights, Optional<AnyMemRef>:$statistics, F64Attr:$scale,
                       Weft_EmptyRows:$empty_rows, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$mapped,
                       DefaultValuedAttr<I64Attr, "0">:$block_size);
  let regions = (region AnyRegion:$score);
  let extraClassDeclaration = [{
    /// Up to so many rows of queries that share a key head its keys are read as they are.
    static constexpr int64_t kRowsWithoutPanels = 4;
    /// The widest keys that are read in blocks: a tile has a panel of them on its stack.
    static constexpr int64_t kWidestBlocks = 256;
    /// Whether a GPU's tensor cores take heads of 16-bit elements of that width, and the widest that they do.
    static constexpr int64_t kWidestHalf = 256;
    static bool isHalfWidth(int64_t width) { return width > 0 && width % 16 == 0 && width <= kWidestHalf; }
  }];
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    (`panels` `(` $panels^ `:` type($panels) `)`)? (`blocks` `(` $blocks^ `:` type($blocks) `)`)? (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`maps` $mapped^ `(` $maps `:` type($maps) `)`)? (`sink` `(` $sink^ `:` type($sink) `)`)?
    `outs` `(` $out `:` type($out) `)` (`weights` `(` $weights^ `:` type($weights) `)`)?
    (`statistics` `(` $statistics^ `:` type($statistics) `)`)?
    `scale` `(` $scale `)` `empty_rows` `(` $empty_rows `)` (`score` $score^)? attr-dict
  }];
}

class Weft_RowTileOp<string opMnemonic, string text> : Weft_TileOp_<opMnemonic> {
  let summary = text;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Weft_SoftmaxTileOp : Weft_RowTileOp<"softmax_tile", "softmax of each row of a matrix; a tile is `rows` rows"> {
  let description = "`zero_empty_rows` gives 0 instead of NaN for a row of minus infinities.";
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out, UnitAttr:$log, UnitAttr:$zero_empty_rows);
}
def Weft_LayerNormTileOp : Weft_RowTileOp<"layer_norm_tile",
    "layer normalization of each row of a matrix; a tile is `rows` rows"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$scale, Optional<AnyMemRef>:$bias, AnyMemRef:$out, F32Attr:$epsilon);
}
def Weft_ReduceTileOp : Weft_RowTileOp<"reduce_tile", "reduces each row of a matrix; a tile is `rows` rows"> {
  let description = "`is_unsigned` says how a maximum, minimum or mean reads integers, whose types are signless here.";
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out, Weft_ReduceKind:$kind, UnitAttr:$is_unsigned);
}
def Weft_GatherTileOp : Weft_RowTileOp<"gather_tile", "weft.gather, on [outer, axis, inner]; a tile is `rows` rows of out"> {
  let description = [{
    data [outer, axis, inner], indices [count], out [outer, count, inner]. An index out of range becomes a weft.fail.
  }];
  let arguments = (ins AnyMemRef:$data, AnyMemRef:$indices, AnyMemRef:$out);
}

def Weft_PanelTileOp : Weft_RowTileOp<"panel_tile", "the rows of matrices as panels of columns; a tile is `rows` panels"> {
  let description = [{
    input [B, G, S, d], out [B, G, panels, d, width]: element (b, g, s, k) goes to (b, g, s / width, k, s % width). What is
    left of the last panel is 0. f16 and bf16 become f32.
  }];
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out);
}
def Weft_UniformTileOp : Weft_RowTileOp<"uniform_tile",
    "what number the blocks of matrices are; a tile is `rows` rows of out"> {
  let description = [{
    input [B, H, L, S] of f32, of f64 or of bools, out [B, H, ceil(L / 16), ceil(S / 64)] of floats: the number that all
    elements of a block are (of bools 0 or 1), or NaN where they are not one number.
  }];
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out);
  let extraClassDeclaration = [{
    /// What a block has at most.
    static constexpr int64_t kRows = 16, kColumns = 64;
  }];
}
def Weft_MergeAttentionTileOp : Weft_RowTileOp<"merge_attention_tile",
    "attention from what its parts left; a tile is `rows` rows of out"> {
  let description = [{
    parts [parts, N, e] and statistics [parts, N, 2], as weft.attention_tile writes them; out [N, e], or [B, H, L, e] of N rows,
    of the same numbers or of f16 or bf16.
  }];
  let arguments = (ins AnyMemRef:$parts, AnyMemRef:$statistics, AnyMemRef:$out, Weft_EmptyRows:$empty_rows);
}

def Weft_RMSNormTileOp : Weft_RowTileOp<"rms_norm_tile",
    "root mean square normalization of each row of a matrix; a tile is `rows` rows"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$scale, AnyMemRef:$out, F32Attr:$epsilon);
}
def Weft_QuantizeRowsTileOp : Weft_RowTileOp<"quantize_rows_tile",
    "weft.quantize_rows, on matrices and columns of numbers; a tile is `rows` rows"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$bytes, AnyMemRef:$scale, AnyMemRef:$zero);
}
def Weft_ArgReduceTileOp : Weft_RowTileOp<"arg_reduce_tile",
    "weft.arg_reduce, on [outer, axis, inner]; a tile is `rows` of outer and `columns` of inner"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out, Weft_ReduceKind:$kind, UnitAttr:$last, UnitAttr:$is_unsigned);
}
def Weft_ScanTileOp : Weft_RowTileOp<"scan_tile", "weft.cumulative, on [outer, axis, inner]; a tile is `rows` of outer and `columns` of inner"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out, Weft_ReduceKind:$kind, UnitAttr:$exclusive, UnitAttr:$reverse);
}
def Weft_LinearAttentionTileOp : Weft_TileOp_<"linear_attention_tile", [AttrSizedOperandSegments]> {
  let summary = "weft.linear_attention; a tile is `columns` columns of the values of one head";
  let description = "Columns of a state change independently of each other.";
  let arguments = (ins AnyMemRef:$query, AnyMemRef:$key, AnyMemRef:$value, AnyMemRef:$state, Optional<AnyMemRef>:$decay,
                       Optional<AnyMemRef>:$rate, AnyMemRef:$out, AnyMemRef:$final);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `,` $state `:` type($query) `,` type($key) `,` type($value) `,` type($state) `)`
    (`decay` `(` $decay^ `:` type($decay) `)`)? (`rate` `(` $rate^ `:` type($rate) `)`)?
    `outs` `(` $out `,` $final `:` type($out) `,` type($final) `)` attr-dict
  }];
}
def Weft_TopKTileOp : Weft_RowTileOp<"top_k_tile", "weft.top_k, on [outer, axis, inner]; a tile is `rows` rows of the result"> {
  let arguments = (ins AnyMemRef:$input, AnyMemRef:$out, UnitAttr:$largest, UnitAttr:$is_unsigned);
}
def Weft_ScatterTileOp : Weft_RowTileOp<"scatter_tile", "changes rows of out, in order; a tile is `columns` columns of all rows"> {
  let description = [{
    places [count] (rows of out, which are checked already; what is outside is skipped), updates [count, inner], out
    [rows, inner], which holds the data. Every tile walks all places, so that their order is kept.
  }];
  let arguments = (ins AnyMemRef:$places, AnyMemRef:$updates, AnyMemRef:$out, Weft_ScatterKind:$kind, UnitAttr:$is_unsigned);
}

// What the body of a pointwise kernel (linalg.generic) may do beside arith and math.
def Weft_ReadOp : Weft_ProgramOp<"read", [
    TypesMatchWith<"fill is an element", "buffer", "fill", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">,
    TypesMatchWith<"the result is an element", "buffer", "result", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">,
    MemoryEffects<[MemRead]>]> {
  let summary = "an element at a computed place, or `fill` outside the buffer";
  let description = [{
    In the body of a pointwise kernel, whose loops run in any order. The buffer has rank 1.

    Example:
    ```mlir
    %e = weft.read %data[%place] else %zero : memref<?xf32>
    ```
  }];
  let arguments = (ins MemRefRankOf<[AnyType], [1]>:$buffer, Index:$place, AnyType:$fill);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $place `]` `else` $fill attr-dict `:` type($buffer)";
}

def Weft_CheckIndexOp : Weft_ProgramOp<"check_index"> {
  let summary = "an index that may count from the end, as a place on an axis of `bound` elements";
  let description = [{
    In the body of a pointwise kernel. An index outside [-bound, bound) is reported as by weft.fail, and gives -1.

    Example:
    ```mlir
    %p = weft.check_index %i, %n
    ```
  }];
  let arguments = (ins Index:$index, Index:$bound);
  let results = (outs Index:$place);
  let assemblyFormat = "$index `,` $bound attr-dict";
}

def Weft_FailOp : Weft_ProgramOp<"fail"> {
  let summary = "reports an error in the data of the running step";
  let description = "An index `value` outside [-bound, bound). The run ends at the next barrier. Made by emitters.";
  let arguments = (ins I64:$value, I64:$bound);
  let assemblyFormat = "$value `,` $bound attr-dict";
}

#endif // WEFT_STEP_OPS_TD
