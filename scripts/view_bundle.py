#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundle the page of `tracelathe view` into C source.

  view_bundle.py WEB OUTPUT.c

WEB has page.html, page.css and modules (*.js). The modules become one script: main.js behind everything that it imports,
directly or not, each a function that returns what it exports. What may run is told by checksum (the page's content
security policy). OUTPUT.c is only touched when it changes.
"""
import base64
import hashlib
import os
import re
import sys

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([a-z-]+)\.js';\n", re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) ([A-Za-z_$][\w$]*))", re.M)
POLICY = "default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'"
SERVED = "; connect-src 'self'; frame-ancestors 'none'"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def order(web, name, done, open_):
    """The modules that `name` needs, then itself."""
    if name in open_:
        sys.exit("view_bundle: %s.js imports itself by way of %s" % (name, ", ".join(open_)))
    if name not in done:
        for _, other in IMPORT.findall(read(web, name + ".js")):
            order(web, other, done, open_ + [name])
        done.append(name)
    return done


def variable(name):
    return "module_" + name.replace("-", "_")


def module(web, name):
    """A function that is run once: its names are its own, what it exports is what it returns."""
    text = read(web, name + ".js")
    body = EXPORT.sub("", IMPORT.sub(lambda m: "const {%s} = %s;\n" % (m[1].replace(" as ", ": "), variable(m[2])), text)).strip()
    if re.search(r"^(import|export)\b", body, re.M):
        sys.exit("view_bundle: %s.js: an import or export of another form" % name)
    return "const %s = (() => {\n%s\nreturn { %s };\n})();\n" % (variable(name), body, ", ".join(EXPORT.findall(text)))


def script(web):
    names = order(web, "main", [], [])
    left = {name for name in os.listdir(web) if name.endswith(".js")} - {name + ".js" for name in names}
    if left:
        sys.exit("view_bundle: nothing imports " + ", ".join(sorted(left)))
    return "'use strict';\n(() => {\n" + "\n".join(module(web, name) for name in names) + "})();\n"


def checksum(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(web):
    code, style = script(web), read(web, "page.css")
    for text, end in ((code, "</script"), (code, "<!--"), (style, "</style")):
        if end in text:
            sys.exit("view_bundle: %s cannot stand inside the page" % end)
    html = read(web, "page.html").replace("@STYLE@", style).replace("@SCRIPT@", code)
    meta, rest = html.split("@POLICY@")
    before, after = rest.split("@DATA@")
    return meta, before, after, POLICY % (checksum(code), checksum(style))


def source(web):
    meta, before, after, policy = page(web)
    data = (meta + before + after).encode()
    rows = [",".join(str(byte) for byte in data[i:i + 32]) for i in range(0, len(data), 32)]
    return """/* Made by scripts/view_bundle.py. */
#include "view/web/page.h"

static const unsigned char text[] = {
%s
};

const struct tl_web_page tl_web_page = {
	(const char *)text, sizeof(text), %d, %d,
	"%s",
	"%s",
};
""" % (",\n".join(rows), len(meta.encode()), len((meta + before).encode()), policy + SERVED, policy)


def main(web, output):
    text = source(web)
    if os.path.exists(output) and read(output) == text:
        return
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
