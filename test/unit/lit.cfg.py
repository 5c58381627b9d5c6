# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How lit runs the GoogleTest programs, which weft_unittest puts into the build's test/unit.
import os

import lit.formats

config.name = "Weft-Unit"
config.test_source_root = os.path.join(config.weft_build, "test", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_format.test_suffixes = {"Test", "Tests"}
config.environment.update(config.sanitizer_options)
