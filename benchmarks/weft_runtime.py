# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiled models in this process, through the runtime's C API (runtime/include/weft/runtime.h).
import ctypes
import math

import numpy

TYPES = {"i1": (0, numpy.bool_), "i64": (4, numpy.int64), "ui8": (5, numpy.uint8), "f32": (11, numpy.float32)}
POINTER = ctypes.c_void_p


class Session:
    """A model (.weft) and a session of it with so many threads. `library` is libweft_runtime.so."""

    def __init__(self, library, path, threads):
        self.lib = ctypes.CDLL(str(library))
        for name, result in (("weft_status_message", ctypes.c_char_p), ("weft_model_input_name", ctypes.c_char_p),
                             ("weft_model_output_name", ctypes.c_char_p), ("weft_model_input_count", ctypes.c_size_t),
                             ("weft_model_output_count", ctypes.c_size_t), ("weft_tensor_data", POINTER),
                             ("weft_tensor_shape", ctypes.POINTER(ctypes.c_int64)),
                             ("weft_tensor_rank", ctypes.c_size_t), ("weft_tensor_dtype", ctypes.c_int),
                             ("weft_session_arena_bytes", ctypes.c_size_t), ("weft_model_load", POINTER),
                             ("weft_session_create", POINTER), ("weft_tensor_create", POINTER),
                             ("weft_session_run", POINTER), ("weft_session_rewind", POINTER)):  # fmt: skip
            getattr(self.lib, name).restype = result
        self.model, self.session, self.bound = POINTER(), POINTER(), ()
        self.check(self.lib.weft_model_load(str(path).encode(), ctypes.byref(self.model)))
        self.check(self.lib.weft_session_create(self.model, ctypes.c_size_t(threads), ctypes.byref(self.session)))
        self.inputs = [self.lib.weft_model_input_name(self.model, ctypes.c_size_t(i)).decode()
                       for i in range(self.lib.weft_model_input_count(self.model))]  # fmt: skip
        self.names = [self.lib.weft_model_output_name(self.model, ctypes.c_size_t(i)).decode()
                      for i in range(self.lib.weft_model_output_count(self.model))]  # fmt: skip

    def __del__(self):
        self.release(self.bound)
        self.lib.weft_session_release(self.session)
        self.lib.weft_model_release(self.model)

    def release(self, tensors):
        for tensor in tensors:
            self.lib.weft_tensor_release(POINTER(tensor))

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.weft_status_message(POINTER(status)).decode())

    def view(self, tensor):
        """The tensor's elements as an array, without a copy."""
        rank, dtype = self.lib.weft_tensor_rank(tensor), self.lib.weft_tensor_dtype(tensor)
        shape = tuple(self.lib.weft_tensor_shape(tensor)[:rank])
        element = next(kind for number, kind in TYPES.values() if number == dtype)
        count = math.prod(shape) * numpy.dtype(element).itemsize
        buffer = (ctypes.c_char * count).from_address(self.lib.weft_tensor_data(tensor))
        return numpy.frombuffer(buffer, element).reshape(shape)

    def bind(self, arrays):
        """Copies the inputs into tensors, once for many runs."""
        self.release(self.bound)
        self.bound = (POINTER * len(self.inputs))()
        for i, name in enumerate(self.inputs):
            array = arrays[name]
            dtype = next(number for number, kind in TYPES.values() if kind == array.dtype.type)
            tensor = POINTER()
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            self.check(self.lib.weft_tensor_create(dtype, ctypes.c_size_t(array.ndim), shape, ctypes.byref(tensor)))
            self.view(tensor)[...] = array
            self.bound[i] = tensor.value

    def run(self):
        self.release(self.results())

    def outputs(self):
        """Those of one run, copied, by name."""
        tensors = self.results()
        arrays = {name: self.view(POINTER(tensor)).copy() for name, tensor in zip(self.names, tensors)}
        self.release(tensors)
        return arrays

    def results(self):
        """The outputs of one run, as tensors to release."""
        tensors = (POINTER * len(self.names))()
        self.check(self.lib.weft_session_run(self.session, self.bound, tensors))
        return tensors

    def arena_bytes(self):
        return self.lib.weft_session_arena_bytes(self.session)


class KeptSession(Session):
    """One that keeps keys and values (weft compile --kv-capacity): each run comes behind the same prompt."""

    prompt = 0  # positions

    def remember(self, inputs, length):
        """Takes a prompt of that length in; bind and run are about what follows it."""
        self.prompt = 0
        self.bind(inputs)
        self.run()
        self.prompt = length

    def results(self):
        self.check(self.lib.weft_session_rewind(self.session, ctypes.c_int64(self.prompt)))
        return super().results()
