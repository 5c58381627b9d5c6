// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: a model that can be read is imported and goes through the graph level, or is refused with a
// message. Seeds are models; what libFuzzer makes of them is often none, which ReaderFuzzer.cpp is about.
#include "compiler/Driver/Register.h"
#include "compiler/Graph/GraphPipeline.h"
#include "frontend/Onnx/OnnxImporter.h"
#include "frontend/Onnx/OnnxReader.h"
#include "mlir/IR/Verifier.h"
#include <cstdlib>

using namespace mlir;

/// Runs the passes that fold shapes and constants and find attentions; false without an error is a bug.
static void optimize(ModuleOp module) {
  bool isReported = false;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    isReported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  weft::GraphOptions options;
  options.foldCapBytes = 1 << 16; // for speed
  PassManager pm(module.getContext());
  weft::buildGraphPipeline(pm, options);
  if (failed(pm.run(module)) != isReported)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  weft::onnx::Diagnostics diagnostics("fuzz.onnx");
  std::optional<weft::onnx::Model> model = weft::onnx::readOnnxModel({bytes, "fuzz.onnx"}, diagnostics);
  if (!model)
    return 0;
  DialectRegistry registry;
  weft::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<weft::WeftDialect>();
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  weft::onnx::ImportOptions options;
  options.unrolledNodes = 1 << 10; // for speed
  OwningOpRef<ModuleOp> module = weft::onnx::importOnnx(*model, &context, diagnostics, options);
  if (bool(module) == diagnostics.hasErrors())
    std::abort();
  if (module)
    optimize(*module);
  return 0;
}
