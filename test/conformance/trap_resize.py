# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Resize and Upsample beyond ONNX's node tests: element types, old opsets, sizes that a model computes.
import numpy
from one_node import f32, i64, normal, one_node, text_model


def sample(x, axis, size, coordinate, cubic=None):
    """Linear interpolation, or by Keys' kernel, of one axis; places outside are those at the edge."""
    length = x.shape[axis]
    at = coordinate(numpy.arange(size), length, size)
    base = numpy.floor(at).astype(int)
    result = 0
    for i in (0, 1) if cubic is None else (-1, 0, 1, 2):
        d = abs(base + i - at)
        near, far = 1 - d, 0
        if cubic is not None:
            near, far = ((cubic + 2) * d - (cubic + 3)) * d * d + 1, ((cubic * d - 5 * cubic) * d + 8 * cubic) * d - 4 * cubic
        weights = numpy.where(d < 1, near, far).reshape([-1] + [1] * (x.ndim - axis - 1))
        result = result + x.take(numpy.clip(base + i, 0, length - 1), axis).astype(numpy.float64) * weights
    return result.astype(x.dtype)


def half_pixel(place, length, size):
    return (place + 0.5) * length / size - 0.5


def corners(place, length, size):
    return place * (length - 1) / max(size - 1, 1)


def repeated():
    """Elements that are only moved may be of any type."""
    for dtype in (numpy.uint8, numpy.int32, numpy.int64, numpy.float16, numpy.float64, bool):
        x = numpy.arange(12).reshape(1, 2, 2, 3).astype(dtype)
        expected = x.repeat(2, 2).repeat(3, 3)
        yield one_node(f"Upsample of {x.dtype}", [x, f32(1, 1, 2, 3)], expected, opset=9)
        yield one_node(f"Resize of {x.dtype} by scales", [x, f32(1, 1, 2, 3)], expected, opset=10)
        yield one_node(f"Resize of {x.dtype} to sizes", [x, None, None, i64(1, 2, 4, 9)], expected, coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = normal(1, 1, 10)
    yield one_node("Resize by 0 7", [x, None, f32(1, 1, 0.7)], x[:, :, [0, 1, 2, 4, 5, 7, 8]], coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield one_node("Resize to nothing", [x, None, None, i64(1, 1, 0)], x[:, :, :0])


def between():
    """Linear and cubic, up and down, along two axes, in 16 and 64 bits."""
    for dtype in (numpy.float16, numpy.float32, numpy.float64):
        x = normal(2, 3, 5, 4).astype(dtype)
        for mode, cubic in (("linear", None), ("cubic", -0.75)):
            for name, coordinate in (("half_pixel", half_pixel), ("align_corners", corners)):
                for size in ((8, 7), (3, 2), (1, 9)):
                    if dtype == numpy.float16 and mode == "cubic":
                        continue  # which rounds in between here and there
                    expected = sample(sample(x.astype(numpy.float32 if dtype == numpy.float16 else dtype), 2, size[0], coordinate, cubic), 3, size[1], coordinate, cubic)
                    yield one_node(f"Resize {x.dtype} {mode} {name} {size}", [x, None, None, i64(2, 3, *size)], expected.astype(dtype),
                                   mode=mode, coordinate_transformation_mode=name)  # fmt: skip


def even():
    """Corners by scales that only a run knows, of an image whose sides are even: whether half of them is whole is not asked."""
    x = normal(2, 2, 4, 4)
    yield one_node("Resize corners by scales", [x, None, f32(1, 1, 0.5, 0.5)], x[:, :, ::3, ::3], mode="linear", coordinate_transformation_mode="align_corners")


def computed():
    """Sizes as exporters write them, of shapes; batches and channels may not change then."""
    x, like = normal(2, 3, 4, 5), normal(1, 1, 7, 6)
    sizes = "two = Constant <value_ints: ints = [2]> () zero = Constant <value_ints: ints = [0]> () four = Constant <value_ints: ints = [4]> ()"
    sizes += " shape = Shape (x0) front = Slice (shape, zero, two) other = Shape (x1) back = Slice (other, two, four) size = Concat <axis: int = 0> (front, back)"
    resize = 'y0 = Resize <mode = "linear", coordinate_transformation_mode = "half_pixel"> (x0, , , size)'
    expected = sample(sample(x, 2, 7, half_pixel), 3, 6, half_pixel)
    yield text_model("Resize to another shape", f"{sizes} {resize}", [x, like], [expected])
    rows = normal(2, 5)
    yield one_node("Resize of more rows", [rows, None, None, i64(3, 5)], rows[[0, 1, 1]], opset=19, coordinate_transformation_mode="asymmetric", nearest_mode="ceil")
    yield one_node("Resize by both", [x, None, f32(1, 1, 2, 2), i64(2, 3, 8, 10)], None)
    yield one_node("Resize by neither", [x], None)
    yield one_node("Resize to less than nothing", [x, None, None, i64(2, 3, -1, 5)], None)


FAMILIES = [repeated, between, even, computed]
