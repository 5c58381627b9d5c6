// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --to=LEVEL -o x.mlir: text and x.weights.
#include "compiler/Driver/SaveIR.h"
#include "compiler/Artifact/OutputFile.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weft;

void weft::printIR(ModuleOp module, llvm::raw_ostream &out) {
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module.print(out, flags);
  out << "\n";
}

/// Each distinct handle of the module, in the order of the IR.
static llvm::SetVector<WeightAttr> collectWeights(ModuleOp module) {
  llvm::SetVector<WeightAttr> weights;
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](Attribute attribute) {
      if (auto weight = dyn_cast<WeightAttr>(attribute))
        weights.insert(weight);
    });
  });
  return weights;
}

/// The file of a handle, as seen from another folder.
static std::string relocate(StringRef file, StringRef base, StringRef folder) {
  SmallString<256> path(file);
  if (llvm::sys::path::is_relative(file))
    path = base, llvm::sys::path::append(path, file);
  SmallString<256> there(path), here(folder.empty() ? "." : folder);
  llvm::sys::fs::make_absolute(there);
  llvm::sys::fs::make_absolute(here);
  llvm::sys::path::remove_dots(there, /*remove_dot_dot=*/true);
  llvm::sys::path::remove_dots(here, /*remove_dot_dot=*/true);
  // A file in the same folder stays relative, so that the two can be moved together.
  return llvm::sys::path::parent_path(there) == here ? llvm::sys::path::filename(there).str() : there.str().str();
}

LogicalResult weft::saveIR(ModuleOp module, StringRef path) {
  Location location = UnknownLoc::get(module.getContext());
  auto fail = [&](llvm::Error error) { return emitError(location) << llvm::toString(std::move(error)); };
  WeightStore &store = module.getContext()->getLoadedDialect<WeftDialect>()->getWeights();
  StringRef folder = llvm::sys::path::parent_path(path);
  SmallString<256> dataPath(path);
  llvm::sys::path::replace_extension(dataPath, "weights");
  std::string dataName = llvm::sys::path::filename(dataPath).str();

  llvm::DenseMap<Attribute, Attribute> replacements;
  std::optional<OutputFile> data;
  for (WeightAttr weight : collectWeights(module)) {
    if (!weight.getFile().empty()) {
      std::string file = relocate(weight.getFile(), store.getBaseDirectory(), folder);
      replacements[weight] = WeightAttr::get(module.getContext(), file, weight.getOffset(), weight.getBytes(),
                                             weight.getHash());
      continue;
    }
    if (!data) {
      auto created = OutputFile::create(dataPath);
      if (!created)
        return fail(created.takeError());
      data.emplace(std::move(*created));
    }
    auto bytes = store.read(weight);
    if (!bytes)
      return fail(bytes.takeError());
    data->align(64);
    replacements[weight] =
        WeightAttr::get(module.getContext(), dataName, data->size(), weight.getBytes(), weight.getHash());
    data->write(*bytes);
  }
  if (data)
    if (llvm::Error error = data->commit())
      return fail(std::move(error));

  OwningOpRef<ModuleOp> copy = module.clone();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](WeightAttr weight) -> std::optional<Attribute> {
    Attribute found = replacements.lookup(weight);
    return found ? std::optional<Attribute>(found) : std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/true);
  std::string text;
  llvm::raw_string_ostream stream(text);
  printIR(*copy, stream);
  auto out = OutputFile::create(path);
  if (!out)
    return fail(out.takeError());
  out->write(StringRef(text));
  if (llvm::Error error = out->commit())
    return fail(std::move(error));
  return success();
}
