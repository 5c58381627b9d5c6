// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled executable from the outside: launcher and payload in one file, run with a command line.

#include "ModelBuilder.h"
#include "runtime/src/Elements.h"
#include "runtime/src/Tensor.h"
#include "runtime/src/TensorFiles.h"
#include "runtime/src/launcher/Compare.h"
#include "runtime/src/launcher/Options.h"

#include <cmath>
#include <dlfcn.h>
#include <limits>
#include <sys/wait.h>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

class Launcher : public testing::Test {
protected:
  Launcher() : program(folder / "model") {
    ModelSpec model = pickModel();
    model.entries[0].guards.clear();
    writeWholeFile(program, padded(readWholeFile(WEFT_TEST_LAUNCHER)) + pickPayload(model));
    chmod(program.c_str(), 0755);
  }

  struct Result {
    int code;
    std::string out, err;
  };

  /// Runs through a shell, in the temporary folder.
  Result run(const std::string &arguments) {
    std::string command = "cd '" + folder.path + "' && { ./model " + arguments + " ; } >out 2>err";
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readWholeFile(folder / "out"),
            readWholeFile(folder / "err")};
  }

  void expectError(const std::string &arguments, int code, const std::string &message) {
    Result result = run(arguments);
    EXPECT_EQ(result.code, code) << arguments << ": " << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(result.err, "model: error: " + message + "\n");
  }

  const std::string inputs = "--input x=2x4xf32=0,1,2,3,4,5,6,7 --input index=3xi64=1,0,-1 ";
  const std::string outputs = "y: 3 x 4 x f32 = 18 30 42 54 10 22 34 46 ...\ncount: i64 = 3\n";

  TemporaryFolder folder;
  std::string program;
};

TEST_F(Launcher, PrintsOutputs) {
  for (const char *threads : {"", "--threads 1", "--threads=7", "--guard-arena"}) {
    Result result = run(inputs + threads);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, outputs);
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(Launcher, InformsAboutItself) {
  Result help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char *flag : {"usage: model", "--inputs", "--input NAME", "--outputs", "--expect", "--rtol",
                           "--atol", "--threads", "--bench", "--signature", "--version", "Exit codes"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, flag, help.out);
  Result signature = run("--signature");
  EXPECT_EQ(signature.code, 0);
  for (const char *line : {"input   x: rows x 4 x f32\n", "output  count: i64\n", "arena   16*rows bytes\n",
                           "weights 16 bytes\n", "step    1 gather: /Gather (all keys)\n"})
    EXPECT_PRED_FORMAT2(testing::IsSubstring, line, signature.out);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "model compiled by test 1.0", run("--version").out);
  Result bench = run(inputs + "--bench 5");
  EXPECT_EQ(bench.code, 0);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, " ms, 5 runs, ", bench.out);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, " ms, 50 runs, ", run("--bench --threads 1 " + inputs).out);
}

TEST_F(Launcher, FilesInAndOut) {
  ASSERT_EQ(run(inputs + "--outputs out.npz").code, 0);
  std::vector<NamedTensor> saved;
  ASSERT_OK(loadTensors(folder / "out.npz", saved));
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved[0].name, "y");
  EXPECT_EQ(previewText(saved[0].tensor.get(), 4), "18 30 42 54 ...");
  EXPECT_EQ(run(inputs + "--expect out.npz").out, "2 outputs agree with out.npz\n");

  TensorRef x = makeTensor(WEFT_DTYPE_F32, {2, 4}, Contents::Zeroed);
  TensorRef index = makeTensor(WEFT_DTYPE_I64, {1}, Contents::Zeroed);
  ASSERT_OK(saveTensors(folder / "in.npz", {{"index", index}, {"x", x}}));
  ASSERT_OK(saveTensors(folder / "x.npy", {{"x", x}}));
  EXPECT_EQ(run("--inputs in.npz").out, "y: 1 x 4 x f32 = 10 20 30 40\ncount: i64 = 1\n");
  EXPECT_EQ(run("--input x=@x.npy --input index=1xi64=0").out,
            "y: 1 x 4 x f32 = 10 20 30 40\ncount: i64 = 1\n");
  expectError("--inputs in.npz --input x=@x.npy", 2, "input \"x\" is given twice");
  expectError("--input x=@in.npz", 1, "in.npz: holds 2 tensors, expected one; give it to --inputs");
}

TEST_F(Launcher, RandomInputs) {
  std::string random = "--input index=2xi64=random --input x=3x4xf32=random";
  EXPECT_EQ(run(random).out, run(random + ":0").out);
  EXPECT_NE(run(random).out, run(random + ":1").out);
}

