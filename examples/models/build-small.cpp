// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of docs/builder.md, word for word.
#include "compiler/Driver/Compiler.h"
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Builder/Layers/Stacks.h"
#include "frontend/Builder/SeededWeights.h"

using namespace weft;

int main(int argc, char **argv) {
  CompileOptions options;
  options.input = "small"; // what messages call the model
  options.output = argc > 1 ? argv[1] : "small.weft";
  options.printsIR = llvm::StringRef(options.output).ends_with(".mlir");
  options.machines = {*findMachine("native")};
  Compiler compiler(options, llvm::errs());

  GraphBuilder graph(&compiler.getContext(), "main");
  SeededWeights weights(1); // or what NpzWeights::open("weights.npz") gives
  Scope model(graph, weights);
  mlir::Value ids = graph.input("ids", graph.i64(), {graph.symbol("batch"), graph.symbol("seq")});

  layers::LayerConfig layer;
  layer.attention.width = layer.feedForward.width = 64;
  layer.attention.heads = 4;
  layer.attention.keyHeads = 2; // each serves two heads
  layer.attention.bias = layer.attention.outputBias = layer.feedForward.bias = false;
  layer.attention.rotary = layers::RotaryConfig{/*width=*/16};
  layer.feedForward.hidden = 128;
  layer.feedForward.activation = layers::Activation::Silu;
  layer.feedForward.gated = true;
  layer.norm.kind = layers::NormKind::RootMeanSquare;
  layers::Surroundings surroundings;
  surroundings.mask.causal = true;

  mlir::Value x = layers::embedding(model.in("embed"), ids, /*rows=*/100, /*width=*/64);
  x = layers::stack(model.in("layers"), x, /*layers=*/2, layer, surroundings);
  x = layers::norm(model.in("norm"), x, 64, layer.norm);
  graph.output("logits", layers::linear(model.in("head"), x, 64, 100));

  mlir::OwningOpRef<mlir::ModuleOp> module = graph.finish();
  if (!module)
    return 1; // the diagnostics have said why
  if (!options.printsIR && !compiler.lower(*module, Level::Target))
    return 1;
  return compiler.write(*module) ? 0 : 1;
}
