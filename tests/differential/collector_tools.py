# SPDX-License-Identifier: Apache-2.0
"""The collector of examples/qemu-xtrace-plugin for the tests: it is built, and a QEMU that loads it is looked for."""
import glob
import os
import re
import shutil
import subprocess

import common

FOLDER = os.path.join(common.ROOT, "examples", "qemu-xtrace-plugin")
PROGRAMS = os.path.join(common.ROOT, "tests", "differential", "collected")
SMALL = os.path.join(common.ROOT, "tests", "golden", "xtrace", "small.elf")
CC = os.environ.get("AARCH64_CC") or shutil.which("aarch64-linux-gnu-gcc")
# Where QEMU's own header may be.
HEADERS = [os.environ.get("QEMU_PLUGIN_INCLUDE", ""), "/usr/include", "/usr/include/qemu", "/usr/local/include",
           "/usr/local/include/qemu"]


def header():
    """The folder of a qemu-plugin.h of version 4 or newer."""
    for place in HEADERS:
        path = os.path.join(place, "qemu-plugin.h")
        if place and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                version = re.search(r"#define QEMU_PLUGIN_VERSION (\d+)", file.read())
            if version and int(version[1]) >= 4:
                return place
    return None


def build(folder, *options):
    """The collector, in this folder; None: it does not build, which is a failure."""
    done = subprocess.run(["make", "-C", FOLDER, "-s", "BUILD=" + folder, *options,
                           "CFLAGS=-O2 -Wall -Wextra -Wshadow -Wconversion -Werror"], capture_output=True, text=True)
    if done.returncode:
        common.fail("the collector does not build:", done.stdout, done.stderr)
        return None
    return os.path.join(folder, "xtrace.so")


def built(folder):
    """The same, or an end of the test."""
    if not common.tool("make"):
        common.skip("no make")
    return build(folder) or common.finish(0, "steps")


def counter(folder):
    """The plugin that counts instructions, independently of the collector."""
    path = os.path.join(folder, "counter.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path, os.path.join(PROGRAMS, "counter.c")], check=True)
    return path


def streams(folder):
    return sorted(glob.glob(os.path.join(folder, "*.xinsndata.bin")))


def user_emulator(plugin, scratch):
    """A qemu-aarch64 that records with the plugin: QEMU_AARCH64's, else the one of PATH."""
    for qemu in (os.environ.get("QEMU_AARCH64"), shutil.which("qemu-aarch64")):
        folder = os.path.join(scratch, "probe")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        if qemu and subprocess.run([qemu, "-plugin", "%s,out=%s" % (plugin, folder), SMALL],
                                   capture_output=True).returncode == 0 and streams(folder):
            return qemu
    return None


def system_emulator():
    """A qemu-system-aarch64 of version 9.2 or newer: QEMU_SYSTEM_AARCH64's, else the one of PATH."""
    for qemu in (os.environ.get("QEMU_SYSTEM_AARCH64"), shutil.which("qemu-system-aarch64")):
        told = qemu and subprocess.run([qemu, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"version (\d+)\.(\d+)", told or "")
        if version and (int(version[1]), int(version[2])) >= (9, 2):
            return qemu
    return None


def compile_program(scratch, name, source, *flags):
    program = os.path.join(scratch, name)
    subprocess.run([CC, "-O2", *flags, "-o", program, source], check=True)
    return program
