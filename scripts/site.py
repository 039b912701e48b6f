#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents as a site: `site.py BUILD DIRECTORY` writes every Markdown document of the tree, the manual pages of the build
directory BUILD, and the reference of include/ (if doxygen is here) as HTML pages below DIRECTORY, with pandoc.

A page stands where its document stands in the tree. A link to a document leads to its page, one to a picture to a copy of it;
one to a source file becomes its name alone, as sources are not part of the site. A link that leads nowhere is an error.
Nothing is loaded from elsewhere. Exit status: 0 written, 1 a link leads nowhere, 77 there is no pandoc.
"""
import glob
import html
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The menu: a heading, and the documents below it in this order; what is nowhere here is reached by links.
MENU = [
    ("tracelathe", ["README.md", "docs/install.md", "CHANGELOG.md"]),
    ("Use", ["docs/query.md", "docs/analyze.md", "docs/coverage.md", "docs/xtrace-slices.md", "docs/fleet.md", "docs/libipt.md",
             "bindings/python/README.md", "docs/schema/README.md", "docs/compared.md"]),
    ("Formats", sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs/formats/*.md")))),
    ("Inside", ["docs/tour.md", "docs/glossary.md", "docs/design.md", "docs/performance.md", "docs/testing.md", "docs/abi.md", "docs/c-api.md",
                "docs/dependencies.md", "CONTRIBUTING.md", "SECURITY.md"]),
]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
PICTURES = (".svg", ".png")
STYLE = """:root{color-scheme:light dark;--line:#8884;--link:light-dark(#0b57a4,#8ab4f8)}
body{margin:0;font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:16rem minmax(0,1fr)}
nav{padding:1.2rem;border-right:1px solid var(--line);font-size:.9rem;position:sticky;top:0;height:100vh;overflow:auto;box-sizing:border-box}
nav b{display:block;margin-top:1rem}nav a{display:block;padding:.1rem 0}nav a[aria-current]{font-weight:bold}
main{padding:1rem 2rem 4rem;max-width:60rem}a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
pre,code{font:.86em/1.45 ui-monospace,monospace}pre{overflow-x:auto;padding:.8rem;border:1px solid var(--line);border-radius:4px}
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.25rem .6rem;vertical-align:top;text-align:left}img{max-width:100%}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}"""


def documents():
    """Every Markdown document that is kept with the sources."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if not listed.returncode:
        return [name for name in listed.stdout.decode().split("\0") if name and os.path.isfile(os.path.join(ROOT, name))]
    return [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "**/*.md"), recursive=True)
            if not re.match(r"(build|web/node_modules)", os.path.relpath(path, ROOT))]


def page_of(document):
    """README.md is the page of its folder."""
    return re.sub(r"(^|/)README\.html$", r"\1index.html", re.sub(r"\.(md|1)$", ".html", document))


class Site:
    def __init__(self, directory):
        self.directory, self.documents, self.broken = directory, set(documents()), []

    def target(self, document, link, text, is_picture):
        """What stands for a link of a document."""
        path, _, place = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return None
        named = os.path.normpath(os.path.join(os.path.dirname(document), path))
        whole = os.path.join(ROOT, named)
        if os.path.isdir(whole):
            named = os.path.normpath(os.path.join(named, "README.md"))
        if named in self.documents:
            there = os.path.relpath(page_of(named), os.path.dirname(document) or ".")
            return "[%s](%s%s)" % (text, there, "#" + place if place else "")
        if not os.path.exists(whole):
            self.broken.append("%s: %s" % (document, link))
        elif is_picture or path.endswith(PICTURES):
            copy = os.path.join(self.directory, named)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(whole, copy)
            return None
        return text

    def links(self, document, text):
        def replace(match):
            with_target = self.target(document, match[3], match[2], bool(match[1]))
            return match[0] if with_target is None else with_target
        # Code is left as it is.
        parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.M | re.S)
        joined = "".join(part if part.startswith("```") else "\0%d\0" % i if part.startswith("`") else part
                         for i, part in enumerate(parts))
        return re.sub("\0(\\d+)\0", lambda m: parts[int(m[1])], LINK.sub(replace, joined))

    def menu(self, page, manuals):
        def entry(to, title):
            mark = ' aria-current="page"' if to == page else ""
            return '<a href="%s"%s>%s</a>' % (os.path.relpath(to, os.path.dirname(page) or "."), mark, html.escape(title))
        rows = []
        for heading, names in MENU:
            rows.append("<b>%s</b>" % heading)
            rows += [entry(page_of(name), self.title(name).split(":")[0]) for name in names]
        rows.append("<b>Manual pages</b>")
        rows += [entry(name, os.path.basename(name)[:-5]) for name in manuals]
        if os.path.exists(os.path.join(self.directory, "reference/html/index.html")):
            rows += ["<b>Library</b>", entry("reference/html/index.html", "Reference of the headers")]
        return "\n".join(rows)

    @staticmethod
    def title(document):
        with open(os.path.join(ROOT, document), encoding="utf-8") as file:
            found = re.search(r"^# (.*)", file.read(), re.M)
        return found[1].replace("`", "") if found else document

    def write(self, page, title, text, form, manuals):
        body = subprocess.run(["pandoc", "-f", form, "-t", "html5", "--syntax-highlighting=none" if new_pandoc() else "--no-highlight"],
                              input=text, check=True, stdout=subprocess.PIPE, text=True).stdout
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        whole = os.path.join(self.directory, page)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>%s</title>\n'
                       '<meta name="viewport" content="width=device-width"><style>%s</style></head>\n<body><nav>\n%s\n</nav><main>\n%s'
                       "</main></body></html>\n" % (html.escape(title), STYLE, self.menu(page, manuals), body))


def new_pandoc():
    """Since pandoc 3.8 the option against colours has another name."""
    version = subprocess.run(["pandoc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    return tuple(map(int, version.split(".")[:2])) >= (3, 8)


def main():
    build, directory = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if not shutil.which("pandoc"):
        print("site: pandoc is not here", file=sys.stderr)
        return 77
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    if shutil.which("doxygen"):
        subprocess.run([os.path.join(ROOT, "scripts/docs.sh"), os.path.join(directory, "reference")], check=True,
                       stdout=subprocess.DEVNULL)
    site = Site(directory)
    pages = sorted(glob.glob(os.path.join(build, "docs/man/*.1")) + glob.glob(os.path.join(ROOT, "docs/man/*.1")), key=os.path.basename)
    manuals = {"man/" + page_of(os.path.basename(path)): path for path in pages}
    for document in sorted(site.documents):
        with open(os.path.join(ROOT, document), encoding="utf-8") as file:
            text = site.links(document, file.read())
        site.write(page_of(document), site.title(document), text, "gfm", manuals)
    for page, path in manuals.items():
        with open(path, encoding="utf-8") as file:
            site.write(page, os.path.basename(page)[:-5], file.read(), "man", manuals)
    print("\n".join("site: %s leads nowhere" % link for link in site.broken) or
          "site: %d pages in %s" % (len(site.documents) + len(manuals), os.path.relpath(directory)))
    return 1 if site.broken else 0


if __name__ == "__main__":
    sys.exit(main())
