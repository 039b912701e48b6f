#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shell of `tracelathe query` on a terminal: what it answers to what is typed is dialogue.txt, to the letter, but for
times and the colon behind a prompt that is drawn again. Ctrl-C stops a statement, not the shell; the history is kept.

shell.py TRACELATHE [--write]: --write makes dialogue.txt anew, to be read before it is kept."""
import os
import pty
import re
import select
import signal
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOG = os.path.join(os.path.dirname(HERE), "golden", "xray", "mt8-fdr.xray")
WAIT = 30.0
NEXT = b"\ntracelathe> "
TURNS, SPREAD = 100, 0.001  # interrupts of a line, and the seconds behind its first key that they are spread over
PROMPTS = (b"tracelathe> ", b"       ...> ")

# What is typed, and how what is shown ends then; by default with a prompt. The answers are in dialogue.txt.
DIALOGUE = [
    (".ta\t\n", None), (".schema costs\n", None), (".schema nothing\n", None), (".mode csv\n", None),
    ("SELECT id, calls\n", None), ("FROM functions\n", None), ("ORDER BY id LIMIT 2;\n", None),
    ("SELECT median FROM FUNCTIONS LI", b"LI"), ("\t", b"LI"), ("M\t", b"LIMIT "), ("0;\n", None),
    ("SELECT half", b"half"), ("\x03", None), (".mode json\n", None), ("SELECT 1 AS one; SELECT 2 AS two;\n", None),
    (".mode box\n", None), ("SELECT nothing FROM functions;\n", None), ("DROP TABLE functions;\n", None),
    (".mode xml\n", None), (".nothing\n", None), (".timer on\n", None), ("SELECT ';' AS x; -- ;\n", None),
    ("\x1b[A\n", None), (".timer off\n", None), (".timer maybe\n", None), (".run nothing\n", None), (".help\n", None),
    (".queries\n", None), (".run mine;\n", None), ("\n", None), ("SELECT nosuch\t", b"\a"), ("\x03", None), (".s\t", b".schema "), ("ju\t", b"jumps "), ("\n", None),
    (".run mi\t", b".run mine "), ("\n", None), (".mode j\t", b".mode json "), ("\x03", None), (".timer o", b"r o"), ("\t", b"r o"),
    ("f\t", b"off "), ("\n", None), (".tables f\t", b"\a"), ("\x03", None),
    ("SELECT 'é€😀' AS x;\n", None), ("SELECT 1 + 1\n", None),
]
QUERIES = ".config/tracelathe/queries"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, functions;\n"


class Shell:
    def __init__(self, command, folder, *arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "dumb",
                       "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + os.path.join(HERE, "leaks.txt")}
        self.pid, self.fd = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(command, [command, "query", "--progress", "never", *arguments], environment)
        self.shown = b""
        self.status = None

    def read(self, seconds):
        """False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 1 << 16)
        except OSError:
            got = b""
        self.shown += got
        return bool(got)

    def until(self, ends, again=None, every=0.5):
        """What is shown until it ends so; `again` is typed meanwhile, `every` so many seconds."""
        end, since, typed = time.monotonic() + WAIT, len(self.shown), time.monotonic()
        while len(self.shown) == since or not self.shown.endswith(ends) or self.is_cooked(ends):
            if time.monotonic() > end or not self.read(0.1):
                sys.exit("expected %r behind\n%s" % (ends, self.shown.decode()))
            if again and not self.shown.endswith(ends) and time.monotonic() > typed + every:
                os.write(self.fd, again)
                typed = time.monotonic()

    def is_cooked(self, ends):
        """Whether the shell that asks is not yet ready for keys: the terminal would echo them itself."""
        return ends == PROMPTS and b"without libedit" not in self.shown and termios.tcgetattr(self.fd)[3] & termios.ICANON

    def type(self, text, ends=None, again=None, every=0.5):
        os.write(self.fd, text.encode())
        self.until(ends or PROMPTS, again, every)

    def end(self, text):
        os.write(self.fd, text.encode())
        while self.read(WAIT):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def as_text(shown):
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r\n", "\n").replace("\a", "")
    # A line that is drawn again begins with a return, and counts as it is drawn last.
    text = "\n".join(line.rstrip().split("\r")[-1] for line in text.split("\n"))
    return re.sub(r"\d\.\d{3} s", "TIME", text)


