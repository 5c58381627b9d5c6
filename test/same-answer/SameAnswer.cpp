// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates modules before and after a pipeline and compares the numbers.
#include "test/same-answer/SameAnswer.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <random>

using namespace mlir;
using namespace weft;

std::unique_ptr<MLIRContext> weft::test::makeContext() {
  DialectRegistry registry;
  registry.insert<WeftDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect>();
  registerEvaluateModels(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

/// Elements that show differences: of both signs, some above and below 1; small sizes where they may be
/// indices.
static Tensor makeInput(Type element, ArrayRef<int64_t> shape, std::mt19937 &random) {
  int64_t count = countElements(shape);
  if (isa<FloatType>(element)) {
    std::normal_distribution<double> normal(0.25, 1.5);
    std::vector<double> values(count);
    for (double &value : values)
      value = normal(random);
    return Tensor::fromFloats(element, shape, values);
  }
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = random() % (element.isInteger(1) ? 2 : 3);
  return Tensor::fromIntegers(element, shape, values);
}

SmallVector<Tensor> weft::test::makeInputs(func::FuncOp function, ArrayRef<int64_t> sizes, unsigned seed) {
  std::mt19937 random(seed);
  llvm::StringMap<int64_t> given;
  auto sizeOf = [&](StringRef name) -> std::optional<int64_t> {
    return given.try_emplace(name, sizes[given.size() % sizes.size()]).first->second;
  };
  SmallVector<Tensor> inputs;
  for (Type type : function.getArgumentTypes()) {
    Shape shape;
    for (Dim dim : getDims(cast<RankedTensorType>(type))) // an unknown dim is as a symbol of its own
      shape.push_back(dim ? dim.evaluate(sizeOf).value_or(1) : sizes[shape.size() % sizes.size()]);
    inputs.push_back(makeInput(cast<RankedTensorType>(type).getElementType(), shape, random));
  }
  return inputs;
}

static std::string compareTensors(const Tensor &before, const Tensor &after, double tolerance) {
  if (before.getElementType().isF16()) // a pass may round once where the model rounds twice
    tolerance = 2e-3;
  if (before.getShape() != after.getShape())
    return "shape " + describeShape(before.getShape()) + " became " + describeShape(after.getShape());
  for (int64_t i = 0; i < before.getNumElements(); ++i) {
    double left = before.getFloat(i), right = after.getFloat(i);
    bool isSame = before.isFloat() ? std::abs(left - right) <= tolerance * (1 + std::abs(left))
                                   : before.getInteger(i) == after.getInteger(i);
    if (!isSame && left != right && !(std::isnan(left) && std::isnan(right)))
      return "element " + std::to_string(i) + " was " + std::to_string(left) + " and became " +
             std::to_string(right);
  }
  return "";
}

/// Compares one function for one choice of sizes.
static std::string compareFunctions(func::FuncOp before, func::FuncOp after, ArrayRef<int64_t> sizes,
                                    double tolerance, int &evaluations) {
  SmallVector<Tensor> inputs = weft::test::makeInputs(before, sizes, /*seed=*/sizes.back() + 7);
  std::string where = before.getName().str() + " with sizes " + describeShape(sizes) + ": ";
  auto left = evaluateFunction(before, inputs), right = evaluateFunction(after, inputs);
  // Sizes that do not fit the model must be refused on both sides: afterwards by a guard.
  if (failed(left) != failed(right))
    return where + (failed(left) ? "an error became an answer" : "an answer became an error");
  if (failed(left))
    return "";
  ++evaluations;
  for (auto [x, y] : llvm::zip_equal(*left, *right))
    if (std::string difference = compareTensors(x, y, tolerance); !difference.empty())
      return where + difference;
  return "";
}

std::string weft::test::compareAnswers(ModuleOp module, StringRef pipeline, double tolerance,
                                       int &evaluations) {
  OwningOpRef<ModuleOp> after = module.clone();
  PassManager pm(module.getContext());
  if (failed(parsePassPipeline(pipeline, pm)) || failed(pm.run(*after)))
    return "the pipeline failed";
  const SmallVector<int64_t> choices[] = {{1}, {4}, {2, 3, 5}, {3, 1, 2}, {1, 5, 7}};
  for (func::FuncOp before : module.getOps<func::FuncOp>())
    for (const SmallVector<int64_t> &sizes : choices)
      if (std::string difference = compareFunctions(
              before, after->lookupSymbol<func::FuncOp>(before.getName()), sizes, tolerance, evaluations);
          !difference.empty())
        return difference;
  return "";
}
