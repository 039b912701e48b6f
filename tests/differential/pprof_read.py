#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pprof profiles as inputs: cpu, heap and mutex profiles of a Go program recorded here have the totals, the flat and the
cumulative costs of each function, that `go tool pprof -top` has; a profile written anew has the same bytes; the sums of a
Callgrind profile are the same behind pprof and back."""
import gzip
import os
import re
import shutil
import subprocess
import tempfile

import common
from common import expect, fail

PROGRAM = """
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func add(a, b int) int { return a*31 + b }

func spin(until time.Time) int {
	sum := 0
	for time.Now().Before(until) {
		for i := 0; i < 1000; i++ {
			sum = add(sum, i)
		}
	}
	return sum
}

func write(name string) {
	file, _ := os.Create(name + ".pb.gz")
	pprof.Lookup(name).WriteTo(file, 0)
	file.Close()
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.MemProfileRate = 512
	file, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(file)
	var lock sync.Mutex
	var wait sync.WaitGroup
	for n := 0; n < 3; n++ {
		wait.Add(1)
		name := string(rune('a' + n))
		go pprof.Do(context.Background(), pprof.Labels("worker", name), func(context.Context) {
			defer wait.Done()
			for i := 0; i < 10; i++ {
				lock.Lock()
				spin(time.Now().Add(10 * time.Millisecond))
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	kept := grow(10)
	pprof.StopCPUProfile()
	file.Close()
	runtime.GC()
	write("heap")
	write("mutex")
	runtime.KeepAlive(kept)
}
"""
UNITS = {"cpu": ("samples", "cpu"), "heap": ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"),
         "mutex": ("contentions", "delay")}
ROW = re.compile(r"^\s*(-?\d+)\w*\s+\S+%\s+\S+%\s+(-?\d+)\w*\s+\S+%\s+(.+?)(?: \(inline\)| \(partial-inline\))?$")


def go(folder, *args):
    env = dict(os.environ, HOME=folder, GOCACHE=os.path.join(folder, "cache"), GOFLAGS="-mod=mod", PPROF_TMPDIR=folder)
    return subprocess.run(["go", *args], cwd=folder, env=env, capture_output=True, text=True, check=False)


def top(folder, path, event, *options):
    """What go tool pprof says: total, and (flat, cumulative) by function."""
    unit = {"cpu": "ns", "delay": "ns"}.get(event, "b" if event.endswith("space") else "count")
    text = go(folder, "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", "-unit=" + unit,
              "-sample_index=" + event, *options, path).stdout
    rows = {found.group(3): (int(found.group(1)), int(found.group(2)))
            for found in map(ROW.match, text.splitlines()) if found}
    total = re.search(r"of (-?\d+)\w* total", text)
    return int(total.group(1)) if total else None, rows


def ours(folder, path, event, *options):
    total, rows = 0, {}
    text = subprocess.run([common.command(), "report", "--csv", "--all", *options, path], cwd=folder, capture_output=True,
                          text=True, check=False).stdout
    for row in common.csv.DictReader(common.io.StringIO(text)):
        flat, cumulative = int(row[event + ":self"]), int(row[event + ":inclusive"])
        total += flat
        was = rows.get(row["function"], (0, 0))
        rows[row["function"]] = (was[0] + flat, was[1] + cumulative)
    return total, {name: row for name, row in rows.items() if row != (0, 0)}


def compare(folder, name):
    for event in UNITS[name]:
        path = name + ".pb.gz"
        wanted_total, wanted = top(folder, path, event)
        total, rows = ours(folder, path, event)
        expect("the total of %s in %s" % (event, path), total, wanted_total)
        expect("functions by %s in %s" % (event, path), rows, wanted)
    return len(UNITS[name])


def compare_labels(folder):
    sums = 0
    for worker in "abc":
        total, _ = top(folder, "cpu.pb.gz", "cpu", "-tagfocus=worker=^%s$" % worker)
        _, rows = top(folder, "cpu.pb.gz", "cpu", "-tagfocus=worker=^%s$" % worker)
        got, _ = ours(folder, "cpu.pb.gz", "cpu", "--label", "worker=" + worker)
        expect("flat costs of worker " + worker, got, sum(flat for flat, _ in rows.values()))
        sums += got
        if total is None:
            fail("no total for worker", worker)
    return 3


def compare_bytes(folder):
    for name in UNITS:
        subprocess.run([common.command(), "convert", "--to", "pprof", "-o", "again.pb.gz", name + ".pb.gz"], cwd=folder,
                       check=True)
        with gzip.open(os.path.join(folder, name + ".pb.gz")) as one, gzip.open(os.path.join(folder, "again.pb.gz")) as two:
            expect("the bytes of %s written anew" % name, two.read() == one.read(), True)
    return len(UNITS)


def compare_callgrind(folder):
    """Self costs by function name; call paths are estimated on the way, sums are not."""
    path = os.path.join(common.ROOT, "tests", "golden", "callgrind", "threads.out-01")
    subprocess.run([common.command(), "convert", "--to", "pprof", "-o", "c.pb.gz", path], cwd=folder, check=False)
    subprocess.run([common.command(), "convert", "--to", "callgrind", "-o", "c.out", "c.pb.gz"], cwd=folder, check=False)

    def sums(file):
        text = subprocess.run([common.command(), "report", "--json", "--all", file], cwd=folder, capture_output=True,
                              text=True, check=False).stdout
        report = common.json.loads(text)
        return {event: report["total"][event] for event in report["events"]}
    wanted = sums(path)
    for step in ("c.pb.gz", "c.out"):
        got = sums(step)
        expect("the sums of " + step, {event: got.get(event) for event in wanted}, wanted)
    return 2


def main():
    if not shutil.which("go"):
        common.skip("no go (package golang-go)")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        built = go(folder, "build", "-o", "demo", "main.go")
        if built.returncode:
            common.skip("go cannot build a program: " + built.stderr[:200])
        subprocess.run([os.path.join(folder, "demo")], cwd=folder, check=True)
        count = sum(compare(folder, name) for name in UNITS)
        count += compare_labels(folder) + compare_bytes(folder) + compare_callgrind(folder)
    common.finish(count, "comparisons")


if __name__ == "__main__":
    main()
