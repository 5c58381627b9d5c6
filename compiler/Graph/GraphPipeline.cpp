// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import level to graph level: the order, and why.
#include "compiler/Graph/GraphPipeline.h"
#include "compiler/Graph/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;

/// What numbers products are computed in, and how weights are stored.
static void addPrecision(OpPassManager &pm, const GraphOptions &options) {
  if (options.precision == "i8" || options.precision == "i4") {
    graph::QuantizeProductsOptions quantize;
    quantize.weights = options.precision;
    pm.addPass(graph::createQuantizeProducts(quantize));
  }
  if (options.precision == "bf16") {
    graph::RoundProductsOptions round;
    round.packs = !options.keepsMatrices;
    pm.addPass(graph::createRoundProducts(round));
  }
  graph::PackWeightsOptions pack;
  pack.storage = options.weightStorage;
  // Products of routed rows are of f32: of what they would be computed in, they have the weights.
  bool isShort = options.precision == "i8" || options.precision == "i4" || options.precision == "bf16";
  pack.routedStorage = isShort ? options.precision : options.weightStorage;
  pack.keepsMatrices = options.keepsMatrices;
  pack.panelColumns = options.panelColumns;
  pack.shortFrom = options.shortFromBytes;
  pack.roundsRows = options.keepsMatrices && options.precision == "bf16";
  pm.addPass(graph::createPackWeights(pack)); // late, because nothing else reads packed weights
  if (pack.roundsRows)
    pm.addPass(graph::createRoundAttention());
  if (options.precision == "tf32")
    pm.addPass(graph::createTF32Products());
}

void weft::buildGraphPipeline(OpPassManager &module, const GraphOptions &options) {
  graph::InferShapesOptions infer;
  infer.dims = SmallVector<std::string>(options.dims.begin(), options.dims.end());
  graph::FoldConstantsOptions fold;
  fold.cap = options.foldCapBytes;
  graph::FuseAttentionOptions attention;
  attention.explain = options.explainFusion;
  attention.require = options.requireFusion;

  // Everything below asks types for shapes, so they come first; the shape arithmetic is gone after this.
  module.addNestedPass<func::FuncOp>(graph::createInferShapes(infer));
  // While sizes are still operands: those that the model computes are inputs, and all is as for those below.
  module.addPass(graph::createComputeSizesFirst());
  OpPassManager &pm = module.nest<func::FuncOp>();
  // Folds reshapes and moves that turned out to change nothing; x^2 becomes x * x, as the recognizers expect
  // it.
  pm.addPass(createCanonicalizerPass());
  // Exporters repeat masks, means and positions for every layer; recognizers compare values by identity.
  pm.addPass(createCSEPass());
  // Weights that are bytes are found while they are; folding makes i32 of them.
  pm.addPass(graph::createRecognizeByteProducts());
  // Recognizers look for constants such as sqrt(2), which exporters leave as operations.
  graph::FoldConstantsOptions early = fold;
  early.leavesGathered = options.readsGathered;
  pm.addPass(graph::createFoldConstants(early));
  // Recognition comes before anything moves, while the patterns are as exporters write them.
  pm.addPass(graph::createRecognizeGelu());
  pm.addPass(graph::createRecognizeNorm());
  pm.addPass(graph::createRecognizeSoftmax());
  pm.addPass(graph::createNormalizeContractions());
  if (options.readsGathered)
    pm.addPass(graph::createRouteProducts());
  // Normalization made moves that are alike (CSE) and that belong to weights (fold).
  pm.addPass(createCSEPass());
  pm.addPass(graph::createFoldConstants(fold));
  // Attention is recognized around one product of queries and keys.
  pm.addPass(graph::createJoinProducts());
  // Before epilogues, which would take in what attention reads.
  pm.addPass(graph::createFuseAttention(attention));
  pm.addPass(graph::createComputeByDistance());
  // The moves that it put around an attention meet those that undo them; layers make the same masks.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(graph::createMeetTransposes());
  pm.addPass(createCSEPass());
  if (options.readsGathered)
    pm.addPass(graph::createFindKeyBlocks());
  graph::DescribeAttentionOptions describe;
  describe.explain = options.explainFusion;
  pm.addPass(graph::createDescribeAttention(describe));
  // After normalization, because a transpose between a matmul and its bias would hide one from the other.
  pm.addPass(graph::createFuseEpilogue());
  if (options.stateCapacity > 0) {
    graph::RecognizeStateOptions state;
    state.capacity = options.stateCapacity;
    pm.addPass(graph::createRecognizeState(state));
  }
  addPrecision(pm, options);
  pm.addPass(graph::createVerifyGraph());
}

namespace {
struct GraphPipelineOptions : PassPipelineOptions<GraphPipelineOptions> {
  ListOption<std::string> dims{*this, "dims",
                               llvm::cl::desc("Sizes of symbols, such as batch=4 or seq=1..512")};
  Option<int64_t> cap{*this, "cap", llvm::cl::desc("Most bytes that a folded constant may take"),
                      llvm::cl::init(GraphOptions().foldCapBytes)};
  Option<int64_t> capacity{
      *this, "kv-capacity",
      llvm::cl::desc("Positions that keys and values which a session keeps have room for"),
      llvm::cl::init(0)};
};
} // namespace

void weft::registerGraphPasses() {
  graph::registerGraphPasses();
  PassPipelineRegistration<GraphPipelineOptions>("weft-graph", "Import level to graph level",
                                                 [](OpPassManager &pm, const GraphPipelineOptions &given) {
                                                   GraphOptions options;
                                                   options.foldCapBytes = given.cap;
                                                   options.stateCapacity = given.capacity;
                                                   options.dims.assign(given.dims.begin(), given.dims.end());
                                                   buildGraphPipeline(pm, options);
                                                 });
}
