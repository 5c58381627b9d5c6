// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph passes, one by one: what the model gives before and after each.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/verify/Bounds.h"
#include "tools/weft/verify/Compare.h"
#include "tools/weft/verify/Stages.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::verify;

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

namespace {
class Recorder : public PassInstrumentation {
public:
  explicit Recorder(std::vector<Snapshot> &snapshots) : snapshots(snapshots) {}

  void runBeforePass(Pass *, Operation *op) override {
    if (snapshots.empty())
      record("", getModule(op));
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument().empty()) // the one that runs the passes of functions
      return;
    ++passes;
    if (OperationFingerPrint(getModule(op)) != *last)
      record(pass->getArgument().str() + ", pass " + std::to_string(passes), getModule(op));
  }

private:
  static ModuleOp getModule(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module ? module : op->getParentOfType<ModuleOp>();
  }
  void record(std::string pass, ModuleOp module) {
    snapshots.push_back({std::move(pass), module.clone()});
    last.emplace(module);
  }

  std::vector<Snapshot> &snapshots;
  std::optional<OperationFingerPrint> last;
  size_t passes = 0;
};
} // namespace

void verify::recordSnapshots(PassManager &passes, std::vector<Snapshot> &snapshots) {
  passes.addInstrumentation(std::make_unique<Recorder>(snapshots));
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

namespace {
/// Values by the name of their node: the last where there are several of one name and type.
using NamedValues = llvm::MapVector<std::pair<StringAttr, Type>, std::pair<Operation *, Tensor>>;
} // namespace

/// The node whose value an operation has: of a fused one the last.
static std::string getValueName(Operation *op) {
  auto fused = dyn_cast<FusedLoc>(op->getLoc());
  return fused && !fused.getLocations().empty() ? getNodeName(fused.getLocations().back())
                                                : getNodeName(op->getLoc());
}

static NamedValues evaluateNodes(func::FuncOp entry, ArrayRef<Tensor> inputs) {
  NamedValues values;
  (void)evaluateFunction(entry, inputs, [&](Operation *op, ArrayRef<Tensor> results) {
    std::string name = getValueName(op);
    if (name.empty() || isa<ConstantOp>(op))
      return;
    for (auto [i, result] : llvm::enumerate(results)) {
      std::string own = i == 0 ? name : name + "#" + std::to_string(i);
      values[{StringAttr::get(op->getContext(), own), result.getType()}] = {op, result};
    }
  });
  return values;
}

/// ": first at node ...", if a value that both have differs.
static std::string findFirstNode(func::FuncOp before, func::FuncOp after, ArrayRef<Tensor> inputs) {
  NamedValues left = evaluateNodes(before, inputs), right = evaluateNodes(after, inputs);
  for (auto &[key, value] : left) {
    auto found = right.find(key);
    if (found == right.end())
      continue;
    auto &[op, tensor] = found->second;
    Comparison comparison = compareTensors(tensor, value.second, getPassBounds(value.second));
    if (!comparison.difference.empty())
      return "; first at " + describeOperation(op) + ": " + comparison.difference;
  }
  return "";
}

static Comparison compareOutputs(func::FuncOp entry, ArrayRef<Tensor> before, ArrayRef<Tensor> after) {
  Comparison worst;
  for (auto [i, outputs] : llvm::enumerate(llvm::zip_equal(before, after))) {
    auto &[expected, got] = outputs;
    Comparison comparison = compareTensors(got, expected, getPassBounds(expected));
    if (!comparison.difference.empty() && worst.difference.empty())
      worst.difference = "output \"" + getOutputName(entry, i) + "\": " + comparison.difference;
    worst.ratio = std::max(worst.ratio, comparison.ratio);
  }
  return worst;
}

LogicalResult verify::comparePasses(ArrayRef<Snapshot> snapshots, ArrayRef<Tensor> inputs,
                                    std::vector<Finding> &findings) {
  func::FuncOp before;
  SmallVector<Tensor> expected;
  for (const Snapshot &snapshot : snapshots) {
    func::FuncOp after = getEntry(*snapshot.module);
    FailureOr<SmallVector<Tensor>> outputs = evaluateFunction(after, inputs);
    if (failed(outputs) && !before)
      return failure();
    if (failed(outputs)) {
      findings.push_back({snapshot.pass, 0, "the model cannot be evaluated any more"});
      return success();
    }
    if (before) {
      Comparison comparison = compareOutputs(after, expected, *outputs);
      if (!comparison.difference.empty())
        comparison.difference += findFirstNode(before, after, inputs);
      findings.push_back({snapshot.pass, comparison.ratio, comparison.difference});
      if (!comparison.difference.empty())
        return success();
    }
    before = after;
    expected = std::move(*outputs);
  }
  return success();
}
