// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read in PTX, and blocks that the emulator runs.

#include "StandInKernels.h"
#include "runtime/src/Error.h"
#include "runtime/src/Team.h"
#include "runtime/src/emulator/Emulator.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace weft::runtime::cuda {

namespace {

std::string hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001b3u;
  char name[17];
  snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(hash));
  return name;
}

/// What a map's rank has besides, so that it is found among words.
constexpr int64_t mapMark = int64_t(0x77656674) << 8;

/// What is behind `label`, from `from` on, up to the end of the line.
std::string wordBehind(const std::string &text, const std::string &label, size_t from = 0) {
  size_t at = text.find(label, from);
  if (at == std::string::npos)
    return "";
  at += label.size();
  return text.substr(at, text.find('\n', at) - at);
}

/// A report, as an index that is out of range leaves it.
void writeReport(const WeftTeam::Failure &failure, Address address, int64_t step) {
  auto *report = reinterpret_cast<WeftGpuFailure *>(address);
  if (!report->reported)
    *report = {1, static_cast<int32_t>(step), failure.value, failure.bound};
}

} // namespace

Result loadModule(const char *text, int capability, const std::string &newestPtx, const std::string &folder,
                  ModuleHandle &module, std::string &log) {
  module.text = text;
  std::string target = wordBehind(module.text, ".target sm_");
  bool isForOne = !target.empty() && target.back() == 'a';
  int needed = std::atoi(target.c_str());
  if (wordBehind(module.text, ".version ") != (isForOne ? "8.3" : "8.0") || needed == 0) {
    log = "ptxas fatal : no PTX of version 8.0, or 8.3 for sm_90a";
    return /*CUDA_ERROR_INVALID_PTX*/ 218;
  }
  if (isForOne ? needed != capability : needed > capability)
    return noBinaryForGpu;
  if (wordBehind(module.text, ".version ") > newestPtx)
    return unsupportedPtxVersion;
  std::string path = folder + "/" + hashOf(module.text) + ".so";
  module.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module.library)
    return success;
  log = concat("stand-in: ", dlerror());
  return notFound;
}

/// Whether a kernel waits for those before it, before it reads what they write, and before any thread ends.
bool waitsFirst(const std::string &text, size_t entry) {
  size_t wait = text.find("griddepcontrol.wait;", entry);
  constexpr const char *others[] = {".visible .entry ", "ld.global", "st.global", "\tbra", " bra", "ret;"};
  return wait != std::string::npos &&
         std::all_of(std::begin(others), std::end(others),
                     [&](const char *other) { return text.find(other, entry + 1) > wait; });
}

Result findFunction(ModuleHandle &module, const std::string &name, Function *function) {
  std::unique_ptr<FunctionHandle> &place = module.functions[name];
  if (!place) {
    size_t entry = module.text.find(".visible .entry " + name + "(");
    void *found = dlsym(module.library, name.c_str());
    if (entry == std::string::npos || !found)
      return notFound;
    int threads = std::atoi(wordBehind(module.text, ".reqntid ", entry).c_str());
    place = std::make_unique<FunctionHandle>(FunctionHandle{name, found, static_cast<unsigned>(threads)});
    place->waits = waitsFirst(module.text, entry);
    std::string head = module.text.substr(entry, module.text.find('{', entry) - entry);
    place->clusterBlocks = static_cast<unsigned>(std::atoi(wordBehind(head, ".reqnctapercluster ").c_str()));
  }
  *function = place.get();
  return success;
}

Result encodeMap(void *map, uint32_t rank, void *address, const uint64_t *sizes, const uint64_t *strides,
                 const uint32_t *box, const StandInMemory &memory) {
  bool isPossible = rank >= 1 && rank <= WEFT_TENSOR_MAP_DIMS && reinterpret_cast<uintptr_t>(map) % 64 == 0 &&
                    reinterpret_cast<uintptr_t>(address) % 16 == 0 &&
                    memory.holds(reinterpret_cast<Address>(address), 1);
  WeftTensorMap made{address, mapMark | static_cast<int64_t>(rank), {}, {}, {}};
  for (uint32_t i = 0; isPossible && i < rank; ++i) {
    isPossible = sizes[i] > 0 && box[i] > 0 && box[i] <= 256 && (i + 1 == rank || strides[i] % 16 == 0);
    made.sizes[i] = static_cast<int64_t>(sizes[i]);
    made.box[i] = box[i];
    if (i + 1 < rank)
      made.strides[i] = static_cast<int64_t>(strides[i]);
  }
  std::memcpy(map, &made, sizeof(made));
  return isPossible && box[0] * 2 <= 128 ? success : invalidValue;
}

Result checkLaunch(const FunctionHandle &kernel, const Grid &grid, Address words,
                   const StandInMemory &memory) {
  bool isPossible = grid.blocks > 0 && grid.blocks < 1u << 31 && grid.threads == kernel.threads &&
                    grid.sharedBytes <= kernel.sharedBytes &&
                    (kernel.clusterBlocks == 0 || grid.blocks % kernel.clusterBlocks == 0);
  return isPossible && memory.holds(words, 3 * sizeof(int64_t)) ? success : invalidValue;
}

/// The maps behind a launch's arguments, which begin at a multiple of their size.
static std::vector<WeftTensorMap> findMaps(Address words, const StandInMemory &memory) {
  constexpr size_t bytes = WEFT_TENSOR_MAP_BYTES, mostArguments = 64;
  std::vector<WeftTensorMap> maps;
  for (Address at = words + bytes; words % bytes == 0 && memory.holds(at, bytes); at += bytes) {
    WeftTensorMap map;
    std::memcpy(&map, reinterpret_cast<const void *>(at), sizeof(map));
    bool isMap = map.rank >> 8 == mapMark >> 8, isBehind = at > words + mostArguments * sizeof(int64_t);
    if (!isMap && (isBehind || !maps.empty()))
      break;
    map.rank &= 0xFF;
    if (isMap)
      maps.push_back(map);
  }
  return maps;
}

Result runKernel(const FunctionHandle &kernel, const Grid &grid, Address words, const StandInMemory &memory) {
  auto *word = reinterpret_cast<const int64_t *>(words);
  WeftTeam team(1, WaitWord::Duration::zero());
  team.reset();
  WeftLaunch launch{kernel.name.c_str(),
                    reinterpret_cast<WeftKernelFunction>(kernel.function),
                    grid.threads,
                    grid.sharedBytes,
                    word[WEFT_GPU_WORD_STEP],
                    0,
                    grid.blocks,
                    0,
                    word + WEFT_GPU_WORD_ARGUMENTS,
                    grid.blocks,
                    /*persistent=*/kernel.clusterBlocks,
                    0,
                    nullptr,
                    nullptr};
  std::vector<WeftTensorMap> maps = findMaps(words, memory);
  launch.map_count = static_cast<int64_t>(maps.size());
  launch.maps = maps.data();
  emulate(&team, &launch);
  const WeftTeam::Failure *failure = team.firstFailure();
  if (!failure)
    return success;
  if (failure->kind == WEFT_FAILURE_INDEX) {
    writeReport(*failure, static_cast<Address>(word[WEFT_GPU_WORD_FAILURE]), launch.step);
    return success;
  }
  std::fprintf(stderr, "stand-in: %s\n", failure->text.c_str());
  return launchFailed;
}

} // namespace weft::runtime::cuda
