# SPDX-License-Identifier: Apache-2.0
"""Runs of QEMU for the tests. QEMU 7.2 may go round for ever when it ends (qemu_plugin_user_exit(), in qht_reset_size()):
it is ended then, and what may not have said all is run again."""
import contextlib
import os
import shutil
import subprocess
import threading

PATIENCE, TRIES = 100, 3


@contextlib.contextmanager
def ended(process, patience=PATIENCE):
    """A process that is killed if it does not end in so many seconds by itself; then there is something in the list."""
    killed = []

    def kill():
        killed.append(process.pid)
        process.kill()

    timer = threading.Timer(patience, kill)
    timer.start()
    try:
        yield killed
    finally:
        timer.cancel()


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)


def run(arguments, clear=lambda: None, patience=PATIENCE, check=False, **options):
    """As subprocess.run() with all output as text; a run that does not end is ended, and made again. What it may have
    written is removed before each by `clear`. The status of one that never ends is that of SIGKILL."""
    for _ in range(TRIES):
        clear()
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", **options) as process:
            with ended(process, patience) as killed:
                out, err = process.communicate()
        if not killed:
            break
        print("ended after %g s: %s" % (patience, " ".join(arguments)))
    done = subprocess.CompletedProcess(arguments, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done
