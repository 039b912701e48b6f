#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundle the page of `tracelathe flame` into C source.

  web_bundle.py WEB OUTPUT.c

WEB has page.html, page.css and page.js of our own, and node_modules as `npm ci` leaves it. The parts of others go in as
their authors ship them (one plain script each, in the order in which they need one another), with their licences.
Without them OUTPUT.c holds an empty page, and the build says so. OUTPUT.c is only touched when it changes.
"""
import html
import json
import os
import sys

# Each finds those before it in the global `d3`.
SCRIPTS = [
    ("d3-array", "dist/d3-array.min.js"),
    ("d3-color", "dist/d3-color.min.js"),
    ("d3-dispatch", "dist/d3-dispatch.min.js"),
    ("d3-ease", "dist/d3-ease.min.js"),
    ("d3-format", "dist/d3-format.min.js"),
    ("d3-hierarchy", "dist/d3-hierarchy.min.js"),
    ("d3-interpolate", "dist/d3-interpolate.min.js"),
    ("d3-selection", "dist/d3-selection.min.js"),
    ("d3-time", "dist/d3-time.min.js"),
    ("d3-time-format", "dist/d3-time-format.min.js"),
    ("d3-timer", "dist/d3-timer.min.js"),
    ("d3-scale", "dist/d3-scale.min.js"),
    ("d3-transition", "dist/d3-transition.min.js"),
    ("d3-flame-graph", "dist/d3-flamegraph.umd.min.js"),
]
# Part of d3-array's script.
INSIDE = ["internmap"]
PLACES = ["@TITLE@", "@DATA@"]


class Missing(Exception):
    """What is not there."""


def read(*path):
    try:
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Missing(error.filename) from error


def scripts(modules):
    return "\n".join(read(modules, name, path).strip() for name, path in SCRIPTS)


def licences(modules):
    texts = []
    for name in [name for name, _ in SCRIPTS] + INSIDE:
        package = json.loads(read(modules, name, "package.json"))
        texts.append("%s %s (%s)\n\n%s" % (name, package["version"], package["license"],
                                           read(modules, name, "LICENSE").strip()))
    return ("\n\n" + "-" * 78 + "\n\n").join(sorted(texts))


def inside_script(text):
    """HTML, "script data state": only these two begin anything inside a script element."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def page(web):
    modules = os.path.join(web, "node_modules")
    text = read(web, "page.html")
    for place, content in (("@STYLE@", read(web, "page.css").strip()),
                           ("@LICENCES@", html.escape(licences(modules))),
                           ("@PARTS@", inside_script(scripts(modules))),
                           ("@SCRIPT@", inside_script(read(web, "page.js").strip()))):
        before, found, after = text.partition(place)
        if not found:
            raise SystemExit("web_bundle: page.html has no %s" % place)
        text = before + content + after
    pieces = []
    for place in PLACES:
        before, found, text = text.partition(place)
        if not found:
            raise SystemExit("web_bundle: page.html has no %s" % place)
        pieces.append(before)
    return pieces + [text]


def array(number, text):
    data = text.encode()
    lines = [",".join(str(byte) for byte in data[i:i + 32]) for i in range(0, len(data), 32)]
    return "static const char piece%d[] = {\n%s\n};\n" % (number, ",\n".join(lines))


def source(pieces):
    head = "/* Made by scripts/web_bundle.py. */\n#include \"export/flame/flame.h\"\n\n"
    if not pieces:
        return head + "const struct tl_flame_page_section tl_flame_page_sections[3] = { { 0 } };\n"
    # Bytes from 128 on are negative where char is signed.
    arrays = "\n".join(array(i, piece) for i, piece in enumerate(pieces)).replace("static const char", "static const unsigned char")
    rows = ",\n".join("\t{ (const char *)piece%d, sizeof(piece%d) }" % (i, i) for i in range(len(pieces)))
    return head + arrays + "\nconst struct tl_flame_page_section tl_flame_page_sections[3] = {\n%s,\n};\n" % rows


def main(web, output):
    try:
        pieces = page(web)
    except Missing as missing:
        print("flame: no %s (`make deps` gets it, if there is npm): `tracelathe flame` will write --svg only" % missing)
        pieces = None
    text = source(pieces)
    if os.path.exists(output) and read(output) == text:
        return
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
