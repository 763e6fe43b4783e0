"""How the figures look: one style, and the same colour for a method everywhere."""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

LARGE = 350_000  # bytes of a PNG file

# Colours that people who do not see all of them can still tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, BLACK = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#222222")

# The palette of methods is that of the page: its colours on light.
PALETTE = Path(__file__).resolve().parents[2] / "web" / "src" / "colour.ts"


def read_palette(text: str) -> dict[str, str]:
    """The colours on light, by method, as colour.ts writes them."""
    table = re.search(r"METHOD_COLOURS[^=]*= \{(.*?)\n\};", text, re.DOTALL)
    return dict(re.findall(r'"([\w-]+)": \["(#[0-9A-Fa-f]{6})"', table[1])) if table else {}


# Those that only the experiments show, each unlike the methods it is shown with.
OWN = {
    "symplectic-euler": "#0b5f73",
    "symplectic-euler-a": "#56b4e9",
    "symplectic-euler-b": "#0b5f73",
    "bathe": "#a3241d",
    "bdf2": "#5b8c00",
    "gold": BLACK,
}
COLOURS = OWN | read_palette(PALETTE.read_text(encoding="utf-8"))

NAMES = {
    "avf": "AVF",
    "implicit-midpoint": "implicit midpoint",
    "newmark": "Newmark",
    "backward-euler": "backward Euler",
    "explicit-euler": "explicit Euler",
    "symplectic-euler": "symplectic Euler",
    "symplectic-euler-a": "symplectic Euler A",
    "symplectic-euler-b": "symplectic Euler B",
    "stoermer-verlet": "Störmer–Verlet",
    "bathe": "Bathe",
    "bdf2": "BDF2",
    "energy-momentum": "energy–momentum",
    "gold": "gold standard",
}

plt.rcParams.update({
    "figure.dpi": 100,
    "savefig.dpi": 130,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "regular",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "lilyan",
})


def label(method: str) -> str:
    return NAMES.get(method, method)


def begin(method: str) -> str:
    """The label as the first word of a sentence."""
    return label(method)[:1].upper() + label(method)[1:]


def colour(method: str) -> str:
    return COLOURS.get(method, BLACK)


def picture(axes, image, title: str = "") -> None:
    """A picture of a body, without axes."""
    axes.imshow(image, interpolation="lanczos")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if title:
        axes.set_title(title, fontsize=9)


def cut(image, width: int, height: int):
    """The part of a picture around its body, for bodies that travel through the whole of it."""
    body = np.argwhere(np.abs(image[..., :3] - image[0, 0, :3]).max(axis=2) > 0.05)
    middle = (body.min(axis=0) + body.max(axis=0)) // 2 if len(body) else np.array(image.shape[:2]) // 2
    half = np.array((height // 2, width // 2))
    padded = np.pad(image, ((half[0], half[0]), (half[1], half[1]), (0, 0)), mode="edge")
    return padded[middle[0]:middle[0] + height, middle[1]:middle[1] + width]


def save(figure, folder: Path) -> None:
    # Without the date, so that the same data give the same file.
    figure.savefig(folder / "figure.svg", metadata={"Date": None})
    figure.savefig(folder / "figure.png", metadata={"Software": None})
    plt.close(figure)
    if (folder / "figure.png").stat().st_size > LARGE:
        shrink(folder / "figure.png")


def shrink(file: Path) -> None:
    """A palette of 256 colours instead of all: those that pictures of bodies need most, and those of the curves."""
    image = Image.open(file).convert("RGB")
    curves = [255, 255, 255]
    for name in dict.fromkeys(c.lower() for c in (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, BLACK, *COLOURS.values())):
        dark = [int(name[i : i + 2], 16) for i in (1, 3, 5)]
        for share in (0, 0.25, 0.5, 0.75):  # towards white, for smooth edges
            curves += [round(value + share * (255 - value)) for value in dark]
    most = image.quantize(256 - len(curves) // 3, method=Image.Quantize.MEDIANCUT).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette((curves + most)[:768])
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
