// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs planted into the compiler while it runs: weft verify must name the node, the pass or the plan, and
// nothing else.
#include "tools/weft/verify/Verify.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;
using namespace weft::verify;

namespace {

using Change = std::function<void(ModuleOp)>;

/// A pass that does what a test wants.
struct PlantedPass : PassWrapper<PlantedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedPass)
  explicit PlantedPass(Change change) : change(std::move(change)) {}
  StringRef getArgument() const override { return "test-planted"; }
  void runOnOperation() override { change(getOperation()); }
  Change change;
};

/// Changes what a pass leaves, as if the pass had.
struct PlantedBug : PassInstrumentation {
  PlantedBug(std::string pass, Change change) : pass(std::move(pass)), change(std::move(change)) {}
  void runAfterPass(Pass *ran, Operation *op) override {
    if (ran->getArgument() == pass)
      change(op->getParentOfType<ModuleOp>());
  }
  std::string pass;
  Change change;
};

VerifyReport run(StringRef model, StringRef inputs, std::function<void(PassManager &, Level)> instrument,
                 Outcome expected) {
  VerifyOptions options;
  options.compile.input = std::string(WEFT_TEST_DIR "/models/") + model.str() + ".onnx";
  options.compile.machines = {*findMachine("native")};
  options.compile.instrument = std::move(instrument);
  options.run.threads = 1;
  StringRef folder = StringRef(options.compile.input).rsplit('/').first;
  options.run.inputsFiles.push_back((folder + "/" + inputs + ".in.npz").str());
  VerifyReport report;
  EXPECT_EQ(verifyModel(options, report, llvm::errs()), expected);
  return report;
}

std::vector<Finding> getDiffering(const std::vector<Finding> &findings) {
  std::vector<Finding> differing;
  llvm::copy_if(findings, std::back_inserter(differing),
                [](const Finding &finding) { return !finding.difference.empty(); });
  return differing;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Changes a kernel, if it is the kind of kernel that a test means.
using Mutation = bool (*)(KernelOp kernel);

template <typename From, typename To> bool replaceFirst(KernelOp kernel) {
  From found;
  kernel.walk([&](From op) {
    found = op;
    return WalkResult::interrupt();
  });
  if (!found)
    return false;
  OpBuilder builder(found);
  found.replaceAllUsesWith(To::create(builder, found.getLoc(), found.getLhs(), found.getRhs()).getResult());
  found.erase();
  return true;
}

bool changeEpsilon(KernelOp kernel) {
  bool isChanged = false;
  kernel.walk([&](LayerNormTileOp norm) {
    norm.setEpsilonAttr(FloatAttr::get(Float32Type::get(norm.getContext()), 0.01));
    isChanged = true;
  });
  return isChanged;
}

bool makeLogarithm(KernelOp kernel) {
  bool isChanged = false;
  kernel.walk([&](SoftmaxTileOp softmax) { isChanged = true, softmax.setLog(true); });
  return isChanged;
}

/// Scores of another scale.
bool forgetScale(KernelOp kernel) {
  bool isChanged = false;
  kernel.walk([&](AttentionTileOp attention) { isChanged = true, attention.setScale(APFloat(0.5)); });
  return isChanged;
}

/// Zeros for rows with nothing kept.
bool forgetNaN(KernelOp kernel) {
  bool isChanged = false;
  kernel.walk([&](AttentionTileOp attention) { isChanged = true, attention.setEmptyRows(EmptyRows::Zero); });
  return isChanged;
}

/// Reads the second input's elements at wrong places: a transposition that was forgotten.
bool forgetTransposition(KernelOp kernel) {
  bool isChanged = false;
  kernel.walk([&](linalg::GenericOp loops) {
    SmallVector<AffineMap> maps = loops.getIndexingMapsArray();
    if (maps.front().isIdentity() || !maps.front().isPermutation())
      return;
    maps.front() = AffineMap::getMultiDimIdentityMap(maps.front().getNumDims(), loops.getContext());
    loops.setIndexingMapsAttr(Builder(loops.getContext()).getAffineMapArrayAttr(maps));
    isChanged = true;
  });
  return isChanged;
}

/// Gives the steps of a node a changed copy of their kernel, so that no other node has the bug.
Change plantInKernel(StringRef node, Mutation mutate, int &planted) {
  return [=, &planted](ModuleOp module) {
    SymbolTable symbols(module);
    module.walk([&](StepOp step) {
      if (getNodeName(step) != node)
        return;
      auto kernel = symbols.lookup<KernelOp>(step.getKernel());
      auto copy = cast<KernelOp>(kernel->clone());
      if (!mutate(copy)) {
        copy->destroy();
        return;
      }
      step.setKernelAttr(FlatSymbolRefAttr::get(symbols.insert(copy)));
      ++planted;
    });
  };
}

/// Every row of a table is where the next should be: an index that is off by one.
Change rotateTable(StringRef node, int &planted) {
  return [=, &planted](ModuleOp module) {
    module.walk([&](StepOp step) {
      if (getNodeName(step) != node)
        return;
      for (OpOperand &operand : step->getOpOperands()) {
        auto view = operand.get().getDefiningOp<ViewOp>();
        auto table = view ? view.getInput().getDefiningOp<ConstantOp>() : nullptr;
        if (!table)
          continue;
        SmallVector<char> storage;
        auto type = cast<RankedTensorType>(table.getType());
        auto bytes = readConstant(table, storage);
        ASSERT_TRUE(succeeded(bytes));
        auto value = makeConstant(type, table.getLoc(), [&](MutableArrayRef<char> rotated) {
          std::rotate_copy(bytes->begin(), bytes->begin() + bytes->size() / type.getDimSize(0), bytes->end(),
                           rotated.begin());
        });
        ASSERT_TRUE(succeeded(value));
        OpBuilder builder(view);
        Value rotated = ConstantOp::create(builder, table.getLoc(), type, *value);
        auto copy = cast<ViewOp>(builder.clone(*view));
        copy.getInputMutable().assign(rotated);
        operand.set(copy);
        ++planted;
      }
    });
  };
}

/// Verifies with a bug in the kernel of one node, and expects that node alone.
void expectNode(StringRef model, StringRef inputs, StringRef node, const Change &change, const int &planted) {
  SCOPED_TRACE(model.str() + " " + node.str());
  VerifyReport report = run(
      model, inputs,
      [&](PassManager &passes, Level level) {
        if (level == Level::Tile)
          passes.addPass(std::make_unique<PlantedPass>(change));
      },
      Outcome::Mismatch);
  EXPECT_EQ(planted, 2) << "once for each artifact";
  std::vector<Finding> differing = getDiffering(report.kernels);
  ASSERT_EQ(differing.size(), 1u);
  EXPECT_TRUE(StringRef(differing[0].subject).starts_with("node \"" + node.str() + "\" (weft."))
      << differing[0].subject;
  EXPECT_EQ(getDiffering(report.outputs).size(), 0u);
  EXPECT_EQ(getDiffering(report.passes).size(), 0u);
}

void expectKernel(StringRef model, StringRef inputs, StringRef node, Mutation mutate) {
  int planted = 0;
  expectNode(model, inputs, node, plantInKernel(node, mutate, planted), planted);
}

} // namespace

