# SPDX-License-Identifier: Apache-2.0
"""The faults that scripts/mutate.py plants: each a change of one place of a source, found by patterns in its text."""
import os
import random
import re

TYPES = (r"(?:static|const|register|struct|union|enum|unsigned|signed|int|char|bool|short|long|float|double|void|size_t|"
         r"ssize_t|off_t|time_t|FILE|va_list|\w+_t)\b")
# What only a sanitizer sees.
RELEASES = re.compile(r"\(?(?:void\) ?)?(?:\w+_)?(?:free|close|destroy|drop|release|unref|munmap|unmap)\w*\(")


def blanked(text):
    """The text with comments, strings, characters and preprocessor lines as blanks: offsets stay."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                         re.S | re.M)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def swaps(code, pattern, table):
    for found in re.finditer(pattern, code):
        for after in table[found.group()]:
            yield found.start(), found.end(), after


def relations(code):
    yield from swaps(code, r"(?<![<>=!\-+*/&|^%])(?:<=|>=|==|!=|<|>)(?![<>=])",
                     {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)})


def logic(code):
    yield from swaps(code, r"&&|\|\|", {"&&": ("||",), "||": ("&&",)})


def signs(code):
    yield from swaps(code, r"(?<=[\w)\]]) [+-](?= )|(?<=\w)(?:\+\+|--)|(?<= )[+-](?==)",
                     {" +": (" -",), " -": (" +",), "++": ("--",), "--": ("++",), "+": ("-",), "-": ("+",)})


def constants(code):
    for found in re.finditer(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)(?![\w.])", code):
        line = code[code.rfind("\n", 0, found.start()) + 1:found.start()]
        # One more element of an array is seldom a fault.
        if re.match(r"\s*" + TYPES + r"[^=]*\[$", line):
            continue
        digits, suffix = found.groups()
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
        for other in {value + 1, value - 1} if value else {1}:
            shown = hex(other) if digits[:2] in ("0x", "0X") else str(other)
            yield found.start(), found.end(), shown + suffix


def closing(code, start):
    """Where the parenthesis that opens at `start` is closed."""
    depth = 0
    for found in re.compile(r"[()]").finditer(code, start):
        depth += 1 if found.group() == "(" else -1
        if not depth:
            return found.start()
    return None


def negations(code):
    for found in re.finditer(r"\bif \(", code):
        end = closing(code, found.end() - 1)
        if end:
            inner = code[found.end():end]
            yield found.end(), end, ("!(", inner, ")")


def statements(code):
    for found in re.finditer(r"(?<=[;{})\n:])(?:\s*\n)(\t+)(?=[\w(*+-])([^;{}]*);", code):
        text, start = found.group(2), found.start(2)
        before = code[:start].rstrip()
        if not before or before[-1] not in ";{}):" and not before.endswith("else"):
            continue
        if re.match(TYPES + r"|return\b|else\b|if\b|for\b|while\b|do\b|switch\b|case\b|default\b|assert\b", text):
            continue
        if RELEASES.match(text) or text.count("(") != text.count(")"):
            continue
        yield start, start + len(text), ""


def returns(code):
    for found in re.finditer(r"\breturn ([^;{}]+)(?=;)", code):
        value = found.group(1)
        other = {"0": "1", "1": "0", "true": "false", "false": "true", "NULL": None}.get(value, "0")
        if other:
            yield found.start(1), found.end(1), other


KINDS = (relations, logic, signs, constants, negations, statements, returns)


class Fault:
    def __init__(self, path, text, start, end, after):
        before = text[start:end]
        if isinstance(after, tuple):
            after = after[0] + before + after[2]
        self.path, self.text = path, text[:start] + after + text[end:]
        self.line = text.count("\n", 0, start) + 1
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        tail = text[end:last if last >= 0 else len(text)]
        self.shown = "%s:%d: %s -> %s" % (path, self.line, shortened(text[first:end] + tail),
                                          shortened(text[first:start] + after + tail))


def shortened(text):
    return " ".join(text.split())


def sources(tree, part):
    """The C files of a part of src/."""
    top = os.path.join(tree, "src", part)
    return [top] if top.endswith(".c") else sorted(
        os.path.join(where, name) for where, _, names in os.walk(top) for name in names if name.endswith(".c"))


def candidates(tree, part, seed):
    """All faults of a part of src/ in the order that the seed gives: kind by kind in turn, none twice on a line."""
    by_kind = {kind: [] for kind in KINDS}
    for path in sources(tree, part):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        code = blanked(text)
        lines = [line.start() for line in re.finditer(r"^.*assert\(.*$", code, re.M)]
        for kind in KINDS:
            for start, end, after in kind(code):
                if code.rfind("\n", 0, start) + 1 not in lines:
                    by_kind[kind].append((os.path.relpath(path, tree), text, start, end, after))
    order = random.Random(seed)
    for kind in KINDS:
        order.shuffle(by_kind[kind])
    taken = set()
    while any(by_kind.values()):
        for kind in KINDS:
            while by_kind[kind]:
                fault = Fault(*by_kind[kind].pop())
                if (fault.path, fault.line) not in taken:
                    taken.add((fault.path, fault.line))
                    yield fault
                    break
