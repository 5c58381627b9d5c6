// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels, in order.
#include "compiler/Driver/Levels.h"
#include "compiler/Buffer/BufferPipeline.h"
#include "compiler/Buffer/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Target/CPU/CPUPipeline.h"
#include "compiler/Target/CPU/Passes.h"
#include "compiler/Target/NVGPU/NVGPUPipeline.h"
#include "compiler/Tile/Passes.h"
#include "compiler/Tile/TilePipeline.h"

using namespace weft;

using mlir::OpPassManager;

/// What weft-emit-cta-kernels makes kernels for.
static llvm::StringRef kernelsFor(llvm::ArrayRef<GPU> gpus) {
  bool isHopper = llvm::any_of(gpus, [](const GPU &gpu) { return gpu.isHopper(); });
  return !isHopper ? "sm_80" : gpus.size() == 1 ? "sm_90a" : "all";
}

std::vector<std::string> weft::getScheduledMachines(const CompileOptions &options) {
  std::vector<std::string> names;
  for (const GPU &gpu : llvm::reverse(options.gpus))
    names.push_back(gpu.name.str());
  if (options.target == Target::CPU && options.machines.size() == 1)
    names.push_back(options.machines.front().name.str());
  return names;
}

static const LevelInfo kLevels[] = {
    {Level::Import, "import", "weft operations as the model said them; shapes may be unknown", nullptr,
     nullptr},
    {Level::Graph, "graph",
     "weft operations with symbolic shapes, constants folded, norms recognised, weights packed",
     [](OpPassManager &pm, const CompileOptions &options, const Machine &) {
       GraphOptions graph = options.graph;
       graph.keepsMatrices = options.target != Target::CPU;
       graph.readsGathered = options.target == Target::CPU;
       if (options.target == Target::CPU && options.machines.size() == 1 &&
           options.machines.front().vectorBits == 256)
         graph.panelColumns = MatmulOp::kNarrowPanelColumns;
       buildGraphPipeline(pm, graph);
     },
     graph::createVerifyGraph},
    {Level::Tile, "tile", "a program of steps, each a kernel over a grid of independent tiles",
     [](OpPassManager &pm, const CompileOptions &options, const Machine &) {
       TileOptions tile;
       tile.target = options.target == Target::CPU ? "cpu" : "gpu";
       tile.machines = getScheduledMachines(options);
       tile.scheduleTable = options.scheduleTable;
       tile.schedule = options.schedule;
       tile.marksProducts = options.marksProducts;
       buildTilePipeline(pm, tile);
     },
     tile::createVerifyTile},
    {Level::Buffer, "buffer", "the same on buffers, in one planned arena",
     [](OpPassManager &pm, const CompileOptions &, const Machine &) { buildBufferPipeline(pm); },
     buffer::createVerifyBuffer},
    {Level::Target, "target", "the llvm dialect",
     [](OpPassManager &pm, const CompileOptions &options, const Machine &machine) {
       if (options.target == Target::CPU)
         buildCPUPipeline(pm, machine);
       else if (options.target == Target::CUDA)
         buildNVGPUPipeline(pm, machine, kernelsFor(options.gpus));
       else
         buildEmulatorPipeline(pm, machine, kernelsFor(options.gpus));
     },
     cpu::createVerifyTarget},
};

llvm::ArrayRef<LevelInfo> weft::getLevels() { return kLevels; }

const LevelInfo *weft::findLevel(llvm::StringRef name) {
  for (const LevelInfo &info : kLevels)
    if (info.name == name)
      return &info;
  return nullptr;
}

std::string weft::listLevels() {
  std::string text;
  for (const LevelInfo &info : kLevels)
    text += (text.empty() ? "" : ", ") + info.name.str();
  return text;
}
