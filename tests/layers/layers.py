#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that can be read off the source tree and the built library.

  layers.py arrows ROOT                     no #include points to a room that the table below does not allow
  layers.py headers ROOT COMPILER...        each public header compiles alone, as C11 and as C++17
  layers.py symbols ROOT LIBRARY.so         the library exports what the headers declare TL_API, and nothing else
  layers.py silent LIBRARY.a                the library calls nothing that prints or exits
  layers.py shape ROOT                      functions of at most 80 lines, files of at most 800, lines of at most 100 columns, tabs;
                                            a folder of src/, include/ or recorder/ holds at most 25 files; a struct of src/ has at
                                            most 20 members, operations not counted
  layers.py format ROOT                     the sources are as clang-format leaves them (.clang-format)
  layers.py names ROOT                      a name has one meaning: no struct tag and no name of a header is defined twice
  layers.py formats ROOT                    no room but open/ and the format's own asks for a format by its name
  layers.py circles LIBRARY.a               no two files need each other, directly or by way of others
  layers.py self-test WHAT ROOT COMPILER    plant a violation of WHAT and expect it to be found

Exit status: 0 kept, 1 broken (one line per violation), 77 cannot be checked here.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# docs/design.md, "Rooms and floors": what each room may include, besides itself.
MAY_INCLUDE = {
    "core": [],
    "profile": ["core"],
    "timeline": ["core"],
    "flow": ["core"],
    "symbols": ["core"],
    "isa": ["core"],
    # xray reads the code of a traced program: who can call whom (xray/map/call_graph.h).
    "xray": ["core", "profile", "timeline", "symbols", "isa"],
    "intel_pt": ["core", "profile", "timeline", "flow", "symbols", "isa"],
    "xtrace": ["core", "profile", "timeline", "flow", "symbols", "isa"],
    "callgrind": ["core", "profile"],
    "pprof": ["core", "profile", "symbols"],
    "gmon": ["core", "profile", "symbols"],
    "perfetto": ["core", "profile", "foreign"],
    "perf_data": ["core", "profile", "timeline", "symbols", "intel_pt"],
    # Profiles of other tools: foreign has what their readers have in common.
    "foreign": ["core", "profile", "timeline"],
    "folded": ["core", "profile", "foreign"],
    "speedscope": ["core", "profile", "foreign"],
    "chrome_trace": ["core", "profile", "timeline", "foreign"],
    "perf_script": ["core", "profile", "foreign"],
    "uftrace": ["core", "profile", "symbols", "foreign"],
    "insn_log": ["core", "isa", "foreign"],
    "etm": ["core", "isa"],
    "report": ["core", "profile", "flow", "symbols", "isa"],
    "export": ["core", "profile", "timeline"],
    "open": ["core", "profile", "timeline", "flow", "symbols", "isa", "xray", "intel_pt", "xtrace", "callgrind", "perf_data", "foreign",
             "folded", "speedscope", "chrome_trace", "perf_script", "pprof", "gmon", "perfetto", "uftrace", "insn_log", "etm",
             "report", "export"],
    # record decodes what it has an emulator record once, before it trusts it.
    "record": ["core", "profile", "symbols", "xray", "intel_pt", "perf_data", "open"],
    # SQL: what can be asked is what open/ answers.
    "query": ["core", "open"],
    # compat/libipt: the drop-in.
    "compat": ["intel_pt"],
    # The views, the command and the fleet see public headers only ("open and its headers"); the views core's writers and
    # the report's texts of numbers and names, too.
    "view": ["core", "report"],
    "cli": ["view"],
    # The ranks do what the command does with many files.
    "mpi": ["cli"],
}
PUBLIC_ONLY = ["view", "cli", "mpi", "query"]
# The floors inside a room, from the lowest up; "" are the files of the room's own folder. A sub-room may include those on
# lower floors, none beside it.
SUB_ROOMS = {
    "core": [["codecs", "tables"], [""], ["faults", "protobuf", "text", "threads", "trees"]],
    "callgrind": [["text"], ["reader"], ["profile"], ["listing"]],
    "xtrace": [["format"], ["parts", "write", "state"], ["profile", "elf", "predict", "share"], ["caches"], ["analyze", "calls", "check", "executed", "listing", "convert"]],
    "isa": [["a64", "x86"], [""]],
    "intel_pt": [["packets"], ["flow", "code"], ["blocks"], ["parallel"], ["profile"], ["listing"], ["calls", "coverage", "executed", "quick"]],
    "profile": [["model"], ["derive", "fold"], ["canon", "diff", "merge", "transform"], ["coverage", "file", "runs"], ["kway"]],
    "symbols": [["elf"], ["dwarf"], [""], ["cfi"]],
    "open": [[""], ["adapters", "flow", "index", "simpoints", "window"], ["gather", "lldb"]],
    "report": [[""], ["table", "tree", "annotate", "diff", "flow", "runs"]],
    "export": [[""], ["stacks"], ["coverage", "profile", "timeline", "flame"]],
    "perf_data": [["container"], ["processes"], ["auxtrace", "samples"], ["listing"]],
    "cli": [["terminal"], ["options"], ["confine", "debuginfod", "shell"], ["commands"], ["fleet"], ["help"], [""]],
    "xray": [["format"], ["records"], ["forks", "map"], ["profile"], ["calls", "listing"], ["yaml"]],
    "timeline": [[""], ["calls"], ["index"]],
    "record": [[""], ["emulation"]],
    "view": [["code", "files", "points", "rows"], ["terminal", "web"]],
    "pprof": [["reader"], ["profile"], ["listing"]],
    "etm": [["packets"], ["flow", "listing"]],
    "query": [["trace"], ["tables"], ["sql"], ["extension"]],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(folder):
    for where, folders, names in sorted(os.walk(folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cpp")):
                yield os.path.join(where, name)


# ---- arrows ---------------------------------------------------------------------------------------------------


def floor_of(room, sub):
    for floor, subs in enumerate(SUB_ROOMS[room]):
        if sub in subs:
            return floor
    return None


def sub_of(path):
    """The sub-room in "room/sub/file.h", "" in "room/file.h"."""
    return path.split("/")[1] if path.count("/") > 1 else ""


def sub_fault(room, sub, other):
    """Why sub-room `sub` of a room may not include `other` of the same room, or None."""
    if room not in SUB_ROOMS:
        return None
    here, there = floor_of(room, sub), floor_of(room, other)
    if here is None or there is None:
        return "room %s has no sub-room %s in the table" % (room, sub if here is None else other)
    if sub != other and there >= here:
        return "sub-room %s is not below %s" % (room + "/" + other, room + "/" + sub)
    return None


def arrow_fault(room, quote, target, folder=None, sub=""):
    """Why `room` may not include `target`, or None. `folder` is that of the including file."""
    public = target.startswith("tracelathe/")
    if quote == "<" and not public:
        return None
    if folder and "/" not in target and os.path.exists(os.path.join(folder, target)):
        return None
    if public and quote == '"':
        return "public headers are included as <tracelathe/...>"
    if not public and "/" not in target:
        return "an include names its room, or is a neighbour of the file"
    other = target.split("/")[1][:-2] if public else target.split("/")[0]
    if public and room in PUBLIC_ONLY:
        return None
    if public and other == "tracelathe":
        return "the header of all headers is for users"
    if other not in MAY_INCLUDE:
        return "no such room"
    if other != room and other not in MAY_INCLUDE[room]:
        return "the arrow %s -> %s is not in the table" % (room, other)
    if other == room and not public:
        return sub_fault(room, sub, sub_of(target))
    return None


def arrows(root):
    faults = []
    inside = [(path, os.path.relpath(path, os.path.join(root, "src"))) for path in sources(os.path.join(root, "src"))]
    rooms = [(path, name.split(os.sep)[0], sub_of(name)) for path, name in inside]
    for path, room, sub in rooms + [(path, "compat", "") for path in sources(os.path.join(root, "compat"))]:
        if room not in MAY_INCLUDE:
            faults.append("%s: room %s is not in the table" % (path, room))
            continue
        for quote, target in INCLUDE.findall(read(path)):
            fault = arrow_fault(room, quote, target, os.path.dirname(path), sub)
            if fault:
                faults.append("%s: includes %s: %s" % (path, target, fault))
    return faults + header_arrows(root)


def header_arrows(root):
    """A public header stands on the headers its room may include."""
    faults = []
    for path in sources(os.path.join(root, "include")):
        room = os.path.basename(path)[:-2]
        if room == "tracelathe":
            continue
        for quote, target in INCLUDE.findall(read(path)):
            fault = arrow_fault(room, quote, target)
            if fault:
                faults.append("%s: includes %s: %s" % (path, target, fault))
    return faults


# ---- headers --------------------------------------------------------------------------------------------------

LANGUAGES = (("c", "c11"), ("c++", "c++17"))


def headers(root, compilers):
    faults = []
    include = os.path.join(root, "include")
    found = [c for c in compilers if shutil.which(c)]
    if not found:
        sys.exit(77)
    for path in sources(include):
        for compiler in found:
            for language, standard in LANGUAGES:
                run = subprocess.run(
                    [compiler, "-x", language, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                     "-fsyntax-only", "-I" + include, "-include", path, "/dev/null"],
                    stderr=subprocess.PIPE, text=True)
                if run.returncode:
                    faults.append("%s as %s with %s: %s" % (path, standard, compiler, run.stderr.strip()))
    return faults


# ---- symbols --------------------------------------------------------------------------------------------------


def declared(root):
    names = set()
    for path in sources(os.path.join(root, "include")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", " ", read(path), flags=re.S | re.M)
        names.update(re.findall(r"\bTL_API\b[^;(]*?\b(\w+)\s*(?:\(|;)", text))
    return names


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    # Weak hidden sanitizer runtime symbols begin with "__"; the linker's own three with "_".
    # The name of a version is one of the exported ones, too.
    names = {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines() if line.split()[-2] != "A"}
    return {name for name in names if not re.match(r"__(asan|ubsan|odr_asan|sanitizer|sancov|start_|stop_)", name)}


def unversioned(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    return {name for name in (line.split()[-1] for line in lines.stdout.splitlines())
            if name.startswith("tl_") and "@" not in name}


def symbols(root, library):
    want, have = declared(root), exported(library)
    return (["%s exports %s, which no header declares" % (library, name) for name in sorted(have - want)] +
            ["%s does not export %s, which a header declares" % (library, name) for name in sorted(want - have)] +
            ["exported name %s does not begin with tl_" % name for name in sorted(have) if not name.startswith("tl_")] +
            ["exported name %s has no version (docs/abi.md)" % name for name in sorted(unversioned(library))])


# ---- silent ---------------------------------------------------------------------------------------------------

# "Libraries never print, never exit, never abort on input." assert() is for our own faults, so __assert_fail is not here.
LOUD = re.compile(r"^(v?f?printf|__v?f?printf_chk|puts|fputs|putc|fputc|putchar|fwrite|perror|stdout|stderr|"
                  r"exit|_exit|_Exit|quick_exit|abort|err|errx|warn|warnx|error|syslog|raise)$")


def silent(library):
    lines = subprocess.run(["nm", "--undefined-only", "-A", library], check=True, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    return ["%s uses %s" % (line.split(":")[1], line.split()[-1]) for line in lines
            if LOUD.match(line.split()[-1].split("@")[0])]


# ---- shape ----------------------------------------------------------------------------------------------------


FOLDERS = ("src", "include", "compat", "recorder", "emulator", "tests", "fuzz", "bench", "examples")
COLUMNS = 100
LINES = 800
FILES = 25
MEMBERS = 20
# A public header is the reference of its room, in one piece.
REFERENCE = re.compile(r"/(include/tracelathe|compat/libipt/include)/|/compat/libipt/intel-pt\.h$")


def shape_of(path):
    lines = read(path).split("\n")
    if len(lines) > LINES + 1 and not REFERENCE.search(path):
        yield "%s: %d lines" % (path, len(lines) - 1)
    start = None
    for number, line in enumerate(lines, 1):
        if len(line.expandtabs(8)) > COLUMNS:
            yield "%s:%d: %d columns" % (path, number, len(line.expandtabs(8)))
        if re.match(r" {8}(?! *\\$)", line):
            yield "%s:%d: indented by blanks" % (path, number)
        if line.rstrip() != line:
            yield "%s:%d: blanks at the end of the line" % (path, number)
        if line == "{":
            start = number
        elif line == "}" and start:
            if number - start - 1 > 80:
                yield "%s:%d: a function of %d lines" % (path, start, number - start - 1)
            start = None


def crowded(root):
    """Folders that hold more sources than one can know."""
    for folder in ("src", "include", "recorder"):
        for where, _, names in os.walk(os.path.join(root, folder)):
            count = sum(name.endswith((".c", ".h", ".S")) for name in names)
            if count > FILES:
                yield "%s: %d files, more than %d" % (where, count, FILES)


def machine_paths(root):
    """Answers that a case expects, with the folder that it was recorded in: they are right on one machine alone."""
    here = os.path.join(os.path.realpath(root), "tests", "")
    for path in glob.glob(os.path.join(root, "tests", "cli", "cases", "*")):
        if here in read(path):
            yield "%s: has the path of this folder" % path


def wide_structs(root):
    """Structs with too many members, of which each declaration counts as one."""
    for path in sources(os.path.join(root, "src")):
        text = without_comments(read(path))
        for found in re.finditer(r"\b(?:struct|union)\s+(\w+)?\s*\{", text):
            depth, at, begin, members = 1, found.end(), found.end(), 0
            while depth and at < len(text):
                depth += {"{": 1, "}": -1}.get(text[at], 0)
                if depth == 1 and text[at] == ";":
                    members += not re.search(r"\(\*\w+\)\(", text[begin:at])
                    begin = at
                at += 1
            if members > MEMBERS:
                yield "%s: struct %s has %d members" % (path, found.group(1), members)


def shape(root):
    faults = list(crowded(root)) + list(machine_paths(root)) + list(wide_structs(root))
    for folder in FOLDERS:
        for path in sources(os.path.join(root, folder)):
            faults += shape_of(path)
            # A QEMU plugin is under the licence of QEMU's header (see its LICENSE).
            licence = "GPL-2.0-or-later" if re.search("/(qemu-xtrace-plugin|emulator)/", path) else "Apache-2.0"
            if not re.match(r"(/\*|//) SPDX-License-Identifier: " + re.escape(licence), read(path)):
                faults.append("%s: does not begin with its licence" % path)
    return faults


# ---- format ---------------------------------------------------------------------------------------------------

def formatted(root):
    program = shutil.which("clang-format-19")
    if not program:
        print("clang-format-19 is not here")
        sys.exit(77)
    paths = [path for folder in FOLDERS for path in sources(os.path.join(root, folder)) if not path.endswith(".cpp")]
    run = subprocess.run([program, "--dry-run", "--style=file:" + os.path.join(root, ".clang-format")] + paths,
                         stderr=subprocess.PIPE, text=True)
    return sorted({line.split(": warning:")[0] for line in run.stderr.splitlines() if ": warning:" in line})


# ---- names ----------------------------------------------------------------------------------------------------

TAG = re.compile(r"^\t*(?:typedef )?((?:struct|union|enum) \w+)\s*\{", re.M)
# What a header says at file scope: a macro, an enumerator, a function, an object.
MACRO = re.compile(r"^#\s*define (\w+)", re.M)
DECLARED = re.compile(r"^(?!static|typedef|return)[A-Za-z_][\w \t*]*?\b(\w+)\((?=[^;{]*\)\s*;)", re.M)
ENUMERATOR = re.compile(r"^\t([A-Z][A-Z0-9_]*)(?: = [^,]*)?,?$", re.M)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)


# How every name begins that a header of a room gives to others; elsewhere "tl_". The command's own names need no prefix.
PREFIX = {"intel_pt": "tl_pt_", "perf_data": "tl_perf_", "xray": "tl_xray_", "xtrace": "tl_xtrace_",
          "callgrind": "tl_callgrind_", "foreign": "tl_foreign_", "folded": "tl_folded_",
          "speedscope": "tl_speedscope_", "chrome_trace": "tl_chrome_", "perf_script": "tl_perf_script_", "pprof": "tl_pprof_",
          "gmon": "tl_gmon_", "perfetto": "tl_perfetto_",
          "uftrace": "tl_uftrace_", "insn_log": "tl_insn_log_", "cli": "", "mpi": ""}


def prefix_of(room):
    return PREFIX.get(room[:-2] if room.endswith(".h") else room, "tl_")


def stray(room, name):
    """Whether a name of a header has not the prefix of its room. Guards of headers are named after files."""
    return not name.endswith("_H") and not name.lower().startswith(prefix_of(room))


def names(root):
    """Tags: those of a header in no other file, those of a .c file in no other file of its room."""
    tags, declared_in = {}, {}
    faults = []
    folders = [os.path.join(root, folder) for folder in ("src", "include")]
    for path in (path for folder in folders for path in sources(folder)):
        text = without_comments(read(path))
        for tag in TAG.findall(text):
            tags.setdefault(tag, []).append(path)
        if path.endswith(".h"):
            room = os.path.relpath(path, root).split(os.sep)[1]
            given = set(MACRO.findall(text) + DECLARED.findall(text) + ENUMERATOR.findall(text))
            for name in given:
                declared_in.setdefault(name, []).append(path)
            for name in sorted(given | {tag.split()[1] for tag in TAG.findall(text)}):
                if stray(room, name):
                    faults.append("%s: %s does not begin with %s" % (path, name, prefix_of(room)))
    for tag, paths in sorted(tags.items()):
        shared = any(path.endswith(".h") for path in paths)
        rooms = [os.path.relpath(path, root).split(os.sep)[1] for path in paths]
        if len(paths) > 1 and (shared or len(set(rooms)) < len(rooms)):
            faults.append("%s is defined in %s" % (tag, " and ".join(paths)))
    for name, paths in sorted(declared_in.items()):
        if len(paths) > 1 and not name.startswith("_"):
            faults.append("%s is declared in %s" % (name, " and ".join(paths)))
    return faults


# ---- formats --------------------------------------------------------------------------------------------------

# The name in the row of a format, and the row's own name in the list of all of them.
FORMAT_NAME = re.compile(r'\.info = \{\s*\.name = "([^"]+)"')
FORMAT_ROW = re.compile(r"^TL_FORMAT\((\w+)\)", re.M)
# An exporter may be called like a format; a row of a table then begins with the name, or the exporter is asked for.
NAME_OF_OTHERS = re.compile(r'\.name = "|tl_exporter_find\("')


def format_rooms(root):
    """Name of a format -> rooms that may say it: its own, whose folder begins with the name, and containers of it."""
    rooms = os.listdir(os.path.join(root, "src"))
    named = "".join(read(path) for path in sources(os.path.join(root, "src", "open")))
    own = {name: [room for room in rooms if room.startswith(name.replace("-", "_"))] for name in FORMAT_NAME.findall(named)}
    return {name: mine + [room for room in rooms if set(mine) & set(MAY_INCLUDE.get(room, []))]
            for name, mine in own.items()}


def formats(root):
    faults = []
    rooms = format_rooms(root)
    rows = FORMAT_ROW.findall(read(os.path.join(root, "src", "open", "formats.def")))
    if not rooms or len(rooms) != len(rows):
        return ["%d formats have a row in formats.def, %d have a name" % (len(rows), len(rooms))]
    # A line seldom has any of these words: one question is asked of all lines, and those of each word behind it.
    any_name = re.compile(r'"(?:%s)"|\b(?:%s)\b' % ("|".join(map(re.escape, rooms)), "|".join(rows)))
    for path in sources(os.path.join(root, "src")):
        room = os.path.relpath(path, os.path.join(root, "src")).split(os.sep)[0]
        text = read(path)
        if not any_name.search(text):
            continue
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            if not any_name.search(line):
                continue
            for name in re.findall(r'"([\w-]+)"', line):
                if name in rooms and room != "open" and room not in rooms[name] and not NAME_OF_OTHERS.search(line):
                    faults.append("%s:%d: asks for the format %s by its name" % (path, number, name))
            for row in rows:
                if re.search(r"\b%s\b" % row, line) and not re.match(r"const struct tl_format ", line):
                    faults.append("%s:%d: names %s, whose place is formats.def" % (path, number, row))
    return faults


# ---- circles --------------------------------------------------------------------------------------------------


def needs(library):
    """Object file -> the object files that define what it needs."""
    defined, undefined = {}, {}
    lines = subprocess.run(["nm", "-A", library], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True).stdout.splitlines()
    for line in lines:
        where, rest = line.rsplit(":", 1)
        fields, name = rest.split(), where.split(":")[-1]
        if fields[-2] in "TDBRVWC":
            defined[fields[-1]] = name
        elif fields[-2] == "U":
            undefined.setdefault(name, set()).add(fields[-1])
    return {name: {defined[symbol] for symbol in symbols if symbol in defined} - {name}
            for name, symbols in undefined.items()}


def reach(graph, start):
    seen, open_ = set(), [start]
    while open_:
        for other in graph.get(open_.pop(), ()):
            if other not in seen:
                seen.add(other)
                open_.append(other)
    return seen


def circles(library):
    graph = needs(library)
    reached = {name: reach(graph, name) for name in graph}
    faults, done = [], set()
    for name in sorted(graph):
        circle = sorted(other for other in reached[name] if name in reached.get(other, ()))
        if circle and name not in done:
            done.update(circle)
            faults.append("a circle of files: " + " ".join(circle))
    return faults


# ---- proof that each check can fail ---------------------------------------------------------------------------


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def must_find(what, faults, count=1):
    if len(faults) != count:
        raise SystemExit("planted %s: %d violations expected, found %d: %s" % (what, count, len(faults), faults[:5]))


def plant_arrows(copy, _):
    must_find("nothing", arrows(copy), 0)
    MAY_INCLUDE["planted"] = []
    SUB_ROOMS["planted"] = [["low"], [""]]
    for room, line in (("core", '#include "profile/x.h"'), ("xray", '#include "report/x.h"'),
                       ("xray", '#include "callgrind/x.h"'), ("export", "#include <tracelathe/xray.h>"),
                       ("cli", '#include "core/output.h"'), ("profile", '#include "x.h"'),
                       ("report", "#\tinclude  \"open/x.h\""), ("planted/low", '#include "planted/x.h"'),
                       ("planted", '#include "planted/nowhere/x.h"')):
        path = "src/%s/planted.c" % room
        write(copy, path, line + "\n")
        must_find(line, arrows(copy))
        os.remove(os.path.join(copy, path))
    write(copy, "src/nowhere/planted.c", "\n")
    must_find("an unknown room", arrows(copy))


def plant_headers(copy, compiler):
    must_find("nothing", headers(copy, [compiler]), 0)
    write(copy, "include/tracelathe/planted.h", "static inline int f(void *p) { int *q = p; return *q; }\n")
    must_find("C that is not C++", headers(copy, [compiler]))
    write(copy, "include/tracelathe/planted.h", "size_t tl_needs_a_header(void);\n")
    must_find("a header that does not stand alone", headers(copy, [compiler]), 2)


def plant_symbols(copy, compiler):
    write(copy, "include/tracelathe/core.h", "#define TL_API\nTL_API int tl_one(int (*f)(void));\n"
          "/* TL_API int tl_comment(void); */\nTL_API const char *const *\ntl_two(void);\n")
    for name in os.listdir(os.path.join(copy, "include/tracelathe")):
        if name != "core.h":
            os.remove(os.path.join(copy, "include/tracelathe", name))
    library = os.path.join(copy, "planted.so")

    def build(text):
        write(copy, "planted.c", text)
        subprocess.run([compiler, "-shared", "-fPIC", "-Wl,--version-script," + script, "-o", library,
                        os.path.join(copy, "planted.c")], check=True)
        return symbols(copy, library)
    script = os.path.join(copy, "planted.map")
    write(copy, "planted.map", "V { global: *; };")
    must_find("nothing", build("int tl_one(void){return 1;} int tl_two(void){return 1;}"), 0)
    must_find("a stray", build("int tl_one(void){return 1;} int tl_two(void){return 1;} int tl_three;"))
    must_find("a missing one", build("int tl_one(void){return 1;}"))
    must_find("a foreign name", build("int tl_one(void){return 1;} int tl_two(void){return 1;} int helper;"), 2)
    write(copy, "planted.map", "V { global: tl_one; };")
    must_find("a name without a version", build("int tl_one(void){return 1;} int tl_two(void){return 1;}"))


def plant_silent(copy, compiler):
    library = os.path.join(copy, "planted.a")

    def build(text):
        write(copy, "planted.c", "#include <stdio.h>\n#include <stdlib.h>\n" + text)
        subprocess.run([compiler, "-O0", "-c", "-o", os.path.join(copy, "planted.o"),
                        os.path.join(copy, "planted.c")], check=True)
        if os.path.exists(library):
            os.remove(library)
        subprocess.run(["ar", "cr", library, os.path.join(copy, "planted.o")], check=True)
        return silent(library)
    must_find("nothing", build("int f(char *b) { return snprintf(b, 1, \"%p\", malloc(1)); }"), 0)
    must_find("printf", build("int f(int x) { return printf(\"%d\", x); }"))
    must_find("exit", build("void f(void) { exit(1); }"))


def plant_shape(copy, _):
    before = len(shape(copy))
    spdx = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    for text in ("int x;\n", spdx + "int x; \n", spdx + "        int x;\n", spdx + "\t/*" + "x" * 89 + "*/\n",
                 spdx + "int f(void)\n{\n" + "\t;\n" * 81 + "}\n", spdx + "int x;\n" * LINES):
        write(copy, "src/planted/planted.c", text)
        must_find(repr(text[:60]), shape(copy), before + 1)
    for number in range(FILES):
        write(copy, "src/planted/planted%d.h" % number, spdx)
    write(copy, "src/planted/planted.c", spdx + "struct s {\n%s};\n" % "".join("\tint m%d;\n" % i for i in range(MEMBERS + 1)))
    must_find("%d members" % (MEMBERS + 1), shape(copy), before + 2)
    write(copy, "src/planted/planted.c", spdx)
    must_find("%d files in a folder" % (FILES + 1), shape(copy), before + 1)
    write(copy, "tests/cli/cases/planted.err", "tracelathe: %s/tests/x: no\n" % os.path.realpath(copy))
    must_find("a path of this folder", shape(copy), before + 2)


def plant_format(copy, _):
    # One room is enough, and quicker.
    for room in os.listdir(os.path.join(copy, "src")):
        if room != "core":
            shutil.rmtree(os.path.join(copy, "src", room), ignore_errors=True)
    must_find("nothing", formatted(copy), 0)
    write(copy, "src/core/planted.c", "int  x;\n")
    must_find("two blanks", formatted(copy))


def plant_names(copy, _):
    before = len(names(copy))
    for room, text in (("core", "struct tl_error {\n};\n"), ("profile", "#define TL_API 1\n"),
                       ("report", "int tl_shown_character(const char *text,\n\t\tsize_t size);\n")):
        write(copy, "src/%s/planted.h" % room, text)
        must_find(text, names(copy), before + 1)
        os.remove(os.path.join(copy, "src/%s/planted.h" % room))
    for room in ("core", "xray"):
        write(copy, "src/%s/planted.c" % room, "struct planted {\n};\n")
    must_find("local tags of two rooms", names(copy), before)
    write(copy, "src/core/again.c", "struct planted {\n};\n")
    must_find("local tags of one room", names(copy), before + 1)
    write(copy, "src/xray/other.h", "int xray_planted(void);\nenum {\n\tTL_PLANTED,\n\tPLANTED,\n};\n")
    must_find("names without a prefix", names(copy), before + 4)


def plant_circles(copy, compiler):
    library = os.path.join(copy, "planted.a")

    def build(*texts):
        if os.path.exists(library):
            os.remove(library)
        for number, text in enumerate(texts):
            write(copy, "%d.c" % number, text)
            subprocess.run([compiler, "-c", "-o", os.path.join(copy, "%d.o" % number),
                            os.path.join(copy, "%d.c" % number)], check=True)
            subprocess.run(["ar", "r", library, os.path.join(copy, "%d.o" % number)], check=True,
                           stderr=subprocess.DEVNULL)
        return circles(library)
    must_find("a line", build("int g(void); int f(void) { return g(); }", "int x; int g(void) { return x; }"), 0)
    must_find("a circle", build("int g(void); int f(void) { return g(); }", "int h(void); int g(void) { return h(); }",
                                "extern int t; int h(void) { return t; }", "int f(void); int t = 1; int i(void) { return f(); }"))


def plant_formats(copy, compiler):
    merge = os.path.join(copy, "src", "cli", "planted.c")
    must_find("nothing", formats(copy), 0)
    write(copy, merge, '#include <string.h>\nint f(const char *n) { return strcmp(n, "xray"); }\n')
    must_find("a name in the command", formats(copy))
    write(copy, merge, '/* "xray" */\nstruct x { .name = "callgrind" };\n')
    must_find("a comment, an exporter", formats(copy), 0)
    write(copy, merge, "extern const struct tl_format tl_xray_format;\n")
    must_find("a row", formats(copy))


PLANTS = {"arrows": plant_arrows, "headers": plant_headers, "symbols": plant_symbols, "silent": plant_silent,
          "shape": plant_shape, "format": plant_format, "names": plant_names, "circles": plant_circles,
          "formats": plant_formats}


def self_test(what, root, compiler):
    with tempfile.TemporaryDirectory() as copy:
        inner = os.path.join(copy, "tree")
        for folder in ("src", "include"):
            shutil.copytree(os.path.join(root, folder), os.path.join(inner, folder))
        shutil.copy(os.path.join(root, ".clang-format"), inner)
        PLANTS[what](inner, compiler)
    return []


def main(args):
    checks = {
        "arrows": lambda: arrows(args[1]),
        "headers": lambda: headers(args[1], args[2:]),
        "symbols": lambda: symbols(args[1], args[2]),
        "silent": lambda: silent(args[1]),
        "shape": lambda: shape(args[1]),
        "format": lambda: formatted(args[1]),
        "names": lambda: names(args[1]),
        "formats": lambda: formats(args[1]),
        "circles": lambda: circles(args[1]),
        "self-test": lambda: self_test(args[1], args[2], args[3]),
    }
    if not args or args[0] not in checks:
        sys.exit(__doc__)
    faults = checks[args[0]]()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