def dialogue(command, folder, write):
    os.makedirs(os.path.join(folder, QUERIES))
    with open(os.path.join(folder, QUERIES, "mine.sql"), "w", encoding="utf-8") as file:
        file.write("-- of my own\nSELECT 6 * 7 AS answer")
    shell = Shell(command, folder, LOG)
    shell.until(PROMPTS)
    if b"without libedit" in shell.shown:
        print("skipped: the dialogue with edited lines, as the program is built without libedit")
        shell.type("SELECT 6 * 7;\n")
        if b"42" not in shell.shown:
            sys.exit("no answer:\n" + shell.shown.decode())
        return shell.end(".quit\n")
    for text, ends in DIALOGUE:
        shell.type(text, ends)
    status = shell.end("\x04")
    path = os.path.join(HERE, "dialogue.txt")
    if write:
        open(path, "w", encoding="utf-8").write(as_text(shell.shown))
    elif open(path, encoding="utf-8").read() != as_text(shell.shown):
        sys.exit("the dialogue is\n" + as_text(shell.shown))
    history = open(os.path.join(folder, ".local/state/tracelathe/query_history"), encoding="utf-8").read()
    if "DROP" not in history or "half" in history:
        sys.exit("the history is\n" + history)
    return status


def interrupts(command, folder):
    """Ctrl-C stops an endless statement; the next one is answered."""
    shell = Shell(command, folder, LOG)
    shell.until(PROMPTS)
    shell.type(ENDLESS, PROMPTS, again=b"\x03")
    if b"interrupted" not in shell.shown:
        sys.exit("no word of the interrupt:\n" + shell.shown.decode())
    shell.type("SELECT count(*) + 40000 FROM functions;\n", (b"\ntracelathe> ",))
    if not re.search(rb"\n4\d{4}\r?\n", shell.shown.replace(b" ", b"")):
        sys.exit("no answer behind the interrupt:\n" + shell.shown.decode())
    return shell.end(".exit\n")


def interrupts_of_lines(command, folder):
    """Ctrl-C at any moment while keys are taken leaves the line at once: none waits for the next key."""
    shell = Shell(command, folder, LOG)
    shell.until(PROMPTS)
    if b"without libedit" in shell.shown:
        return shell.end(".exit\n")
    for turn in range(TURNS):
        # Keys that the terminal takes late are echoed by itself, between the end of the line and the prompt.
        prompts = shell.shown.count(PROMPTS[0]) + 1
        os.write(shell.fd, b"SELECT 1, 2, 3, 4, 5")
        end = time.perf_counter() + turn * SPREAD / TURNS
        while time.perf_counter() < end:
            pass
        # As the key does, but for the keys that were not taken yet: the terminal would forget them.
        os.kill(shell.pid, signal.SIGINT)
        end = time.monotonic() + WAIT / 3
        while shell.shown.count(PROMPTS[0]) < prompts:
            if time.monotonic() > end or not shell.read(0.1):
                sys.exit("interrupt %d of a line is lost:\n%s" % (turn, shell.shown.decode()[-300:]))
    # Keys that are left of the last line are taken back, by the shell: the terminal would take back its own alone.
    end = time.monotonic() + WAIT
    while shell.is_cooked(PROMPTS) and time.monotonic() < end:
        shell.read(0.1)
    shell.type("\x15SELECT count(*) + 40000 FROM functions;\n", (NEXT,))
    if not re.search(rb"\n4\d{4}\r?\n", shell.shown.replace(b" ", b"")):
        sys.exit("no answer behind the interrupts:\n" + shell.shown.decode())
    return shell.end(".exit\n")


def damage(command, folder):
    """What is damaged is told behind the first statement that meets it, and is the status."""
    cut = os.path.join(folder, "cut.xray")
    with open(LOG, "rb") as log, open(cut, "wb") as file:
        data = log.read()
        file.write(data[:len(data) * 2 // 3])
    shell = Shell(command, folder, cut)
    shell.until(PROMPTS)
    for _ in range(2):
        shell.type("SELECT count(*) FROM functions;\n")
    count = shell.shown.count(b"offset 0x")
    if not count or count > 10:
        sys.exit("damage is told %d times:\n%s" % (count, shell.shown.decode()))
    if shell.end(".quit\n") != 1:
        sys.exit("the status of a damaged log is not 1")


def main():
    command = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(command, folder, LOG)
        while shell.read(WAIT) and not shell.shown.endswith(PROMPTS) and b"without SQLite" not in shell.shown:
            pass
        if b"without SQLite" in shell.shown:
            print("skipped: the program is built without SQLite")
            sys.exit(77)
        shell.end(".quit\n")
        for status in (dialogue(command, folder, "--write" in sys.argv), interrupts(command, folder),
                       interrupts_of_lines(command, folder)):
            if status != 0:
                sys.exit("the shell ends with %d" % status)
        damage(command, folder)


main()
