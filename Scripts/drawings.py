"""Draws the pictures of the showcase: a dish, a room and a front for each restaurant, as small SVG files.

Shapes and colors follow from the restaurant's number alone: the same bytes every time.
"""

import random

WIDTH, HEIGHT = 800, 600
# background, table, accent, accent, light
PALETTES = [
    ("#f3d9b1", "#b5764a", "#4f8a5b", "#e2673f", "#fff4dd"), ("#cfe3e6", "#6d8b92", "#e98d5b", "#2d5d6b", "#ffffff"),
    ("#e9c8bf", "#8c4a3c", "#d8a13c", "#5b2b25", "#fbeee6"), ("#d7e4c5", "#76864f", "#c9553b", "#39512f", "#fbfbe8"),
    ("#e0d4ea", "#6f5a86", "#f0b04c", "#43315a", "#fff8ff"), ("#f6e0a8", "#a8722a", "#b23b2e", "#4a6a54", "#fffbe9"),
]


def circle(x, y, radius, color, extra=""):
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"{extra}/>'


def box(x, y, width, height, color, round_=0):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}"' + (f' rx="{round_}"' if round_ else "") + "/>"


def line(path, color, width):
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'


def dish(random, colors):
    """A plate or a bowl from above, with what is on it."""
    back, table, first, second, light = colors
    parts = [box(0, 0, WIDTH, HEIGHT, table)]
    for y in range(40, HEIGHT, 110):
        parts.append(line(f"M0 {y}Q400 {y + random.randrange(-14, 14)} 800 {y}", "#0000001a", 5))
    parts += [circle(412, 322, 232, "#0003"), circle(400, 305, 230, light), circle(400, 305, 172, back)]
    for _ in range(9):
        angle_x, angle_y = random.randrange(-105, 105), random.randrange(-105, 105)
        x, y = 400 + angle_x, 305 + angle_y
        color = random.choice([first, second, "#f2c14e", "#7aa95c"])
        if random.random() < 0.5:
            parts.append(circle(x, y, random.randrange(22, 52), color))
        else:
            parts.append(line(f"M{x - 50} {y}q50 {random.randrange(-60, 60)} 100 0", color, random.randrange(12, 22)))
    for _ in range(14):
        parts.append(circle(400 + random.randrange(-130, 130), 305 + random.randrange(-130, 130), 5, light))
    parts += [line("M705 130V470M680 130v90q25 40 50 0v-90", light, 12), line("M95 470V130q-30 60 0 150", light, 14)]
    return parts


def room(random, colors):
    """A room with a window, lamps and tables."""
    back, table, first, second, light = colors
    parts = [box(0, 0, WIDTH, 430, back), box(0, 430, WIDTH, 170, table)]
    parts += [box(90, 90, 250, 210, light, 8), box(110, 110, 100, 170, "#a9d3e8"), box(220, 110, 100, 170, "#bfe0ee")]
    parts.append(circle(260, 170, 26, "#fff6cc"))
    for x in (470, 620, 730):
        drop = random.randrange(90, 180)
        parts += [line(f"M{x} 0V{drop}", second, 5), f'<path d="M{x - 48} {drop + 48}q48-90 96 0z" fill="{first}"/>']
        parts.append(circle(x, drop + 52, 16, "#ffeaa0"))
    for x in (170, 430, 680):
        parts += [box(x - 12, 430, 24, 110, second), box(x - 95, 410, 190, 26, second, 12), circle(x, 392, 20, light)]
        parts.append(line(f"M{x} 392q{random.randrange(-20, 20)}-40 {random.randrange(-26, 26)}-62", first, 8))
        for side in (-140, 118):
            parts += [box(x + side, 400, 22, 150, first, 6), box(x + side, 470, 60 if side < 0 else 22, 16, first, 6)]
    return parts


def front(random, colors):
    """The house from the street: awning, door, windows, a tree."""
    back, table, first, second, light = colors
    parts = [box(0, 0, WIDTH, HEIGHT, "#bfdcec"), circle(660, 110, 54, "#fff1b8"), box(0, 500, WIDTH, 100, "#8d8a86")]
    parts += [box(110, 120, 560, 400, back), box(110, 96, 560, 36, second), box(340, 330, 110, 190, second, 6), circle(430, 430, 7, light)]
    for x in (150, 490):
        parts += [box(x, 330, 150, 120, light, 4), box(x + 10, 340, 130, 100, "#47616e")]
        parts.append(circle(x + random.randrange(40, 110), 400, 22, "#ffd98a"))
    for x in (160, 300, 440, 580):
        parts.append(box(x, 160, 60, 70, "#5d7783", 4))
    for number in range(8):
        color = first if number % 2 else light
        parts.append(f'<path d="M{110 + number * 70} 250h70v44a35 30 0 0 1-70 0z" fill="{color}"/>')
    parts += [box(714, 380, 18, 130, "#7a5a3c"), circle(723, 340, 62, "#5d8f55"), circle(690, 372, 40, "#6fa465")]
    parts += [box(60, 470, 70, 40, table, 6), circle(95, 450, 30, "#6fa465")]
    return parts


def drawings(number):
    """The three pictures of a restaurant, as SVG texts."""
    generator = random.Random(number)
    colors = PALETTES[number % len(PALETTES)]
    for draw in (dish, room, front):
        body = "\n".join(draw(generator, colors))
        yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">\n{body}\n</svg>\n'
