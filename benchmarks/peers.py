# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Other programs that run ONNX files, each with bind(inputs), run() and outputs(), as weft_runtime.Session has them. All
# compute in f32, whatever else the processor could do, and keep inputs and outputs where they are from run to run.
import importlib.metadata
import importlib.util


class OnnxRuntime:
    package, title = "onnxruntime", "ONNX Runtime"

    def __init__(self, onnx, threads):
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        # Its threads may spin while it runs, but not on the processors that the next program needs.
        settings.add_session_config_entry("session.force_spinning_stop", "1")
        self.session = onnxruntime.InferenceSession(str(onnx), settings, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]

    def bind(self, inputs):
        self.bound = self.session.io_binding()
        for name, array in inputs.items():
            self.bound.bind_cpu_input(name, array)
        for name in self.names:
            self.bound.bind_output(name)

    def run(self):
        self.session.run_with_iobinding(self.bound)

    def outputs(self):
        self.run()
        return dict(zip(self.names, self.bound.copy_outputs_to_cpu()))


class OpenVino:
    package, title = "openvino", "OpenVINO"

    def __init__(self, onnx, threads):
        import openvino

        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        self.tensor = openvino.Tensor
        self.request = openvino.Core().compile_model(str(onnx), "CPU", settings).create_infer_request()

    def bind(self, inputs):
        for name, array in inputs.items():
            self.request.set_tensor(name, self.tensor(array, shared_memory=True))

    def run(self):
        # infer() would make a dictionary of views.
        self.request.start_async()
        self.request.wait()

    def outputs(self):
        self.run()
        return {port.any_name: self.request.get_tensor(port).data.copy() for port in self.request.model_outputs}


class PyTorch:
    """torch.compile for each size, with weights as constants: it then packs them."""

    package, title = "torch", "PyTorch"

    def __init__(self, onnx, threads):
        import torch
        import torch._inductor.config

        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision("highest")
        torch._inductor.config.freezing = True
        self.onnx, self.torch = onnx, torch

    def bind(self, inputs):
        from torch_model import Model

        self.inputs = tuple(self.torch.from_numpy(array) for array in inputs.values())
        with self.torch.no_grad():
            model = Model(self.onnx, inputs)
            self.names = model.outputs
            self.torch.compiler.reset()
            self.model = self.torch.compile(self.torch.export.export(model.eval(), self.inputs).module())

    def run(self):
        with self.torch.no_grad():
            return self.model(*self.inputs)

    def outputs(self):
        return {name: value.numpy() for name, value in zip(self.names, self.run())}


PEERS = {peer.package: peer for peer in (OnnxRuntime, OpenVino, PyTorch)}


def installed(names):
    """Classes by title; says which versions they are, and which are not installed."""
    found = {}
    for name in names:
        title = PEERS[name].title
        if importlib.util.find_spec(name):
            found[title] = PEERS[name]
            print(title, importlib.metadata.version(name))
        else:
            print(f"{title} is left out: the package {name} is not installed")
    return found
