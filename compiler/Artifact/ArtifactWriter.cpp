// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Payloads as abi.h lays them out, behind a carrier, inside an object, or alone.
#include "compiler/Artifact/ArtifactWriter.h"
#include "compiler/Artifact/ObjectFile.h"
#include "compiler/Artifact/OutputFile.h"
#include "dialects/Weft/IR/Weft.h"
#include "runtime/include/weft/abi.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weft;

/// Bytes of a constant of the weights part.
static int64_t getBytes(Attribute value) {
  if (auto weight = dyn_cast<WeightAttr>(value))
    return weight.getBytes();
  auto dense = cast<DenseElementsAttr>(value);
  return dense.getNumElements() * getElementBytes(dense.getElementType());
}

static ArrayRef<Attribute> getWeightList(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(names::kWeights);
  return list ? list.getValue() : ArrayRef<Attribute>();
}

/// IR that was read from a file may list anything.
static LogicalResult verifyWeights(ModuleOp module) {
  for (Attribute value : getWeightList(module))
    if (!isa<WeightAttr, DenseIntOrFPElementsAttr>(value))
      return module.emitError() << "expects " << names::kWeights << " to hold weights and dense data, got "
                                << value;
  return success();
}

int64_t weft::getWeightBytes(ModuleOp module) {
  int64_t bytes = 0;
  for (Attribute value : getWeightList(module))
    bytes += llvm::alignTo(getBytes(value), WEFT_BUFFER_ALIGNMENT);
  return bytes;
}

/// The codes for CPUs, then those for GPUs: all that the code part holds.
template <typename Use> static void forEachCode(const Payload &payload, Use use) {
  for (const Code &code : payload.codes)
    use(ArrayRef<char>(code.bytes));
  for (const DeviceCode &code : payload.deviceCodes)
    use(ArrayRef<char>(code.text));
}

static uint64_t updateChecksum(uint64_t hash, ArrayRef<char> bytes) {
  for (char byte : bytes)
    hash = (hash ^ uint8_t(byte)) * 0x100000001b3u;
  return hash;
}

/// Where a payload's parts lie, from its first byte.
static WeftTrailer layOut(const Payload &payload) {
  WeftTrailer trailer = {};
  uint64_t checksum = 0xcbf29ce484222325u;
  forEachCode(payload, [&](ArrayRef<char> bytes) {
    trailer.code_bytes += bytes.size();
    checksum = updateChecksum(checksum, bytes);
  });
  trailer.weights_offset = llvm::alignTo(trailer.code_bytes, WEFT_PAYLOAD_ALIGNMENT);
  trailer.weights_bytes = getWeightBytes(payload.module);
  trailer.metadata_offset = trailer.weights_offset + trailer.weights_bytes;
  trailer.metadata_bytes = payload.metadata.size();
  trailer.payload_bytes = trailer.metadata_offset + trailer.metadata_bytes + sizeof(WeftTrailer);
  trailer.checksum = updateChecksum(checksum, payload.metadata);
  trailer.abi_version = WEFT_ABI_VERSION;
  memcpy(trailer.magic, WEFT_PAYLOAD_MAGIC, sizeof(trailer.magic));
  return trailer;
}

static LogicalResult writeWeights(ModuleOp module, OutputFile &out) {
  auto &store = module.getContext()->getLoadedDialect<WeftDialect>()->getWeights();
  for (Attribute value : getWeightList(module)) {
    if (auto weight = dyn_cast<WeightAttr>(value)) {
      auto bytes = store.read(weight);
      if (!bytes)
        return module.emitError() << llvm::toString(bytes.takeError());
      out.write(*bytes);
      store.release(weight);
    } else {
      SmallVector<char> bytes;
      spreadConstant(cast<DenseElementsAttr>(value), bytes);
      out.write(bytes);
    }
    out.align(WEFT_BUFFER_ALIGNMENT);
  }
  return success();
}

static LogicalResult writePayload(const Payload &payload, OutputFile &out) {
  WeftTrailer trailer = layOut(payload);
  forEachCode(payload, [&](ArrayRef<char> bytes) { out.write(bytes); });
  out.align(WEFT_PAYLOAD_ALIGNMENT);
  if (failed(writeWeights(payload.module, out)))
    return failure();
  out.write(payload.metadata);
  out.write(ArrayRef<char>(reinterpret_cast<const char *>(&trailer), sizeof(trailer)));
  return success();
}

