// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM code generation and lld, both in this process: no tool is needed to compile a model.
#include "compiler/Artifact/EmitObject.h"
#include "compiler/Artifact/OptimizeCode.h"
#include "lld/Common/Driver.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace weft;

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Machine &machine, std::string &error) {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(machine.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, machine.cpu, machine.features, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

LogicalResult weft::emitCode(ModuleOp module, const Machine &machine, CodeForm form,
                             llvm::raw_pwrite_stream &out) {
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, llvmContext, "weft");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> target = createTargetMachine(machine, error);
  if (!code || !target)
    return module.emitError("cannot translate the module to LLVM IR") << (error.empty() ? "" : ": ") << error;
  code->setTargetTriple(llvm::Triple(machine.triple));
  code->setDataLayout(target->createDataLayout());
  for (llvm::Function &function : *code) {
    function.addFnAttr("target-cpu", machine.cpu);
    if (!machine.features.empty())
      function.addFnAttr("target-features", machine.features);
    function.addFnAttr("prefer-vector-width", std::to_string(machine.vectorBits));
    function.addFnAttr("no-builtins"); // nothing may become a call of the C library
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (!function.isDeclaration() && !function.getName().starts_with("weft_entry_"))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  optimizeCode(*code, *target);
  if (form == CodeForm::LLVMIR) {
    code->print(out, nullptr);
    return success();
  }
  llvm::legacy::PassManager passes;
  auto file =
      form == CodeForm::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (target->addPassesToEmitFile(passes, out, nullptr, file))
    return module.emitError("the target cannot write this kind of file");
  passes.run(*code);
  return success();
}

namespace {
/// A folder of our own that is removed with what is in it.
struct ScratchFolder {
  llvm::SmallString<128> path;
  ~ScratchFolder() {
    if (!path.empty())
      (void)llvm::sys::fs::remove_directories(path); // what stays is the system's to clean
  }
};
} // namespace

static LogicalResult createScratchFolder(Location location, llvm::StringRef parent, ScratchFolder &folder) {
  llvm::SmallString<128> prefix(parent);
  if (prefix.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, prefix);
  llvm::sys::path::append(prefix, "weft");
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory(prefix, folder.path))
    return emitError(location) << "cannot make a temporary folder '" << prefix << "-*': " << error.message()
                               << " [weft-0400]";
  return success();
}

FailureOr<SmallVector<char>> weft::linkCode(Location location, ArrayRef<char> object,
                                            StringRef scratchDirectory) {
  ScratchFolder folder;
  if (failed(createScratchFolder(location, scratchDirectory, folder)))
    return failure();
  llvm::SmallString<128> input(folder.path), output(folder.path);
  llvm::sys::path::append(input, "model.o");
  llvm::sys::path::append(output, "model.so");
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(input, error);
    if (!error) {
      stream.write(object.data(), object.size());
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
  }
  if (error)
    return emitError(location) << "cannot write '" << input << "': " << error.message() << " [weft-0400]";
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const char *arguments[] = {"ld.lld",      "-shared",     "--no-undefined",   "--build-id=none",
                             "-z",          "noexecstack", "--hash-style=gnu", "-O2",
                             "--threads=1", "-o",          output.c_str(),     input.c_str()};
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    // lld writes its output file itself; of all its errors only those that name it are the system's fault.
    llvm::StringRef first = llvm::StringRef(messages).split('\n').first;
    return emitError(location) << "cannot link the generated code: " << first
                               << (first.contains(output) ? " [weft-0400]" : "");
  }
  auto linked = llvm::MemoryBuffer::getFile(output);
  if (!linked)
    return emitError(location) << "cannot read '" << output << "': " << linked.getError().message()
                               << " [weft-0400]";
  StringRef bytes = (*linked)->getBuffer();
  return SmallVector<char>(bytes.begin(), bytes.end());
}
