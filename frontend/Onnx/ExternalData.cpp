// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks on external data: entries, path, file, range.
#include "frontend/Onnx/ExternalData.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft::onnx;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
struct ParsedEntries {
  std::optional<StringRef> location, offset, length, checksum;
};
} // namespace

/// Sorts the entries by key. The keys are all that ONNX defines; a file with others wants something we do not
/// do.
static bool parseEntries(ExternalData::Entries entries, PlaceFn place, Diagnostics &diagnostics,
                         ParsedEntries &parsed) {
  auto bad = [&](const Twine &text) {
    diagnostics.error(DiagnosticId::ExternalKey, place(), text);
    return false;
  };
  for (auto [key, value] : entries) {
    std::optional<StringRef> *slot = key == "location"   ? &parsed.location
                                     : key == "offset"   ? &parsed.offset
                                     : key == "length"   ? &parsed.length
                                     : key == "checksum" ? &parsed.checksum
                                                         : nullptr;
    if (!slot)
      return bad("expects external data keys location, offset, length, checksum; got " + quoted(key));
    if (*slot)
      return bad("expects each external data key once, got " + quoted(key) + " twice");
    *slot = value;
  }
  if (!parsed.location)
    return bad("expects external data to have a location, got none");
  return true;
}

/// Parses a byte count: decimal digits and nothing else, at most 64 bits.
static bool parseCount(std::optional<StringRef> text, StringRef key, PlaceFn place, Diagnostics &diagnostics,
                       uint64_t &count) {
  if (!text || !text->getAsInteger(10, count)) // Takes no sign, no space, and all of the text.
    return true;
  diagnostics.error(DiagnosticId::ExternalKey, place(),
                    "expects external data " + key + " to be a decimal number of bytes, got " +
                        quoted(*text));
  return false;
}

std::optional<ExternalSlice> ExternalData::locate(Entries entries, PlaceFn place, Diagnostics &diagnostics) {
  ParsedEntries parsed;
  uint64_t offset = 0, length = 0;
  if (!parseEntries(entries, place, diagnostics, parsed) ||
      !parseCount(parsed.offset, "offset", place, diagnostics, offset) ||
      !parseCount(parsed.length, "length", place, diagnostics, length))
    return std::nullopt;
  std::shared_ptr<const MappedFile> file = map(*parsed.location, place, diagnostics);
  if (!file)
    return std::nullopt;

  uint64_t fileSize = file->bytes().size();
  if (!parsed.length && offset <= fileSize)
    length = fileSize - offset;
  // In this order no sum can overflow.
  if (length > fileSize || offset > fileSize - length) {
    diagnostics.error(DiagnosticId::ExternalRange, place(),
                      "expects bytes " + Twine(offset) + " + " + Twine(length) + " in " +
                          quoted(*parsed.location) + ", got a file of " + Twine(fileSize) + " bytes");
    return std::nullopt;
  }
  return ExternalSlice{std::move(file), offset, length};
}

static std::string resolvedDirectory(StringRef file) {
  StringRef directory = path::parent_path(file);
  llvm::SmallString<256> resolved;
  if (fs::real_path(directory.empty() ? "." : directory, resolved))
    return "";
  return resolved.str().str();
}

bool ExternalData::isAllowed(StringRef resolved) {
  if (allowedDirectories.empty()) {
    llvm::SmallString<256> resolvedModel;
    allowedDirectories.push_back(resolvedDirectory(modelPath));
    if (!fs::real_path(modelPath, resolvedModel))
      allowedDirectories.push_back(path::parent_path(resolvedModel).str());
  }
  return llvm::any_of(allowedDirectories, [&](StringRef directory) {
    // Whole components: /models-secret is not inside /models.
    StringRef rest = resolved;
    return !directory.empty() && rest.consume_front(directory) &&
           (directory == "/" || rest.empty() || rest.starts_with("/"));
  });
}

std::shared_ptr<const MappedFile> ExternalData::map(StringRef location, PlaceFn place,
                                                    Diagnostics &diagnostics) {
  auto bad = [&](DiagnosticId id, const Twine &text) {
    diagnostics.error(id, place(), "external data " + quoted(location) + " " + text);
    return nullptr;
  };
  if (modelPath.empty())
    return bad(DiagnosticId::ExternalPath, "belongs to a model in memory, which has no directory");
  if (auto known = files.find(location); known != files.end())
    return known->second;
  if (location.empty() || location.contains('\0'))
    return bad(DiagnosticId::ExternalPath, "expects a file name, got an empty one or one with a NUL");
  if (path::is_absolute(location))
    return bad(DiagnosticId::ExternalPath, "expects a path relative to the model, got an absolute one");

  llvm::SmallString<256> joined(path::parent_path(modelPath)), resolved;
  path::append(joined, location);
  // What is outside must not even be told from what does not exist, so the text is checked before the file
  // system.
  llvm::SmallString<256> lexical(location);
  path::remove_dots(lexical, /*remove_dot_dot=*/true);
  if (*path::begin(lexical) == "..")
    return bad(DiagnosticId::ExternalPath, "leads out of the model's directory");
  if (std::error_code error = fs::real_path(joined, resolved))
    return bad(DiagnosticId::ExternalFile, "cannot be opened: " + error.message());
  if (!isAllowed(resolved))
    return bad(DiagnosticId::ExternalPath,
               "leads out of the model's directory by a symbolic link; put the file beside the model");

  // The path is resolved, so a link here was put in its place just now.
  MappedFile::Failure failure;
  std::shared_ptr<const MappedFile> file =
      MappedFile::open(resolved, MappedFile::FollowSymlinks::No, failure);
  if (!file)
    return bad(DiagnosticId::ExternalFile, failure.reason);
  files[location] = file;
  return file;
}