/// What an ELF file for this machine says in its header.
static uint16_t getElfMachine(const Payload &payload) {
  return payload.codes.front().machine.isX86() ? llvm::ELF::EM_X86_64 : llvm::ELF::EM_AARCH64;
}

/// Copies a launcher or a runtime, which must be for the same processors as the payload.
static LogicalResult writeCarrier(const Payload &payload, StringRef carrier, OutputFile &out) {
  ModuleOp module = payload.module;
  auto error = [&] { return emitError(UnknownLoc::get(module.getContext())); };
  auto file = llvm::MemoryBuffer::getFile(carrier, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return error() << "cannot read '" << carrier << "', which comes with weft: " << file.getError().message()
                   << " [weft-0400]";
  StringRef bytes = (*file)->getBuffer();
  llvm::ELF::Elf64_Ehdr header = {};
  memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof(header)));
  if (!header.checkMagic() || header.e_machine != getElfMachine(payload))
    return error() << "'" << carrier << "' is no program for " << payload.codes.front().machine.name
                   << "; --runtime says where one is [weft-0400]";
  if (!bytes.contains(WEFT_RUNTIME_MARK))
    return error() << "'" << carrier << "' is not of the runtime that this compiler makes code for, of ABI "
                   << WEFT_ABI_VERSION << " [weft-0400]";
  out.write(bytes);
  out.align(WEFT_PAYLOAD_ALIGNMENT);
  return success();
}

/// A C identifier from a file's name.
static std::string makeIdentifier(StringRef path) {
  std::string name;
  for (char c : llvm::sys::path::stem(path))
    name.push_back(isalnum(static_cast<unsigned char>(c)) ? c : '_');
  if (name.empty() || isdigit(static_cast<unsigned char>(name.front())))
    name.insert(name.begin(), '_');
  return name;
}

/// The header that goes with an object, not yet in its place.
static llvm::Expected<OutputFile> writeHeader(StringRef objectPath, StringRef symbol, uint64_t bytes) {
  SmallString<256> path(objectPath);
  llvm::sys::path::replace_extension(path, "h");
  auto out = OutputFile::create(path);
  if (!out)
    return out;
  std::string text;
  llvm::raw_string_ostream(text) << "/* Load with weft_model_load_memory(" << symbol << ", " << symbol
                                 << "_bytes, &model). */\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                                 << "extern const unsigned char " << symbol << "[];\n"
                                 << "#define " << symbol << "_bytes " << bytes << "ull\n"
                                 << "#ifdef __cplusplus\n}\n#endif\n";
  out->write(StringRef(text));
  if (llvm::Error error = out->close())
    return error;
  return out;
}

/// The payload as an object, and its header: both or none.
static LogicalResult writeObject(const Payload &payload, Location location, StringRef path, OutputFile &out) {
  std::string symbol = makeIdentifier(path);
  uint64_t bytes = layOut(payload).payload_bytes;
  LogicalResult result = success();
  writeDataObject(out, getElfMachine(payload), symbol, bytes, [&] { result = writePayload(payload, out); });
  if (failed(result))
    return failure();
  llvm::Error error = out.close();
  if (!error) {
    auto header = writeHeader(path, symbol, bytes);
    error = header ? header->commit() : header.takeError();
  }
  if (error)
    return emitError(location) << llvm::toString(std::move(error));
  return success();
}

LogicalResult weft::writeArtifact(const Payload &payload, Container container, StringRef path,
                                  StringRef carrier) {
  ModuleOp module = payload.module;
  Location location = UnknownLoc::get(module.getContext());
  if (failed(verifyWeights(module)))
    return failure();
  auto out = OutputFile::create(path, /*executable=*/container == Container::Executable ||
                                          container == Container::SharedLibrary);
  if (!out)
    return emitError(location) << llvm::toString(out.takeError());
  if (container == Container::Object) {
    if (failed(writeObject(payload, location, path, *out)))
      return failure();
  } else {
    if (container != Container::Payload && failed(writeCarrier(payload, carrier, *out)))
      return failure();
    if (failed(writePayload(payload, *out)))
      return failure();
  }
  if (llvm::Error error = out->commit())
    return emitError(location) << llvm::toString(std::move(error));
  return success();
}
