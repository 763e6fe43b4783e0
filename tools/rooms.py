#!/usr/bin/env python3
"""Draws docs/images/rooms.svg: the rooms of the library and the program, and which includes which.

The arrows are read off the #include lines. One that follows from two others is left out. With --check nothing is
written; it fails when the picture is not the one that would be.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/images/rooms.svg"
WIDTH, ROW, BOX_WIDTH, BOX_HEIGHT = 900, 84, 126, 34


def room_of(path):
    """"step" of lilyan/step/minimise.hpp, "app/run" of app/run/runner.hpp; none of headers in no room."""
    parts = path.split("/")
    if parts[0] == "app" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[1] if parts[0] == "lilyan" and len(parts) > 2 else None


def read_arrows():
    arrows = {}
    for root, prefix in (("src/lilyan", "src/"), ("app", "")):
        for file in sorted((ROOT / root).rglob("*.[hc]pp")):
            path = file.relative_to(ROOT).as_posix().removeprefix(prefix)
            room = room_of(path)
            if room is None:
                continue
            used = arrows.setdefault(room, set())
            for included in re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE):
                other = room_of(included)
                if other and other != room:
                    used.add(other)
    return arrows


def reachable(arrows, room, seen):
    for other in arrows.get(room, ()):
        if other not in seen:
            seen.add(other)
            reachable(arrows, other, seen)
    return seen


def reduce(arrows):
    return {
        room: {to for to in used if not any(to in reachable(arrows, via, set()) for via in used - {to})}
        for room, used in arrows.items()
    }


def levels_of(arrows):
    levels = {}

    def level(room):
        if room not in levels:
            levels[room] = 1 + max((level(to) for to in arrows.get(room, ())), default=-1)
        return levels[room]

    for room in arrows:
        level(room)
    return levels


def places(arrows):
    """The middle of each room's box. Rooms of a row stand near what they include."""
    levels = levels_of(arrows)
    top = max(levels.values())
    place = {}
    for level in range(top + 1):
        row = sorted(room for room in levels if levels[room] == level)
        wish = {
            room: sum(place[to][0] for to in arrows[room]) / len(arrows[room]) if arrows[room] else WIDTH / 2
            for room in row
        }
        row.sort(key=lambda room: (wish[room], room))
        for k, room in enumerate(row):
            place[room] = (WIDTH * (k + 0.5) / len(row), ROW * (top - level + 0.5))
    return place, ROW * (top + 1)


def draw():
    arrows = reduce(read_arrows())
    place, height = places(arrows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="14" role="img" aria-label="Rooms of Lilyan and which includes which">',
        "<style>.box{fill:#eef3fb;stroke:#37547d}.app{fill:#fdf3e4;stroke:#8a5a12}.arrow{fill:none;stroke:#7c8797}"
        "text{fill:#14202f;text-anchor:middle}.tip{fill:#7c8797}"
        "@media(prefers-color-scheme:dark){.box{fill:#1d2b40;stroke:#8fb0dd}.app{fill:#3a2c15;stroke:#e0b266}"
        "text{fill:#e8eef7}.arrow{stroke:#8c97a7}.tip{fill:#8c97a7}}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for room in sorted(arrows):
        x, y = place[room]
        for other in sorted(arrows[room]):
            to_x, to_y = place[other]
            begin, end = y + BOX_HEIGHT / 2, to_y - BOX_HEIGHT / 2
            bend = (end - begin) / 2
            lines.append(
                f'<path class="arrow" marker-end="url(#tip)" d="M{x:.0f} {begin:.0f}C{x:.0f} {begin + bend:.0f} '
                f'{to_x:.0f} {end - bend:.0f} {to_x:.0f} {end:.0f}"/>'
            )
    for room in sorted(arrows):
        x, y = place[room]
        kind = "app" if room.startswith("app/") else "box"
        lines.append(
            f'<rect class="{kind}" x="{x - BOX_WIDTH / 2:.0f}" y="{y - BOX_HEIGHT / 2:.0f}" width="{BOX_WIDTH}" '
            f'height="{BOX_HEIGHT}" rx="6"/><text x="{x:.0f}" y="{y:.0f}" dy=".35em">{room}</text>'
        )
    return "\n".join(lines) + "\n</svg>\n"


def main():
    picture = draw()
    if "--check" in sys.argv[1:]:
        if not PICTURE.exists() or PICTURE.read_text() != picture:
            sys.exit("docs/images/rooms.svg is not the picture of the include lines: run tools/rooms.py")
        return
    PICTURE.write_text(picture)


if __name__ == "__main__":
    main()