TEST(VerifyTest, NamesWrongEpilogue) {
  for (const char *node :
       {"/encoder.1/feed_forward/contract/MatMul", "/decoder.1/cross_attention/k_proj/MatMul", "/out/MatMul"})
    expectKernel("transformer/transformer", "b2_t7_s33", node, replaceFirst<arith::AddFOp, arith::SubFOp>);
  expectKernel("ffn_gelu_erf/ffn_gelu_erf", "b3_n7", "/expand/MatMul",
               replaceFirst<arith::MulFOp, arith::DivFOp>);
}

TEST(VerifyTest, NamesWrongPointwise) {
  expectKernel("transformer/transformer", "b3_t7_s1", "/tgt_embedding/Add",
               replaceFirst<arith::AddFOp, arith::SubFOp>);
}

TEST(VerifyTest, NamesWrongNorm) {
  for (const char *node : {"/encoder.0/norm2/LayerNormalization", "/decoder.1/norm3/LayerNormalization"})
    expectKernel("transformer/transformer", "b2_t1_s7", node, changeEpsilon);
}

TEST(VerifyTest, NamesWrongSoftmax) {
  expectKernel("transformer/transformer", "b2_t7_s33", "/Softmax", makeLogarithm);
}

TEST(VerifyTest, NamesWrongAttention) {
  for (StringRef node : {"/encoder.1/attention/Softmax", "/decoder.0/cross_attention/Softmax"})
    expectKernel("transformer/transformer", "b2_t7_s33", node, forgetScale);
}

TEST(VerifyTest, NamesWrongRowsWithNothingKept) {
  expectKernel("masked_rows/masked_rows", "row_b2_n5_m7", "/Softmax", forgetNaN);
}

TEST(VerifyTest, NamesEachWrongResult) {
  int planted = 0;
  Change change = plantInKernel("/attention/Softmax", forgetScale, planted);
  VerifyReport report = run(
      "mha_dynamic/mha_dynamic", "b3_n7",
      [&](PassManager &passes, Level level) {
        if (level == Level::Tile)
          passes.addPass(std::make_unique<PlantedPass>(change));
      },
      Outcome::Mismatch);
  std::vector<Finding> differing = getDiffering(report.kernels);
  ASSERT_EQ(differing.size(), 2u);
  for (auto [i, finding] : llvm::enumerate(differing))
    EXPECT_TRUE(StringRef(finding.subject)
                    .starts_with("result " + std::to_string(i) + " of node \"/attention/Softmax\" (weft."))
        << finding.subject;
}

TEST(VerifyTest, NamesWrongMove) {
  expectKernel("mha_dynamic/mha_dynamic", "b3_n7", "/attention/Transpose_3", forgetTransposition);
}