TEST_F(Launcher, Mismatches) {
  ASSERT_EQ(run(inputs + "--outputs out.npz").code, 0);
  Result result = run("--input x=2x4xf32=0,1,2,3,4,5,6,7.5 --input index=3xi64=1,0,-1 --expect out.npz");
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "output \"y\": 2 of 12 elements differ; worst at [0, 3]: got 55, expected 54 "
                        "(rtol 0.0001, atol 0.0001)\nmodel: error: 1 of 2 outputs differ from out.npz\n");
  EXPECT_EQ(
      run("--input x=2x4xf32=0,1,2,3,4,5,6,7.5 --input index=3xi64=1,0,-1 --expect out.npz --atol 1").code,
      0);
  result = run("--input x=2x4xf32=1 --input index=1xi64=0 --expect out.npz --atol 100");
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "output \"y\": got 1 x 4 x f32, expected 3 x 4 x f32\n"
                        "output \"count\": 1 of 1 elements differ; worst at []: got 1, expected 3 "
                        "(rtol 0.0001, atol 100)\nmodel: error: 2 of 2 outputs differ from out.npz\n");
}

TEST_F(Launcher, CommandLinesThatAreWrong) {
  expectError("--frob", 2, "unknown flag --frob; see --help");
  expectError("file", 2, "unexpected argument file; see --help");
  expectError("--threads 2 --threads=2", 2, "--threads is given twice");
  expectError("--threads", 2, "--threads: its value is missing");
  expectError("--threads=", 2, "--threads: its value is missing");
  expectError("--threads -1", 2, "--threads: expected a number of threads, got \"-1\"");
  expectError("--signature=1", 2, "--signature takes no value, got \"1\"");
  expectError("--bench 0", 2, "--bench: expected at least 1 run, got 0");
  expectError("--atol 1", 2, "--atol is a tolerance of --expect, which is missing");
  expectError("--expect x.npz --rtol nan", 2, "--rtol: expected a number of at least 0, got \"nan\"");
  expectError(inputs + "--outputs out.txt", 2, "out.txt: tensors are written to .npz, .npy or .pb files");
  expectError(inputs + "--threads 5000", 2, "5000 threads asked for; at most 1024 are possible");
}

TEST_F(Launcher, InputsThatAreWrong) {
  const std::string index = "--input index=1xi64=0 ";
  expectError(index, 2, "input \"x\" (rows x 4 x f32) is missing; give it with --input x=... or --inputs");
  expectError("--input z=f32=0", 2,
              "--input z=f32=0: expected NAME=@FILE or NAME=TYPE=VALUES; its inputs are \"x\", \"index\"");
  expectError("--input x=f33=0", 2, "input \"x\": expected a type such as 2x128xi64 or f32, got \"f33\"");
  expectError("--input x=2x-4xf32=0", 2,
              "input \"x\": expected a type such as 2x128xi64 or f32, got \"2x-4xf32\"");
  expectError("--input x=2xf32=1,2,3", 2, "input \"x\": 3 values for the 2 elements of 2 x f32");
  expectError("--input x=2xf32=", 2, "input \"x\": 0 values for the 2 elements of 2 x f32");
  expectError("--input x=2xf32=1,b", 2, "input \"x\": \"b\" is no f32");
  expectError("--input x=f32=random:z", 2, "input \"x\": expected random or random:SEED, got \"random:z\"");
  expectError("--input x=f32", 2, "input \"x\": expected @FILE or TYPE=VALUES, got \"f32\"");
  expectError("--input x=@none.npy", 4, "none.npy: cannot be read: No such file or directory");
  expectError(index + "--input x=f32=0", 1, "input \"x\": expected rows x 4 x f32, got f32");
  expectError("--input x=8x4xf32=0 --input index=i64=0", 1, "input \"index\": expected picks x i64, got i64");
  expectError("--input x=8x4xf32=0 --input index=1xi64=17", 1,
              "node \"/Gather\": index 17 is out of range [-8, 8)");
}

