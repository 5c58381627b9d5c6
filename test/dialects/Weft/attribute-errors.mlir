// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims and guards that do not parse: each says what it expects. (What the grammar allows is in DimsTest.cpp.)
// RUN: weft-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{expected floordiv, mod, min, max or broadcast, got 'n'}}
func.func private @unquoted(tensor<?xf32, #weft.dims<n>>)

// -----

// expected-error @below {{'floordiv' takes two operands, got 1}}
func.func private @operands() attributes {a = #weft.dim<floordiv("n")>}

// -----

// expected-error @below {{'floordiv' by zero}}
func.func private @zero() attributes {a = #weft.dim<floordiv("n", 0)>}

// -----

// expected-error @below {{the integer does not fit 64 bits}}
func.func private @large() attributes {a = #weft.dim<9223372036854775808>}

// -----

// expected-error @below {{the expression overflows 64 bits or is too large}}
func.func private @overflow() attributes {a = #weft.dim<9223372036854775807 + 1>}

// -----

// expected-error @below {{expected ::weft::Relation to be one of: equal, broadcast, less_equal}}
// expected-error @below {{failed to parse Weft_GuardAttr parameter 'relation'}}
func.func private @relation() attributes {a = #weft.guard<near, "a", "b", "why">}

// -----

// expected-error@+1 {{expects an expression for each of 2 dims, got 1}}
func.func @encoding_of_another_rank(%x: tensor<?x?xf32, #weft.dims<"n">>) { return }

// -----

// expected-error@+1 {{expects a dim that is static in the type if its expression is a constant}}
func.func @encoding_of_another_size(%x: tensor<4x?xf32, #weft.dims<5, "n">>) { return }

// -----

// expected-error@+1 {{expects a dim that is static in the type if its expression is a constant}}
func.func @static_dim_with_a_symbol(%x: tensor<4x?xf32, #weft.dims<"m", "n">>) { return }

// -----

// expected-error@+1 {{expects numbers of 2, 4 or 8 bits, got 3}}
func.func private @bits() attributes {a = #weft.weight_groups<bits = 3, rows = 32, hasOffsets = false>}

// -----

// expected-error@+1 {{expects groups of rows that divide 128 and fill words, got 48}}
func.func private @rows() attributes {a = #weft.weight_groups<bits = 4, rows = 48, hasOffsets = false>}

// -----

// expected-error@+1 {{expects groups of rows that divide 128 and fill words, got 8}}
func.func private @words() attributes {a = #weft.weight_groups<bits = 2, rows = 8, hasOffsets = false>}

// -----

// expected-error@+1 {{expects a table of 2^bits numbers, of at most 4 bits, got 3 of 2 bits}}
func.func private @table() attributes {a = #weft.weight_groups<bits = 2, rows = 32, hasOffsets = false, table = [1.0, 2.0, 3.0]>}
