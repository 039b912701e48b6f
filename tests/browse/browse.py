#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tracelathe browse` on a real terminal, which tmux is: screens after keys as text, other sizes, a terminal without
colors, and that `q` and SIGTERM leave the terminal as it was.

browse.py TRACELATHE [--write]: --write makes the files in screens/ anew, to be read before they are kept."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LOG = os.path.join(ROOT, "tests", "golden", "xray", "mt8-fdr.xray")
PROFILE = os.path.join(ROOT, "tests", "golden", "callgrind", "threads.out-01")
WAIT = 30.0
ESTIMATED = 1  # the status where stacks are estimated, as they are of PROFILE, which has none

# What is pressed, and what the screen shows then.
SCREENS = [
    ("functions", (80, 24), ["1"]),
    ("sorted", (80, 24), ["s", "r"]),
    ("top-down", (80, 24), ["2", "Down", "Enter"]),
    ("bottom-up", (80, 24), ["3", "Down", "Enter"]),
    ("callers", (80, 24), ["/", "3", "Enter", "Enter"]),
    ("calls", (80, 24), ["/", "2", "Enter", "l"]),
    ("timeline", (80, 24), ["6", "Down", "Right", "Right"]),
    ("window", (80, 24), ["6", "+", "+", "Enter"]),
    ("help", (80, 24), ["?"]),
    ("narrow", (50, 12), ["2", "Down", "Enter"]),
    ("columns", (80, 24), ["c"]),
]
# The same of a profile by instruction, whose program is not at hand.
SCREENS_BY_INSTRUCTION = [("assembly", (80, 24), ["7", "a"])]


class Terminal:
    def __init__(self, folder, size, command, term="xterm-256color"):
        self.socket = os.path.join(folder, "tmux")
        # Without SHELL, tmux takes that of the user, which may be one that nobody can log in by.
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "xterm", "SHELL": "/bin/sh"}
        self.environment = environment
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]),
                  "TERM=%s; export TERM; stty -a >%s/before; %s; echo status $? >%s/status; stty -a >%s/after; exec sleep 60"
                  % (term, folder, command, folder, folder))

    def tmux(self, *arguments):
        run = subprocess.run(["tmux", "-S", self.socket, *arguments], env=self.environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            sys.exit("tmux %s: %s" % (arguments[0], run.stdout))
        return run.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "0")

    def press(self, keys):
        """Each key when the screen has settled after the one before."""
        for key in keys:
            self.settled()
            self.tmux("send-keys", "-t", "0", key)

    def settled(self):
        """The screen, when it has been the same for some time and shows the browser."""
        last, since, end = "", time.monotonic(), time.monotonic() + WAIT
        while time.monotonic() < end:
            now = self.screen()
            if now != last or "1 functions" not in now or "making the index" in now:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > 0.25:
                return now
            time.sleep(0.05)
        sys.exit("the screen never settled:\n" + last)

    def quit(self, status):
        """By `q`, which may first leave a help or a list."""
        path, end = os.path.join(os.path.dirname(self.socket), "status"), time.monotonic() + WAIT
        while not os.path.exists(path) or not open(path).read():
            if time.monotonic() > end:
                sys.exit("q does not end it:\n" + self.screen())
            self.tmux("send-keys", "-t", "0", "q")
            time.sleep(0.1)
        if open(path).read() != "status %d\n" % status:
            sys.exit("q ends with " + open(path).read())

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.environment, stderr=subprocess.DEVNULL)


def wait_for(path):
    end = time.monotonic() + WAIT
    while not os.path.exists(path) or not open(path).read():
        if time.monotonic() > end:
            sys.exit("%s was never written" % path)
        time.sleep(0.05)
    return open(path).read()


def compare_screens(command, write, screens, log):
    for name, size, keys in screens:
        path = os.path.join(HERE, "screens", name + ".txt")
        with tempfile.TemporaryDirectory() as folder:
            terminal = Terminal(folder, size, "%s browse %s" % (command, log))
            try:
                terminal.press(keys)
                got = terminal.settled().replace(os.path.dirname(log), "DIR")
                terminal.quit(ESTIMATED if log == PROFILE else 0)
            finally:
                terminal.close()
        got = "".join(line.rstrip() + "\n" for line in got.rstrip("\n").split("\n"))
        # The head of the screen ends with the path, which is shortened to the room that there is.
        head, _, rest = got.partition("\n")
        got = head.split("  ")[0] + "\n" + rest
        if write:
            open(path, "w").write(got)
        elif open(path).read() != got:
            sys.exit("%s: the screen is\n%s" % (name, got))


