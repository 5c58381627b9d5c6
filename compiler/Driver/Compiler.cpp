// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading, the loop over the levels, and writing.
#include "compiler/Driver/Compiler.h"
#include "compiler/Artifact/ArtifactWriter.h"
#include "compiler/Artifact/EmitObject.h"
#include "compiler/Artifact/EmitPTX.h"
#include "compiler/Artifact/Metadata.h"
#include "compiler/Artifact/OutputFile.h"
#include "compiler/Driver/Levels.h"
#include "compiler/Driver/MachineChoice.h"
#include "compiler/Driver/Register.h"
#include "compiler/Driver/SaveIR.h"
#include "compiler/Graph/DimOption.h"
#include "dialects/Weft/IR/Weft.h"
#include "frontend/Onnx/OnnxImporter.h"
#include "frontend/Onnx/OnnxReader.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;
using namespace weft;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

Compiler::Compiler(CompileOptions given, llvm::raw_ostream &errors)
    : options(std::move(given)), errors(errors), context(makeRegistry()) {
  context.loadDialect<WeftDialect>();
  explains =
      std::exchange(options.graph.explainFusion, options.graph.explainFusion || !options.report.empty());
  // One thread: the machine is the user's, and output in a fixed order is worth more than a second thread.
  context.disableMultithreading();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { report(diagnostic); });
}

bool Compiler::fail(Outcome outcome) {
  if (result == Outcome::Success)
    result = outcome;
  return false;
}

/// The id of what is no fault of the model: a file that cannot be read or written, a full disk.
static constexpr llvm::StringLiteral kSystemFailure = "[weft-0400]";

llvm::StringRef Problem::id() const {
  constexpr llvm::StringLiteral kBegin = " [weft-";
  StringRef line = text;
  size_t begin = line.ends_with("]") ? line.rfind(kBegin) : StringRef::npos;
  return begin == StringRef::npos ? "" : line.drop_front(begin + 2).drop_back();
}

void Compiler::report(Problem problem) {
  errors << problem.text << "\n";
  found.push_back(std::move(problem));
}

/// `model.onnx: node "/attn/Softmax" (Softmax-13): expects ..., got ...`.
void Compiler::report(Diagnostic &diagnostic) {
  bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark,
       isExplanation = isRemark && explains;
  if (isRemark)
    compileReport.addDeclined(getNodeName(diagnostic.getLocation()), diagnostic.str());
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error &&
      diagnostic.getSeverity() != DiagnosticSeverity::Warning && !isExplanation)
    return;
  for (Diagnostic &note : diagnostic.getNotes())
    if (StringRef(note.str()).contains("reproducer")) { // The error that it hangs on was reported by itself.
      errors << llvm::sys::path::filename(options.input) << ": " << note.str() << "\n";
      return;
    }
  std::string text = diagnostic.str(), node = getNodeName(diagnostic.getLocation());
  systemFailed |= StringRef(text).ends_with(kSystemFailure);
  std::string line;
  llvm::raw_string_ostream out(line);
  out << llvm::sys::path::filename(options.input) << ": ";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    out << "warning: ";
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
      place && node.empty() && place.getLine())
    out << "line " << place.getLine() << ": ";
  if (!node.empty() && !StringRef(text).starts_with("node \"")) {
    out << "node \"" << node << "\"";
    if (auto named = dyn_cast<NameLoc>(diagnostic.getLocation()))
      if (auto kind = dyn_cast<NameLoc>(named.getChildLoc()))
        out << " (" << kind.getName().getValue() << ")";
    out << ": ";
  }
  out << text;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    errors << line << "\n";
  else
    report(Problem{diagnostic.getSeverity() == DiagnosticSeverity::Error, node, line});
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> Compiler::load() {
  return llvm::sys::path::extension(options.input) == ".mlir" ? loadIR() : importModel();
}

