// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest ELF object that holds one symbol of data. Written directly because data as large as weights
// must not pass through an assembler.
#include "compiler/Artifact/ObjectFile.h"
#include "compiler/Artifact/OutputFile.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>

using namespace weft;
namespace ELF = llvm::ELF;

static constexpr uint64_t kPage = 4096;

template <typename T> static void writeStruct(OutputFile &out, const T &value) {
  out.write(llvm::ArrayRef<char>(reinterpret_cast<const char *>(&value), sizeof(T)));
}

static ELF::Elf64_Shdr makeSection(uint32_t name, uint32_t type, uint64_t flags, uint64_t offset,
                                   uint64_t size) {
  ELF::Elf64_Shdr section = {};
  section.sh_name = name;
  section.sh_type = type;
  section.sh_flags = flags;
  section.sh_offset = offset;
  section.sh_size = size;
  section.sh_addralign = 1;
  return section;
}

void weft::writeDataObject(OutputFile &out, uint16_t machine, llvm::StringRef symbol, uint64_t bytes,
                           llvm::function_ref<void()> writeData) {
  // Header | data | symbol table | string table (section and symbol names) | section headers.
  static const char names[] = "\0.rodata\0.symtab\0.strtab\0.note.GNU-stack";
  const uint32_t rodata = 1, symtab = 9, strtab = 17, note = 25;
  std::string strings(names, sizeof(names));
  uint32_t symbolName = strings.size();
  strings += symbol.str();
  strings.push_back('\0');
  uint64_t dataOffset = kPage, symbolsOffset = llvm::alignTo(dataOffset + bytes, 8);
  uint64_t stringsOffset = symbolsOffset + 2 * sizeof(ELF::Elf64_Sym);
  uint64_t headersOffset = llvm::alignTo(stringsOffset + strings.size(), 8);

  ELF::Elf64_Ehdr header = {};
  memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_REL;
  header.e_machine = machine;
  header.e_version = ELF::EV_CURRENT;
  header.e_shoff = headersOffset;
  header.e_ehsize = sizeof(ELF::Elf64_Ehdr);
  header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 3;
  writeStruct(out, header);
  out.align(kPage);
  writeData();
  out.align(8);

  writeStruct(out, ELF::Elf64_Sym{});
  ELF::Elf64_Sym data = {};
  data.st_name = symbolName;
  data.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_OBJECT);
  data.st_shndx = 1;
  data.st_size = bytes;
  writeStruct(out, data);
  out.write(llvm::StringRef(strings));
  out.align(8);

  writeStruct(out, ELF::Elf64_Shdr{});
  ELF::Elf64_Shdr section = makeSection(rodata, ELF::SHT_PROGBITS, ELF::SHF_ALLOC, dataOffset, bytes);
  section.sh_addralign = kPage;
  writeStruct(out, section);
  section = makeSection(symtab, ELF::SHT_SYMTAB, 0, symbolsOffset, 2 * sizeof(ELF::Elf64_Sym));
  section.sh_link = 3; // its names
  section.sh_info = 1; // the first global symbol
  section.sh_addralign = 8;
  section.sh_entsize = sizeof(ELF::Elf64_Sym);
  writeStruct(out, section);
  writeStruct(out, makeSection(strtab, ELF::SHT_STRTAB, 0, stringsOffset, strings.size()));
  writeStruct(out, makeSection(note, ELF::SHT_PROGBITS, 0, stringsOffset, 0)); // the stack is not executable
}
