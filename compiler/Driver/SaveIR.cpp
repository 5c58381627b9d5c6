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
  // It fails where there is no current folder; then relative paths stay as they are.
  (void)llvm::sys::fs::make_absolute(there);
  (void)llvm::sys::fs::make_absolute(here);
  llvm::sys::path::remove_dots(there, /*remove_dot_dot=*/true);
  llvm::sys::path::remove_dots(here, /*remove_dot_dot=*/true);
  // A file in the same folder stays relative, so that the two can be moved together.
  return llvm::sys::path::parent_path(there) == here ? llvm::sys::path::filename(there).str()
                                                     : there.str().str();
}

/// Whether nothing can lie beside the path: a device, a pipe.
static bool isStream(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) && status.type() != llvm::sys::fs::file_type::regular_file &&
         status.type() != llvm::sys::fs::file_type::directory_file;
}

/// The module as text, under a temporary name.
static llvm::Expected<OutputFile> writeText(ModuleOp module, StringRef path) {
  auto out = OutputFile::create(path);
  if (!out)
    return out;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printIR(module, stream);
  out->write(StringRef(text));
  if (llvm::Error error = out->close())
    return error;
  return out;
}

/// A module's handles as they hold from the folder of `path`, and the file of the data that has none yet.
struct SavedWeights {
  llvm::DenseMap<Attribute, Attribute> handles; ///< by the handle in the module
  std::optional<OutputFile> data;               ///< under a temporary name
};

static llvm::Expected<SavedWeights> saveWeights(ModuleOp module, StringRef path) {
  WeightStore &store = module.getContext()->getLoadedDialect<WeftDialect>()->getWeights();
  SmallString<256> dataPath(path);
  llvm::sys::path::replace_extension(dataPath, "weights");
  StringRef dataName = llvm::sys::path::filename(dataPath);
  SavedWeights saved;
  for (WeightAttr weight : collectWeights(module)) {
    std::string file;
    if (!weight.getFile().empty())
      file = relocate(weight.getFile(), store.getBaseDirectory(), llvm::sys::path::parent_path(path));
    int64_t offset = weight.getOffset();
    if (file.empty() || file == dataName) { // What lies in the file that is written anew is written with it.
      if (!saved.data) {
        auto created = OutputFile::create(dataPath);
        if (!created)
          return created.takeError();
        saved.data.emplace(std::move(*created));
      }
      auto bytes = store.read(weight);
      if (!bytes)
        return bytes.takeError();
      saved.data->align(64);
      file = dataName.str();
      offset = saved.data->size();
      saved.data->write(*bytes);
    }
    saved.handles[weight] =
        WeightAttr::get(module.getContext(), file, offset, weight.getBytes(), weight.getHash());
  }
  if (saved.data)
    if (llvm::Error error = saved.data->close())
      return error;
  return saved;
}

static llvm::Error save(ModuleOp module, StringRef path) {
  if (isStream(path)) {
    auto out = writeText(module, path);
    return out ? out->commit() : out.takeError();
  }
  auto saved = saveWeights(module, path);
  if (!saved)
    return saved.takeError();
  OwningOpRef<ModuleOp> copy = module.clone();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](WeightAttr weight) -> std::optional<Attribute> {
    Attribute found = saved->handles.lookup(weight);
    return found ? std::optional<Attribute>(found) : std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/true);
  // Both files are complete before either gets its name.
  auto text = writeText(*copy, path);
  if (!text)
    return text.takeError();
  if (saved->data)
    if (llvm::Error error = saved->data->commit())
      return error;
  return text->commit();
}

LogicalResult weft::saveIR(ModuleOp module, StringRef path) {
  if (llvm::Error error = save(module, path))
    return emitError(UnknownLoc::get(module.getContext())) << llvm::toString(std::move(error));
  return success();
}