OwningOpRef<ModuleOp> Compiler::loadIR() {
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(options.input, status);
  bool regular = !error && status.type() == llvm::sys::fs::file_type::regular_file;
  auto text = regular ? llvm::MemoryBuffer::getFile(options.input)
                      : std::make_error_code(std::errc::invalid_argument);
  if (!text) {
    StringRef name = llvm::sys::path::filename(options.input);
    errors << name << ": cannot be read: "
           << (!error && !regular ? "not a regular file" : (error ? error : text.getError()).message())
           << " [weft-0400]\n";
    fail(Outcome::System);
    return nullptr;
  }
  context.getLoadedDialect<WeftDialect>()->getWeights().setBaseDirectory(
      llvm::sys::path::parent_path(options.input));
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, &context);
  if (module)
    if (auto createVerifier = getLevels()[size_t(options.from)].createVerifier) {
      // Some verify a function, some the module.
      PassManager pm(&context, ModuleOp::getOperationName(), OpPassManager::Nesting::Implicit);
      pm.addPass(createVerifier());
      if (failed(pm.run(*module)))
        module = nullptr;
    }
  if (!module)
    fail(Outcome::BadModel);
  return module;
}

OwningOpRef<ModuleOp> Compiler::importModel() {
  onnx::Diagnostics diagnostics(llvm::sys::path::filename(options.input));
  OwningOpRef<ModuleOp> module;
  onnx::ImportOptions import;
  import.constantInitializers = options.constantInitializers;
  import.inputConstants = options.inputConstants;
  for (StringRef text : options.graph.dims)
    if (std::optional<DimOption> option = parseDimOption(text); option && option->isFixed())
      import.fixedDims[option->name] = option->low;
  if (std::optional<onnx::Model> model = onnx::readOnnxModel(options.input, diagnostics))
    module = onnx::importOnnx(*model, &context, diagnostics, import);
  bool unreadable = false;
  for (const onnx::Diagnostic &diagnostic : diagnostics.all()) {
    report(Problem{diagnostic.severity == onnx::Severity::Error, diagnostic.node, diagnostic.message});
    unreadable |= diagnostic.id == onnx::DiagnosticId::FileUnreadable ||
                  diagnostic.id == onnx::DiagnosticId::FileNotRegular;
  }
  if (size_t unlisted = diagnostics.unlisted())
    report(Problem{
        true, "",
        (llvm::sys::path::filename(options.input) + ": and " + Twine(unlisted) + " further errors").str()});
  if (!module || diagnostics.hasErrors()) {
    fail(unreadable ? Outcome::System : Outcome::BadModel);
    return nullptr;
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

bool Compiler::lowerTo(ModuleOp module, Level level, const Machine &machine) {
  const LevelInfo &info = getLevels()[size_t(level)];
  PassManager pm(&context);
  pm.enableVerifier(options.verifyEachPass);
  if (!options.reproducer.empty())
    pm.enableCrashReproducerGeneration(options.reproducer, /*genLocalReproducer=*/true);
  DefaultTimingManager timing;
  timing.setEnabled(options.timing);
  timing.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, errors));
  TimingScope scope = timing.getRootScope();
  pm.enableTiming(scope);
  info.build(pm, options, machine);
  if (options.instrument)
    options.instrument(pm, level);
  auto start = std::chrono::steady_clock::now();
  bool lowered = succeeded(pm.run(module)) && (options.verifyEachPass || succeeded(verify(module)));
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (facts.seconds.empty() || facts.seconds.back().first != info.name)
    facts.seconds.push_back({info.name, 0});
  facts.seconds.back().second += elapsed.count(); // of all machines
  return lowered || failUnlessSystem(Outcome::BadModel);
}

/// Writes the IR under a name, if that was asked for.
bool Compiler::dump(ModuleOp module, const Twine &name) {
  if (options.dumpDirectory.empty())
    return true;
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpDirectory)) {
    errors << options.dumpDirectory << ": cannot make the folder: " << error.message() << "\n";
    return fail(Outcome::System);
  }
  SmallString<256> path(options.dumpDirectory);
  llvm::sys::path::append(path, name + ".mlir");
  return succeeded(saveIR(module, path)) || failUnlessSystem(Outcome::BadModel);
}