TEST(VerifyTest, NamesWrongGather) {
  int planted = 0;
  StringRef node = "/src_embedding/embed/Gather";
  expectNode("transformer/transformer", "b2_t7_s33", node, rotateTable(node, planted), planted);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Puts all buffers at the start of the arena.
TEST(VerifyTest, NamesWrongPlan) {
  VerifyReport report = run(
      "ffn_gelu_erf/ffn_gelu_erf", "b2_n33",
      [&](PassManager &passes, Level level) {
        if (level == Level::Buffer)
          passes.addPass(std::make_unique<PlantedPass>([](ModuleOp module) {
            module.walk([](memref::ViewOp view) {
              auto argument = dyn_cast<BlockArgument>(view.getSource());
              auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
              auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kRole);
              if (!role || role.getValue() != names::kArena)
                return;
              OpBuilder builder(view);
              view.getByteShiftMutable().assign(arith::ConstantIndexOp::create(builder, view.getLoc(), 0));
            });
          }));
      },
      Outcome::Mismatch);
  ASSERT_EQ(getDiffering(report.outputs).size(), 1u);
  EXPECT_EQ(report.outputs[0].subject, "y");
  EXPECT_EQ(getDiffering(report.kernels).size(), 0u);
}

//===----------------------------------------------------------------------===//
// Graph passes
//===----------------------------------------------------------------------===//

namespace {
/// Makes the first scalar of a kind of constant a hundredth larger.
template <typename Op> void growConstant(ModuleOp module) {
  module.walk([](Op constant) {
    auto value = constant.getValue();
    FloatAttr number = dyn_cast<FloatAttr>(value);
    if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.isSplat())
      number = dyn_cast<FloatAttr>(dense.template getSplatValue<Attribute>());
    if (!number || number.getValueAsDouble() == 0)
      return WalkResult::advance();
    Attribute grown = FloatAttr::get(number.getType(), number.getValueAsDouble() * 1.01);
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      grown = DenseElementsAttr::get(dense.getType(), grown);
    constant->setAttr("value", grown);
    return WalkResult::interrupt();
  });
}

void changeNormEpsilon(ModuleOp module) {
  module.walk(
      [](LayerNormOp norm) { norm.setEpsilonAttr(FloatAttr::get(norm.getEpsilonAttr().getType(), 0.5)); });
}

Finding findWrongPass(StringRef model, StringRef inputs, StringRef pass, Change change) {
  VerifyReport report = run(
      model, inputs,
      [&](PassManager &passes, Level level) {
        if (level == Level::Graph && pass == "test-planted")
          passes.addPass(std::make_unique<PlantedPass>(change));
        else if (level == Level::Graph)
          passes.addInstrumentation(std::make_unique<PlantedBug>(pass.str(), change));
      },
      Outcome::Mismatch);
  EXPECT_EQ(getDiffering(report.kernels).size(), 0u); // They compute what the passes made.
  std::vector<Finding> differing = getDiffering(report.passes);
  EXPECT_EQ(differing.size(), 1u);
  return differing.empty() ? Finding() : differing[0];
}
} // namespace

namespace {
struct PassCase {
  const char *name, *model, *inputs, *pass, *node;
  void (*change)(ModuleOp);
};
class VerifyPassTest : public ::testing::TestWithParam<PassCase> {};
} // namespace

TEST_P(VerifyPassTest, NamesWrongPass) {
  const PassCase &test = GetParam();
  Finding finding = findWrongPass(test.model, test.inputs, test.pass, test.change);
  EXPECT_TRUE(StringRef(finding.subject).starts_with(std::string(test.pass) + ", pass ")) << finding.subject;
  EXPECT_NE(finding.difference.find("first at node \"" + std::string(test.node)), std::string::npos)
      << finding.difference;
}

INSTANTIATE_TEST_SUITE_P(
    Passes, VerifyPassTest,
    ::testing::Values(PassCase{"Infer", "ffn_gelu_erf/ffn_gelu_erf", "b3_n7", "weft-infer-shapes",
                               "/activation/Div", growConstant<ConstantOp>},
                      PassCase{"Fuse", "ffn_gelu_erf/ffn_gelu_erf", "b3_n7", "weft-fuse-epilogue",
                               "/expand/MatMul", growConstant<arith::ConstantOp>},
                      PassCase{"Recognize", "transformer/transformer_opset11", "b2_t1_s7",
                               "weft-recognize-norm", "/encoder.0/", changeNormEpsilon},
                      PassCase{"Normalize", "mha_dynamic/mha_dynamic", "b3_n7", "weft-normalize-contractions",
                               "/attention/Div_2", growConstant<ConstantOp>},
                      PassCase{"Added", "ffn_gelu_erf/ffn_gelu_erf", "b3_n7", "test-planted",
                               "/expand/MatMul", growConstant<arith::ConstantOp>}),
    [](const auto &info) { return info.param.name; });
