#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/: each function below draws one.

  pictures.py          write docs/pictures/*.svg
  pictures.py --check  exit with 1 where a file there is not what this program draws
"""
import html
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "pictures")
INK, GREY, LINE = "#1f2933", "#5b6770", "#9aa5b1"
# fill and border of what belongs together
STONE, GREEN, ORANGE, BLUE, VIOLET = (("#eef1f4", "#9aa5b1"), ("#e3f4ea", "#4aa36c"), ("#fdeeda", "#d98f2b"),
                                      ("#e2eefb", "#4a86c5"), ("#eee7fa", "#8663c4"))
SANS, MONO = "Helvetica, Arial, 'DejaVu Sans', sans-serif", "'DejaVu Sans Mono', Menlo, Consolas, monospace"


class Picture:
    def __init__(self, width, height, title):
        self.parts = []
        self.head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n'
                     "<title>%s</title>\n" % (width, height, width, height, html.escape(title)))
        self.parts.append('<rect width="%d" height="%d" rx="12" fill="#ffffff"/>' % (width, height))
        for name, colour, size in (("arrow", GREY, 7), ("path", ORANGE[1], 5)):
            self.parts.append('<marker id="%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="%d" markerHeight="%d" '
                              'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="%s"/></marker>'
                              % (name, size, size, colour))

    def box(self, x, y, width, height, colours, radius=8, dashed=False):
        self.parts.append('<rect x="%g" y="%g" width="%g" height="%g" rx="%g" fill="%s" stroke="%s" stroke-width="1.4"%s/>'
                          % (x, y, width, height, radius, *colours, ' stroke-dasharray="5 4"' if dashed else ""))

    def text(self, x, y, text, size=14, colour=INK, anchor="start", bold=False, mono=False):
        self.parts.append('<text x="%g" y="%g" font-family="%s" font-size="%g" fill="%s" text-anchor="%s"%s '
                          'xml:space="preserve">%s</text>'
                          % (x, y, MONO if mono else SANS, size, colour, anchor, ' font-weight="bold"' if bold else "",
                             html.escape(text)))

    def labelled(self, x, y, width, height, colours, title, lines=(), mono=False, size=12):
        self.box(x, y, width, height, colours)
        top = y + height / 2 - 9 * len(lines) + 5
        self.text(x + width / 2, top, title, 15, anchor="middle", bold=True, mono=mono)
        for number, line in enumerate(lines, 1):
            self.text(x + width / 2, top + 2 + 17 * number, line, size, GREY, "middle")

    def arrow(self, *points, on_path=False, curve=None):
        if curve:
            way = "M%g %gC%g %g %g %g %g %g" % (*points[0], *curve[0], *curve[1], *points[1])
        else:
            way = "M" + "L".join("%g %g" % point for point in points)
        self.parts.append('<path d="%s" fill="none" stroke="%s" stroke-width="%s" marker-end="url(#%s)"/>'
                          % (way, ORANGE[1] if on_path else GREY, "2.6" if on_path else "1.5",
                             "path" if on_path else "arrow"))

    def written(self):
        return self.head + "\n".join(self.parts) + "\n</svg>\n"


def rooms():
    """The way of the data from left to right; a room includes rooms on lower floors only."""
    p = Picture(1000, 500, "The rooms of tracelathe and the way of the data through them")
    p.text(40, 40, "The rooms of src/, and the way of the data through them", 18, bold=True)
    p.text(40, 62, "Small numbers are floors: a room includes rooms on lower floors only.", 13, GREY)

    def room(x, y, width, height, colours, name, floor, *lines):
        p.labelled(x, y, width, height, colours, name, lines)
        p.text(x + width - 9, y + 17, str(floor), 11, colours[1], "end", bold=True)

    room(130, 82, 740, 44, VIOLET, "cli", 5, "one option table, one file per command; sees public headers only")
    room(130, 136, 740, 44, VIOLET, "open", 4, "which format is this file? one row per format, one table of operations")
    p.labelled(24, 200, 82, 190, STONE, "file", ["a trace", "or a profile"])
    room(130, 200, 136, 190, BLUE, "core", 0, "source: bytes,", "mapped, piped,", "decompressed;", "cursor: the one",
         "reader of them")
    for row, (name, floor, line) in enumerate((("xray", 2, "FDR logs"), ("intel_pt", 2, "packets"),
                                               ("perf_data", 3, "with intel_pt"), ("xtrace", 2, "tokens"),
                                               ("callgrind", 2, "lines, arcs"))):
        room(296, 200 + 39 * row, 206, 34, ORANGE, "", floor)
        p.text(308, 222 + 39 * row, name, 14, bold=True)
        p.text(396, 222 + 39 * row, line, 12, GREY)
    room(532, 200, 150, 118, GREEN, "profile", 1, "contexts, lines,", "arcs; the fold;", "merge, difference")
    room(532, 332, 150, 58, GREEN, "timeline", 1, "calls over time")
    room(720, 200, 150, 88, BLUE, "report", 3, "tables, trees,", "annotated source")
    room(720, 302, 150, 88, BLUE, "export", 3, "one file per", "output format")
    p.labelled(900, 200, 76, 190, STONE, "output", ["terminal,", "file,", "page"])
    for start, end, y in ((106, 130, 295), (266, 296, 295), (502, 532, 259), (502, 532, 342), (682, 720, 244),
                          (870, 900, 244), (870, 900, 346)):
        p.arrow((start, y), (end - 2, y), on_path=True)
    p.arrow((682, 290), (701, 290), (701, 330), (718, 330), on_path=True)
    p.arrow((682, 361), (718, 361), on_path=True)
    room(296, 424, 86, 52, GREEN, "isa", 1, "instructions")
    room(390, 424, 112, 52, GREEN, "symbols", 1, "ELF, DWARF")
    p.arrow((339, 424), (339, 394))
    p.arrow((446, 424), (446, 394))
    p.text(532, 446, "isa and symbols say what stands at an address: formats and report", 12, GREY)
    p.text(532, 463, "ask them for instructions, names and lines.", 12, GREY)
    return p


def intel_pt():
    """Packets, what they say of the flow, the blocks they lead along, and the contexts that result."""
    p = Picture(1000, 560, "From an Intel PT packet to a profile")
    p.text(40, 40, "From a packet to a profile", 18, bold=True)
    p.text(40, 62, "Thick arrows: the way this trace takes. main calls f, then g through a pointer; g loops once.", 13, GREY)
    for x, width, title, folder in ((40, 170, "packets", "intel_pt/packets/"), (250, 170, "flow", "intel_pt/flow/"),
                                    (460, 300, "graph of blocks", "intel_pt/blocks/"),
                                    (800, 160, "profile", "intel_pt/profile/")):
        p.text(x, 98, title, 15, bold=True)
        p.text(x, 116, folder, 11, GREY, mono=True)

    def packet(y, height, name, value):
        p.box(40, y, 170, height, BLUE, 6)
        p.text(52, y + height / 2 + 5, name, 13, bold=True, mono=True)
        p.text(200, y + height / 2 + 5, value, 12, GREY, "end", mono=True)

    def item(y, text, value=""):
        p.box(250, y, 170, 34, GREEN, 6)
        p.text(262, y + 22, text, 12)
        p.text(410, y + 22, value, 12, GREY, "end", mono=True)

    packet(136, 34, "TIP.PGE", "401000")
    packet(184, 76, "TNT", "T T")
    packet(274, 34, "TIP", "401200")
    packet(322, 118, "TNT", "T N T")
    for y, text, value in ((136, "enabled at", "401000"), (184, "taken", ""), (226, "taken (a return)", ""),
                           (274, "target", "401200"), (322, "taken", ""), (364, "not taken", ""),
                           (406, "taken (a return)", "")):
        item(y, text, value)
        p.arrow((210, y + 17), (248, y + 17))

    def node(x, y, address, *code, stub=False):
        height = 24 + 16 * len(code)
        p.box(x, y, 132, height, STONE if stub else ORANGE, 6, dashed=stub)
        p.text(x + 10, y + 17, address, 12, bold=True, mono=True)
        for number, line in enumerate(code, 1):
            p.text(x + 10, y + 17 + 16 * number, line, 12, GREY, mono=True)

    p.box(440, 124, 340, 336, ("#fafbfc", "#e4e8ec"), 10)
    node(460, 136, "401000", "call f", "f: test, jz")
    node(628, 136, "401104", "not visited", stub=True)
    node(460, 234, "401120", "f: ret")
    node(460, 316, "401005", "call *rax")
    node(628, 316, "401200", "g: dec, jnz")
    node(628, 406, "401204", "g: ret")
    node(460, 406, "401007", "main goes on", stub=True)
    p.arrow((420, 153), (458, 153), on_path=True)
    p.arrow((592, 164), (626, 164))
    p.text(609, 156, "N", 12, GREY, "middle", bold=True)
    for x, y, end, label in ((526, 192, 232, "T"), (526, 274, 314, "T, to its caller"), (694, 356, 404, "N")):
        p.arrow((x, y), (x, end), on_path=True)
        p.text(x + 8, (y + end) / 2 + 4, label, 12, ORANGE[1], bold=True)
    p.arrow((592, 336), (626, 336), on_path=True)
    p.text(609, 326, "TIP", 11, ORANGE[1], "middle", bold=True)
    p.arrow((722, 316), (744, 316), curve=((722, 278), (790, 278)), on_path=True)
    p.text(764, 288, "T", 12, ORANGE[1], bold=True)
    p.arrow((628, 426), (594, 426), on_path=True)
    p.text(611, 417, "T", 12, ORANGE[1], "middle", bold=True)

    for x, y, name, own, inclusive in ((800, 136, "main", 2, 10), (822, 208, "f", 3, 3), (822, 280, "g", 5, 5)):
        p.box(x, y, 960 - x, 56, VIOLET, 6)
        p.text(x + 12, y + 23, name, 14, bold=True, mono=True)
        p.text(x + 12, y + 43, "Ir: self %d, inclusive %d" % (own, inclusive), 11, GREY)
    p.arrow((811, 192), (811, 236), (820, 236))
    p.arrow((811, 192), (811, 308), (820, 308))
    p.arrow((780, 164), (798, 164))
    for row, (x, text) in enumerate(((40, "bytes that say how branches ended"), (250, "one item at a time, with its time"))):
        p.text(x, 478, text, 11, GREY)
    p.text(460, 478, "code is decoded once; an outcome is one step", 11, GREY)
    p.text(800, 368, "a visit of a block adds its", 11, GREY)
    p.text(800, 384, "instructions; calls and", 11, GREY)
    p.text(800, 400, "returns move the stack", 11, GREY)
    p.text(40, 520, "A direct call and a direct jump leave no packet: their block simply goes on at the target. A return of a call that", 12, GREY)
    p.text(40, 538, "the trace has shown is one taken bit, since the decoder remembers where it leads.", 12, GREY)
    return p


def contexts():
    """What derive makes of contexts."""
    p = Picture(1000, 470, "From calling contexts to cost lines and call arcs")
    p.text(40, 40, "From contexts to lines and arcs", 18, bold=True)
    p.text(40, 62, "A trace gives contexts; the sums on the right are derived from them, never stored twice.", 13, GREY)
    p.text(40, 102, "calling-context tree", 15, bold=True)
    p.text(210, 102, "self cost, inclusive cost", 12, GREY)

    def context(x, y, name, own, inclusive, colours=GREEN):
        p.box(x, y, 150, 54, colours)
        p.text(x + 14, y + 23, name, 14, bold=True, mono=True)
        p.text(x + 14, y + 42, "self %d" % own, 12, GREY)
        p.text(x + 136, y + 42, "incl. %d" % inclusive, 12, GREY, "end")

    context(140, 124, "main", 10, 80)
    context(40, 224, "parse", 20, 50)
    context(240, 224, "print", 5, 20)
    context(40, 324, "read", 30, 30, ORANGE)
    context(240, 324, "read", 15, 15, ORANGE)
    p.arrow((190, 178), (120, 222))
    p.arrow((240, 178), (310, 222))
    p.arrow((115, 278), (115, 322))
    p.arrow((315, 278), (315, 322))
    p.text(40, 412, "read is one function in two contexts:", 12, GREY)
    p.text(40, 430, "which caller caused which cost is known here", 12, GREY)

    p.arrow((420, 250), (508, 250), on_path=True)
    p.text(464, 238, "derive", 13, ORANGE[1], "middle", bold=True)

    def table(x, y, title, note, heads, rows, places):
        p.text(x, y, title, 15, bold=True)
        p.text(x + 90, y, note, 12, GREY)
        p.box(x, y + 12, 430, 30 + 24 * len(rows), STONE)
        for place, head in zip(places, heads):
            p.text(x + place, y + 31, head, 11, GREY, "start" if place == places[0] else "end")
        for number, row in enumerate(rows):
            for place, cell in zip(places, row):
                p.text(x + place, y + 53 + 24 * number, cell, 13, ORANGE[1] if row[0].endswith("read") else INK,
                       "start" if place == places[0] else "end", mono=True, bold=row[0].endswith("read"))

    table(530, 102, "cost lines", "one per function, file and line", ("function", "line", "self", "inclusive"),
          (("main", "a.c:3", "10", "80"), ("parse", "a.c:20", "20", "50"), ("print", "a.c:41", "5", "20"),
           ("read", "io.c:7", "45", "45")), (16, 220, 300, 410))
    table(530, 274, "call arcs", "one per caller and callee", ("arc", "calls", "inclusive"),
          (("main → parse", "1", "50"), ("main → print", "1", "20"), ("parse → read", "1", "30"),
           ("print → read", "1", "15")), (16, 300, 410))
    p.text(530, 440, "A Callgrind file holds these sums only; contexts cannot be had back from", 12, GREY)
    p.text(530, 458, "them, only estimated.", 12, GREY)
    return p


PICTURES = {"rooms.svg": rooms, "intel-pt.svg": intel_pt, "contexts.svg": contexts}


def main(check):
    stale = []
    for name, draw in PICTURES.items():
        path, drawn = os.path.join(FOLDER, name), draw().written()
        if check:
            with open(path, encoding="utf-8") as file:
                if file.read() != drawn:
                    stale.append(name)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
    for name in stale:
        print("docs/pictures/%s: scripts/pictures.py draws another one" % name)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