void Compiler::countOperations(ModuleOp module) {
  module.walk([&](Operation *op) {
    facts.operations += isa<InferInterface>(op);
    facts.attentions += isa<AttentionOp>(op);
  });
}

bool Compiler::lower(ModuleOp module, Level from, Level last) {
  auto nameOf = [](Level level) { return getLevels()[size_t(level)].name; };
  if (!dump(module, nameOf(from)))
    return false;
  auto read = [&](Level level) {
    if (level == Level::Graph)
      countOperations(module);
    if (level == Level::Buffer && !options.report.empty())
      compileReport.addPrograms(module, options.graph.dims);
  };
  read(from);
  for (size_t level = size_t(from) + 1; level <= size_t(last); ++level) {
    Machine machine =
        Level(level) == Level::Target ? chooseMachines(options, module).front() : options.machines.front();
    if (!lowerTo(module, Level(level), machine) || !dump(module, nameOf(Level(level))))
      return false;
    if (Level(level) == Level::Tile) {
      module.walk([&](Operation *op) { facts.steps += isa<StepOp>(op), facts.kernels += isa<KernelOp>(op); });
    }
    read(Level(level));
  }
  return true;
}

/// Lowers to the last level: the module for the first machine, and for each further one a copy of it. Down to
/// buffers the IR is the same for all.
bool Compiler::lowerForMachines(ModuleOp module, std::vector<OwningOpRef<ModuleOp>> &copies) {
  if (options.machines.size() == 1)
    return lower(module, Level::Target);
  if (!lower(module, Level::Buffer))
    return false;
  std::vector<Machine> machines = chooseMachines(options, module);
  ArrayRef<Machine> further = ArrayRef<Machine>(machines).drop_front();
  for (size_t i = 0; i < further.size(); ++i)
    copies.push_back(module.clone());
  auto finish = [&](ModuleOp of, const Machine &machine) {
    return lowerTo(of, Level::Target, machine) && dump(of, "target-" + machine.name);
  };
  bool done = finish(module, machines.front());
  for (auto [copy, machine] : llvm::zip(copies, further))
    done = done && finish(*copy, machine);
  return done;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool Compiler::writeText(ModuleOp module, StringRef extension) {
  if (extension == ".mlir")
    return succeeded(saveIR(module, options.output)) || failUnlessSystem(Outcome::BadModel);
  std::optional<Machine> machine = machineOf(module);
  if (!machine)
    return false;
  SmallString<0> text;
  if (extension == ".ptx") {
    FailureOr<std::vector<SmallString<0>>> ptx = emitPTX(module, options.gpus.front());
    if (failed(ptx))
      return fail(Outcome::Internal);
    text = std::move(ptx->front());
  } else {
    llvm::raw_svector_ostream stream(text);
    CodeForm form = extension == ".ll" ? CodeForm::LLVMIR : CodeForm::Assembly;
    if (failed(emitCode(module, *machine, form, stream)))
      return fail(Outcome::Internal);
  }
  facts.codeBytes = text.size();
  auto out = OutputFile::create(options.output);
  if (out) {
    out->write(text.str());
    if (llvm::Error error = out->commit())
      out = std::move(error);
  }
  if (out)
    return true;
  module.emitError() << llvm::toString(out.takeError());
  return failUnlessSystem(Outcome::Internal);
}

/// What a target-level module is for, as it says itself: IR that is read at this level may be for any
/// machine.
std::optional<Machine> Compiler::machineOf(ModuleOp module) {
  auto named = module->getAttrOfType<StringAttr>(names::kMachine);
  std::optional<Machine> machine = named ? findMachine(named.getValue()) : std::nullopt;
  if (!machine) {
    errors << options.input << ": the module does not say which machine it is for (weft.machine)\n";
    fail(Outcome::BadModel);
    return std::nullopt;
  }
  facts.machines.push_back(machine->name);
  for (const GPU &gpu : options.gpus)
    facts.machines.push_back(gpu.name);
  return machine;
}

std::optional<Code> Compiler::makeCode(ModuleOp module) {
  std::optional<Machine> machine = machineOf(module);
  if (!machine)
    return std::nullopt;
  SmallVector<char> object;
  llvm::raw_svector_ostream stream(object);
  if (failed(emitCode(module, *machine, CodeForm::Object, stream))) {
    fail(Outcome::Internal);
    return std::nullopt;
  }
  FailureOr<SmallVector<char>> linked = linkCode(module.getLoc(), object, "");
  if (failed(linked)) {
    failUnlessSystem(Outcome::Internal);
    return std::nullopt;
  }
  facts.codeBytes += linked->size();
  return Code{*machine, std::move(*linked)};
}

/// Kernels for each of the GPUs that were asked for.
std::optional<std::vector<DeviceCode>> Compiler::makeDeviceCodes(ModuleOp module) {
  std::vector<DeviceCode> codes;
  if (options.target != Target::CUDA)
    return codes;
  FailureOr<std::vector<SmallString<0>>> texts = emitPTX(module, options.gpus);
  if (failed(texts)) {
    fail(Outcome::Internal);
    return std::nullopt;
  }
  for (auto [gpu, text] : llvm::zip_equal(options.gpus, *texts)) {
    text.push_back('\0'); // as drivers want it
    facts.codeBytes += text.size();
    codes.push_back({gpu.abi, std::move(text)});
  }
  return codes;
}

bool Compiler::writeArtifactFile(ArrayRef<ModuleOp> modules, StringRef extension) {
  ModuleOp module = modules.front();
  std::optional<std::vector<DeviceCode>> deviceCodes = makeDeviceCodes(module);
  if (!deviceCodes)
    return false;
  std::vector<Code> codes;
  for (ModuleOp each : modules) {
    std::optional<Code> code = makeCode(each);
    if (!code)
      return false;
    codes.push_back(std::move(*code));
  }
  FailureOr<SmallVector<char>> metadata = encodeMetadata(module, codes, *deviceCodes);
  if (failed(metadata))
    return fail(Outcome::BadModel);
  for (ModuleOp each : modules.drop_front()) {
    FailureOr<SmallVector<char>> same = encodeMetadata(each, codes, *deviceCodes);
    if (failed(same) || *same != *metadata ||
        each->getAttr(names::kWeights) != module->getAttr(names::kWeights)) {
      errors << options.input << ": its codes do not share weights and steps, which is a bug in Weft\n";
      return fail(Outcome::Internal);
    }
  }
  Payload payload{std::move(codes), std::move(*deviceCodes), std::move(*metadata), module};
  Container container = llvm::StringSwitch<Container>(extension)
                            .Case(".weft", Container::Payload)
                            .Case(".so", Container::SharedLibrary)
                            .Case(".o", Container::Object)
                            .Default(Container::Executable);
  SmallString<256> carrier(options.carrierDirectory);
  llvm::sys::path::append(carrier,
                          container == Container::SharedLibrary ? "libweft_runtime.so" : "weft-launcher");
  if (failed(writeArtifact(payload, container, options.output, carrier)))
    return failUnlessSystem(Outcome::BadModel);
  facts.weightBytes = getWeightBytes(module);
  return true;
}

bool Compiler::write(ArrayRef<ModuleOp> modules) {
  ModuleOp module = modules.front();
  if (options.output.empty()) {
    printIR(module, llvm::outs());
    return true;
  }
  auto start = std::chrono::steady_clock::now();
  StringRef extension = llvm::sys::path::extension(options.output);
  bool written = options.printsIR || llvm::is_contained({".mlir", ".ll", ".s", ".ptx"}, extension)
                     ? writeText(module, options.printsIR ? ".mlir" : extension)
                     : writeArtifactFile(modules, extension);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  facts.seconds.push_back({"artifact", elapsed.count()});
  return written;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static std::string formatBytes(int64_t bytes) {
  if (bytes < 10000)
    return llvm::formatv("{0} bytes", bytes);
  return bytes < 10000000 ? llvm::formatv("{0:f1} KB", bytes / 1e3) : llvm::formatv("{0:f1} MB", bytes / 1e6);
}

/// A formula that fits a line; `weft inspect` prints all of it.
static std::string shorten(const std::string &text) {
  constexpr size_t kWidth = 100;
  return text.size() <= kWidth ? text : text.substr(0, kWidth - 4) + " ...";
}

void Compiler::printSummary(ModuleOp module, llvm::raw_ostream &out) {
  out << options.output << ": compiled from " << options.input << " for ";
  llvm::interleaveComma(facts.machines, out);
  out << "\n";
  if (facts.operations)
    out << "  operations  " << facts.operations << "\n";
  if (facts.steps)
    out << "  steps       " << facts.steps << " of " << facts.kernels << " kernels\n";
  out << "  code        " << formatBytes(facts.codeBytes) << "\n";
  out << "  weights     " << formatBytes(facts.weightBytes) << "\n";
  bool isFirst = true; // The others compute sizes for it.
  for (auto entry : module.getOps<LLVM::LLVMFuncOp>())
    if (auto arena = entry->getAttrOfType<DimAttr>(names::kArenaBytes))
      out << (std::exchange(isFirst, false) ? "  arena       " : "  sizes first, arena ")
          << shorten(Dim(arena).toString()) << " bytes\n";
  out << "  time       ";
  double total = 0;
  for (auto [level, seconds] : facts.seconds) {
    out << llvm::formatv(" {0} {1:f2}", level, seconds);
    total += seconds;
  }
  out << llvm::formatv("; {0:f2} s in all\n", total);
}

bool Compiler::saveReport() {
  StringRef model = llvm::sys::path::stem(options.input);
  llvm::json::Array seconds;
  for (auto [level, time] : facts.seconds)
    seconds.push_back(llvm::json::Array{level, time});
  // IR of a later level does not say how it was made.
  auto upTo = [&](Level level, llvm::json::Value fact) {
    return options.from <= level ? std::move(fact) : llvm::json::Value(nullptr);
  };
  compileReport.facts = llvm::json::Object{{"model", llvm::json::fixUTF8(model)},
                                           {"producer", getProducer()},
                                           {"machines", llvm::json::Array(facts.machines)},
                                           {"weights", upTo(Level::Import, options.graph.weightStorage)},
                                           {"precision", upTo(Level::Import, options.graph.precision)},
                                           {"seconds", std::move(seconds)},
                                           {"operations", upTo(Level::Graph, int64_t(facts.operations))},
                                           {"attentions", upTo(Level::Graph, int64_t(facts.attentions))},
                                           {"code_bytes", facts.codeBytes},
                                           {"weights_bytes", facts.weightBytes}};
  return checkReport(compileReport.save());
}

bool Compiler::checkReport(llvm::Error error) {
  if (!error)
    return true;
  errors << llvm::toString(std::move(error)) << "\n";
  return fail(Outcome::System);
}

Outcome Compiler::compile(llvm::raw_ostream *summary) {
  if (!options.report.empty() && !checkReport(compileReport.open(options.report)))
    return result;
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> module = load();
  if (!module)
    return result;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  facts.seconds.push_back({"import", elapsed.count()});
  std::vector<OwningOpRef<ModuleOp>> copies;
  if (!(options.printsIR ? lower(*module, options.to) : lowerForMachines(*module, copies)))
    return result;
  SmallVector<ModuleOp> modules = {*module};
  for (OwningOpRef<ModuleOp> &copy : copies)
    modules.push_back(*copy);
  if (!write(modules) || (!options.report.empty() && !saveReport()))
    return result;
  if (summary && !options.printsIR)
    printSummary(*module, *summary);
  return Outcome::Success;
}
