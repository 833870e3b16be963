"""Where an object is, in eight numbers.

    x_min, y_min, x_max, y_max, x_centre, y_centre   in −1..1, from the lower left corner of the image
    w, h                                             in 0..2

Boxes are counted from the upper left corner, so y is turned: y_min is the lower edge. (de Vries et al. 2017, §5.1.)
"""

import numpy as np
import numpy.typing as npt

__all__ = ["FEATURES", "spatial"]

FEATURES = 8


def spatial(boxes: npt.ArrayLike, widths: npt.ArrayLike, heights: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """float32[n, 8] from boxes [n, 4] as x, y, w, h in pixels and the sizes of their images."""
    box = np.asarray(boxes, np.float64).reshape(-1, 4)
    across, down = np.asarray(widths, np.float64), np.asarray(heights, np.float64)
    w, h = 2 * box[:, 2] / across, 2 * box[:, 3] / down
    x_min, y_max = 2 * box[:, 0] / across - 1, 1 - 2 * box[:, 1] / down
    x_max, y_min = x_min + w, y_max - h
    made = np.stack([x_min, y_min, x_max, y_max, x_min + w / 2, y_min + h / 2, w, h], axis=1)
    return made.astype(np.float32)