def leaves_no_trace(command, term, how, status):
    """The state of the terminal is the same before and after, and the screen has nothing left of the browser."""
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder, (80, 24), "sh -c 'echo $$ >%s/pid; exec %s browse %s'" % (folder, command, LOG), term)
        try:
            terminal.settled()
            if how == "TERM":
                os.kill(int(wait_for(os.path.join(folder, "pid"))), signal.SIGTERM)
            else:
                terminal.tmux("resize-window", "-t", "0", "-x", "120", "-y", "40")
                if len(terminal.settled().rstrip("\n").split("\n")) < 30:
                    sys.exit("%s: the screen did not follow the terminal's size" % term)
                terminal.tmux("send-keys", "-t", "0", how)
            after = wait_for(os.path.join(folder, "after"))
            left = terminal.screen()
        finally:
            terminal.close()
        if wait_for(os.path.join(folder, "status")) != "status %d\n" % status:
            sys.exit("%s, %s: %s" % (term, how, open(os.path.join(folder, "status")).read()))
        modes = [line for line in open(os.path.join(folder, "before")) if "rows" not in line]
        if modes != [line for line in after.splitlines(True) if "rows" not in line]:
            sys.exit("%s, %s: the terminal is not as it was:\n%s" % (term, how, after))
        if "1 functions" in left:
            sys.exit("%s, %s: the screen was left as it was:\n%s" % (term, how, left))


def table_is_that_of_report(command):
    """Of a profile whose stacks are estimated, too: the largest functions with their exact sums."""
    told = json.loads(subprocess.run([command, "report", "--json", PROFILE], stdout=subprocess.PIPE, check=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder, (200, 24), "%s browse %s" % (command, PROFILE))
        try:
            rows = [line.split() for line in terminal.settled().split("\n")[2:22]]
            terminal.quit(ESTIMATED)
        finally:
            terminal.close()
    seen = [(" ".join(row[5:]), *(row[i].replace(",", "") for i in (1, 3, 4))) for row in rows if row]
    known = {(row["function"], *(str(n) for n in (row["self"]["Ir"], row["inclusive"]["Ir"], row["calls"]))) for row in told["functions"]}
    if len(seen) != min(20, len(told["functions"])) or not set(seen) <= known:
        sys.exit("%d rows; not those of `report`: %s" % (len(seen), sorted(set(seen) - known)))


def filter_leaves_what_it_says(command):
    """Costs of `run` alone, beside whom it calls and who calls it."""
    told = json.loads(subprocess.run([command, "report", "--json", "--function", "^run$", PROFILE], stdout=subprocess.PIPE, check=True).stdout)
    run = told["functions"][0]
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder, (80, 24), "%s browse --function '^run$' %s" % (command, PROFILE))
        try:
            rows = [line.split() for line in terminal.settled().rstrip("\n").split("\n")[2:-1] if line.strip()]
            terminal.quit(ESTIMATED)
        finally:
            terminal.close()
    wanted = ["100.00%", *(str(n) for n in (run["self"]["Ir"], run["inclusive"]["Ir"], run["calls"])), "run"]
    if len(told["functions"]) != 1 or wanted not in rows or {row[-1] for row in rows} != {"run", "main", "fib", "even"}:
        sys.exit("not %s, its caller and its callees: %s" % (wanted, rows))


def tells_that_the_file_changes(command):
    """Without a key, a moment later."""
    with tempfile.TemporaryDirectory() as folder:
        log = shutil.copy(LOG, os.path.join(folder, "log.xray"))
        terminal = Terminal(folder, (80, 24), "%s browse %s" % (command, log))
        try:
            if "[input" in terminal.settled():
                sys.exit("a file that did not change is said to have")
            with open(log, "ab") as file:
                file.write(b"more")
            end = time.monotonic() + WAIT
            while "[input has grown]" not in terminal.screen():
                if time.monotonic() > end:
                    sys.exit("nothing is said of a file that has grown:\n" + terminal.screen())
                time.sleep(0.1)
            terminal.tmux("send-keys", "-t", "0", "q")
            wait_for(os.path.join(folder, "status"))
        finally:
            terminal.close()


def main():
    command = os.path.abspath(sys.argv[1])
    run = subprocess.run([command, "browse", LOG], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, start_new_session=True)
    if run.returncode != 2:
        sys.exit("without a terminal: status %d, %s" % (run.returncode, run.stdout))
    if "without ncurses" in run.stdout or not shutil.which("tmux"):
        print("skipped: needs a build with ncurses, and tmux")
        return 77
    compare_screens(command, "--write" in sys.argv, SCREENS, LOG)
    compare_screens(command, "--write" in sys.argv, SCREENS_BY_INSTRUCTION, PROFILE)
    table_is_that_of_report(command)
    filter_leaves_what_it_says(command)
    tells_that_the_file_changes(command)
    leaves_no_trace(command, "xterm-256color", "q", 0)
    leaves_no_trace(command, "vt100", "q", 0)
    leaves_no_trace(command, "screen", "TERM", 143)
    return 0


if __name__ == "__main__":
    sys.exit(main())