TEST_F(Launcher, WritingThatFailsLeavesNothing) {
  writeWholeFile(folder / "out.npz", "old");
  Result result = run(inputs + "--outputs /dev/full");
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.err, "model: error: /dev/full: cannot be written: No space left on device\n");
  // Files may have 16 blocks: more than the model's code, which is a file in memory, and less than the
  // output.
  EXPECT_EQ(run(inputs + "--outputs out.npz").code, 0);
  std::string before = readWholeFile(folder / "out.npz");
  std::string limited = "cd '" + folder.path + "' && ulimit -f 16 && ./model --input x=1x4xf32=0 " +
                        "--input index=5000xi64=0 --outputs out.npz 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(limited.c_str())), 4);
  EXPECT_EQ(readWholeFile(folder / "err"), "model: error: out.npz: cannot be written: File too large\n");
  EXPECT_EQ(readWholeFile(folder / "out.npz"), before);
  EXPECT_NE(std::system(("ls -A '" + folder.path + "' | grep -q weft-").c_str()), 0);

  std::string inFolder = "cd '" + folder.path + "' && ./model " + inputs;
  EXPECT_EQ(WEXITSTATUS(std::system((inFolder + ">&- 2>/dev/null").c_str())), 4);
  EXPECT_EQ(WEXITSTATUS(std::system((inFolder + ">/dev/full 2>/dev/null").c_str())), 4);
  EXPECT_EQ(WEXITSTATUS(std::system((inFolder + "<&- >/dev/null 2>&-").c_str())), 0);
}

TEST_F(Launcher, WithoutAModel) {
  writeWholeFile(program, readWholeFile(WEFT_TEST_LAUNCHER));
  Result result = run("");
  EXPECT_EQ(result.code, 1);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "is not a Weft model", result.err);
}

TEST(SharedObject, LoadsTheModelBehindItself) {
  TemporaryFolder folder;
  writeWholeFile(folder / "model.so", padded(readWholeFile(WEFT_TEST_RUNTIME_SHARED)) + pickPayload());
  void *library = dlopen((folder / "model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto loadSelf = reinterpret_cast<decltype(&weft_model_load_self)>(dlsym(library, "weft_model_load_self"));
  auto inputName =
      reinterpret_cast<decltype(&weft_model_input_name)>(dlsym(library, "weft_model_input_name"));
  auto release = reinterpret_cast<decltype(&weft_model_release)>(dlsym(library, "weft_model_release"));
  ASSERT_TRUE(loadSelf && inputName && release);
  WeftModel *model = nullptr;
  ASSERT_EQ(loadSelf(&model), nullptr);
  EXPECT_STREQ(inputName(model, 1), "index");
  release(model); // The library stays loaded: the C++ library inside it would lose some memory else.
}

TensorRef floats(const std::vector<std::string> &values) {
  TensorRef tensor = makeTensor(WEFT_DTYPE_F32, {static_cast<int64_t>(values.size())}, Contents::Zeroed);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(parseElement(tensor.get(), static_cast<int64_t>(i), values[i]));
  return tensor;
}

std::string compared(const std::vector<std::string> &got, const std::vector<std::string> &expected) {
  return describeDifference(floats(got).get(), floats(expected).get(), {0.1, 0.01});
}

TEST(Compare, Floats) {
  EXPECT_EQ(compared({"1", "nan", "inf", "-inf", "0"}, {"1.1", "nan", "inf", "-inf", "0.01"}), "");
  EXPECT_EQ(compared({"1", "2"}, {"1", "3"}),
            "1 of 2 elements differ; worst at [1]: got 2, expected 3 (rtol 0.1, atol 0.01)");
  EXPECT_NE(compared({"inf"}, {"-inf"}), "");
  EXPECT_NE(compared({"1"}, {"inf"}), "");
  EXPECT_NE(compared({"inf"}, {"1"}), "");
  EXPECT_NE(compared({"nan"}, {"1"}), "");
  EXPECT_NE(compared({"1"}, {"nan"}), "");
  EXPECT_EQ(compared({}, {}), "");
  EXPECT_EQ(compared({"1"}, {"1", "2"}), "got 1 x f32, expected 2 x f32");
}

TEST(Compare, IntegersMustBeEqual) {
  TensorRef got = makeTensor(WEFT_DTYPE_I64, {2}, Contents::Zeroed), expected = got;
  expected = makeTensor(WEFT_DTYPE_I64, {2}, Contents::Zeroed);
  EXPECT_EQ(describeDifference(got.get(), expected.get(), {1, 1}), "");
  // The same number as a double.
  ASSERT_TRUE(parseElement(got.get(), 1, "9223372036854775807") &&
              parseElement(expected.get(), 1, "9223372036854775806"));
  EXPECT_EQ(describeDifference(got.get(), expected.get(), {1, 1}),
            "1 of 2 elements differ; worst at [1]: got 9223372036854775807, expected 9223372036854775806 "
            "(rtol 1, atol 1)");
}

TEST(Compare, BothSidesMustHaveAnOutput) {
  std::vector<NamedTensor> got = {{"a", floats({"1"})}}, expected = {{"b", floats({"1"})}};
  EXPECT_EQ(describeDifferences(got, expected, {0, 0}),
            (std::vector<std::string>{"output \"a\": nothing is expected of it",
                                      "output \"b\": is expected, but the model has no such output"}));
}

} // namespace
