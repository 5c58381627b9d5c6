// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a graph of layers, evaluates it, and keeps the weights that it asked for.
#ifndef WEFT_TEST_FRONTEND_BUILDER_LAYERSFIXTURE_H
#define WEFT_TEST_FRONTEND_BUILDER_LAYERSFIXTURE_H

#include "dialects/Weft/Evaluate/Evaluate.h"
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Builder/Layers/Stacks.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

namespace weft {

/// Numbers with a shape, row-major.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> values;

  double operator()(std::initializer_list<int64_t> index) const {
    int64_t place = 0;
    for (auto [at, dim] : llvm::zip(index, shape))
      place = place * dim + at;
    return values[place];
  }
};

inline int64_t countOf(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

/// Draws weights of f32, and remembers them.
class DrawnWeights : public Weights {
public:
  mlir::Value get(GraphBuilder &graph, llvm::StringRef name, llvm::ArrayRef<int64_t> shape) override {
    Array &array = arrays[name.str()];
    if (array.values.empty()) {
      array.shape = shape.vec();
      for (int64_t i = 0; i < countOf(shape); ++i)
        array.values.push_back(std::uniform_real_distribution<float>(-1, 1)(random));
    }
    llvm::SmallVector<float> values(array.values.begin(), array.values.end());
    return graph.constant(shape, llvm::ArrayRef<float>(values));
  }
  const Array &operator[](const std::string &name) { return arrays.at(name); }

private:
  std::mt19937 random{1};
  std::map<std::string, Array> arrays;
};

class LayersTest : public testing::Test {
protected:
  LayersTest()
      : context(makeRegistry()), handler(&context, [this](mlir::Diagnostic &diagnostic) {
          errors += getNodeName(diagnostic.getLocation()) + ": " + diagnostic.str() + "\n";
        }) {}

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerEvaluateModels(registry);
    return registry;
  }

  Array draw(std::vector<int64_t> shape) {
    Array array{std::move(shape), {}};
    for (int64_t i = 0; i < countOf(array.shape); ++i)
      array.values.push_back(std::uniform_real_distribution<float>(-2, 2)(random));
    return array;
  }

  /// Evaluates a graph of f32 inputs x0, x1, ... whose dims are all symbols but the last one.
  using BuildGraph =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Scope scope, llvm::ArrayRef<mlir::Value>)>;
  std::vector<Array> evaluate(llvm::ArrayRef<Array> inputs, BuildGraph build) {
    errors.clear();
    GraphBuilder graph(&context, "main");
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<Tensor> tensors;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      llvm::SmallVector<Dim> dims;
      for (size_t dim = 0; dim + 1 < input.shape.size(); ++dim)
        dims.push_back(graph.symbol("x" + std::to_string(i) + "." + std::to_string(dim)));
      dims.push_back(graph.dim(input.shape.back()));
      values.push_back(graph.input("x" + std::to_string(i), graph.f32(), dims));
      tensors.push_back(Tensor::fromFloats(graph.f32(), input.shape, input.values));
    }
    for (auto [i, output] : llvm::enumerate(build(Scope(graph, weights), values)))
      graph.output("y" + std::to_string(i), output);
    mlir::OwningOpRef<mlir::ModuleOp> module = graph.finish();
    if (!module)
      return {};
    auto results = evaluateFunction(*module->getOps<mlir::func::FuncOp>().begin(), tensors);
    if (mlir::failed(results))
      return {};
    std::vector<Array> arrays;
    for (const Tensor &result : *results)
      arrays.push_back({result.getShape().vec(), result.toFloats()});
    return arrays;
  }
  /// The same of one output.
  Array evaluateOne(llvm::ArrayRef<Array> inputs,
                    llvm::function_ref<mlir::Value(Scope scope, llvm::ArrayRef<mlir::Value>)> build) {
    auto results = evaluate(inputs, [&](Scope scope, llvm::ArrayRef<mlir::Value> values) {
      return llvm::SmallVector<mlir::Value>{build(scope, values)};
    });
    EXPECT_EQ(results.size(), 1u) << errors;
    return results.empty() ? Array() : results.front();
  }

  void expectNear(const Array &actual, const Array &expected, double tolerance = 1e-5) {
    ASSERT_EQ(actual.shape, expected.shape);
    for (size_t i = 0; i < expected.values.size(); ++i)
      ASSERT_NEAR(actual.values[i], expected.values[i], tolerance * (1 + std::fabs(expected.values[i])))
          << "at " << i;
  }

  mlir::MLIRContext context;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
  DrawnWeights weights;
  std::mt19937 random{2};
};

} // namespace weft

#endif // WEFT_TEST_FRONTEND_BUILDER_LAYERSFIXTURE_H
