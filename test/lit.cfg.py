# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How lit runs the tests that are text: .mlir and .test files with RUN lines. test/unit is a suite of its own.
import glob
import os

import lit.formats
import lit.util

config.name = "Weft"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.weft_build, "test")

# Weft's programs, then FileCheck, not, count and split-file.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.weft_build, "bin"), config.llvm_tools, "/usr/bin", "/bin"]
)
config.environment.update(config.sanitizer_options)

config.substitutions += [
    ("%python", config.python),
    ("%models", os.path.join(config.test_source_root, "models")),
    ("%source", config.weft_source),
    ("%build", config.weft_build),
]

# Some expectations are about one ISA's code; most tests run on every CPU that Weft supports.
with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
    if "avx512f" in cpuinfo.read():
        config.available_features.add("avx512")
# NVIDIA's assembler and disassembler, those that tools/check installs or those of a CUDA toolkit; nothing but tests of PTX
# asks for them.
venv = os.path.dirname(os.path.dirname(config.python))
from_pypi = glob.glob(os.path.join(venv, "lib/python3*/site-packages/nvidia/cu*/bin"))
for tool in ("ptxas", "nvdisasm"):
    found = lit.util.which(tool, os.pathsep.join([*from_pypi, os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
    if found:
        config.available_features.add(tool)
        config.substitutions.append(("%" + tool, found))
# With -Daarch64=1 weft is a stand-in that compiles for AArch64 and runs under qemu (docs/testing.md).
if lit_config.params.get("aarch64"):
    config.environment["WEFT_X86"] = os.path.join(config.weft_build, "bin", "weft")
    config.environment["WEFT_AARCH64"] = os.path.join(config.weft_source, "build-aarch64")
    stand_in = os.path.join(config.test_source_root, "aarch64")
    config.environment["PATH"] = os.pathsep.join([stand_in, config.environment["PATH"]])
# With -Demulator=1 weft is a stand-in that compiles for the emulator of GPUs (docs/testing.md).
if lit_config.params.get("emulator"):
    config.environment["WEFT_CPU"] = os.path.join(config.weft_build, "bin", "weft")
    config.available_features.add("gpu")
    stand_in = os.path.join(config.test_source_root, "emulator")
    config.environment["PATH"] = os.pathsep.join([stand_in, config.environment["PATH"]])
# With -Dcuda=device weft is a stand-in that compiles for GPUs; with -Dcuda=stand-in so is the driver, which is there for
# tests of the runtime, too.
driver = os.path.join(config.weft_build, "test", "cuda-driver")
config.substitutions.append(("%cuda-driver", driver))
if lit_config.params.get("cuda"):
    config.available_features.add("gpu")
    config.environment["WEFT_CPU"] = os.path.join(config.weft_build, "bin", "weft")
    stand_in = os.path.join(config.test_source_root, "cuda")
    config.environment["PATH"] = os.pathsep.join([stand_in, config.environment["PATH"]])
    if lit_config.params["cuda"] == "stand-in":
        config.environment["LD_LIBRARY_PATH"] = driver
        config.environment["WEFT_STAND_IN_KERNELS"] = os.path.join(driver, "kernels")
# Tests that take over about ten seconds say "REQUIRES: long" and run with lit -Dlong=1, as tools/check --all does.
if lit_config.params.get("long"):
    config.available_features.add("long")
else:
    config.environment["WEFT_QUICK"] = "1"
# A sanitized build is slow and its programs need its libraries: tests of speed, memory and installation say
# "UNSUPPORTED: sanitized".
if config.sanitizer:
    config.available_features.add("sanitized")
    config.environment["WEFT_SANITIZED"] = "1"
