// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program weft.
#include "tools/weft/Verbs.h"

int main(int argc, char **argv) { return weft::runWeft({argv + (argc > 0), argv + argc}); }
