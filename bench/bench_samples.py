# SPDX-License-Identifier: Apache-2.0
"""The part of bench.py about samples in perf.data: stacks by frame pointers, by copies of the stack, inlined functions.

Programs are generated and compiled here, recorded once with perf (cpu-clock, which needs no hardware), and the recordings repeated to the
size that is wanted (bench/gen_samples). A repeated recording has few stacks, each many times; one whose stacks are generated
has above a million places in its tree. Figures are processor time, the least of the runs, since others may work on the machine; anonymous
memory is looked at every few milliseconds. Peers (perf script, perf report) read the beginning of the same, and what they take is scaled."""
import os
import re
import shutil
import subprocess
import time

from bench_foreign import processor_seconds

FUNCTIONS = 20000
LINES = 400  # functions of the recorded program
COPIES = 145  # of the object file that the program with much debug information is made of


def least_seconds(runs, args):
    return min(processor_seconds(args) for _ in range(runs))


def anonymous_mib(args):
    """The most memory of its own, mapped files left out, that a run is seen with."""
    most = 0
    with subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                with open("/proc/%d/status" % process.pid, encoding="ascii") as status:
                    most = max([most] + [int(line.split()[1]) for line in status if line.startswith("RssAnon")])
            except OSError:
                pass
            time.sleep(0.002)
    return most / 1024


def made(path, args, **more):
    """What a command writes, once."""
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run(args, stdout=out, check=True, **more)
        os.rename(path + ".part", path)
    return path


def written(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return path


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


class Table:
    """Rows with a figure, what it is meant to be, and whether it is."""

    def __init__(self, title):
        print("\n%-58s %12s %12s" % (title, "", "meant"))

    def row(self, name, value, unit, most=None, least=None):
        goal, missed = "", ""
        if most is not None:
            goal, missed = "<= %.4g" % most, "" if value <= most else "  missed"
        elif least is not None:
            goal, missed = ">= %.4g" % least, "" if value >= least else "  missed"
        print("%-58s %12s %12s%s" % (name, "%.4g %s" % (value, unit), goal, missed), flush=True)


# ---- programs ----

def library(folder):
    """Functions of 64 bytes each."""
    path = os.path.join(folder, "generated.so")
    if not os.path.exists(path):
        text = "\t.text\n" + "".join("\t.globl function_%d\n\t.type function_%d,@function\n\t.p2align 6\nfunction_%d:\n\tret\n"
                                     "\t.skip 63, 0x90\n\t.size function_%d, 64\n" % (i, i, i, i) for i in range(FUNCTIONS))
        source = written(os.path.join(folder, "generated.s"), text)
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", path, source],
                       check=True)
    return path


def recorded_program(folder, name, options):
    """Functions that call each other along some hundred paths of about 70 calls."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    functions = "".join("NOT_INLINED static unsigned long function_%d(int depth, unsigned long seed)\n{ volatile char room[%d]; room[0] = 1;\n"
                        "  return (depth ? list[seed %% %d](depth - 1, seed * 6364136223846793005u + %du) : spin(seed)) + room[0]; }\n"
                        % (i, 8 + i % 5 * 16, LINES, i * 2 + 1) for i in range(LINES))
    text = """#include <stdlib.h>
#define NOT_INLINED __attribute__((noinline, noclone))
typedef unsigned long callee(int, unsigned long);
static callee *list[%d];
NOT_INLINED static unsigned long spin(unsigned long n) { for (volatile int i = 0; i < 3000; i++) n += n >> 3; return n; }
%s
int main(int argc, char **argv)
{
	unsigned long sum = 0;
%s
	for (long i = 0, count = atol(argv[argc - 1]); i < count; i++)
		sum += list[i %% %d](60 + i %% 20, i %% 500);
	return sum == 1;
}
""" % (LINES, functions, "".join("\tlist[%d] = function_%d;\n" % (i, i) for i in range(LINES)), LINES)
    source = written(os.path.join(folder, name + ".c"), text)
    subprocess.run(["gcc", "-O1", "-fno-optimize-sibling-calls", "-g1", *options, "-o", path, source], check=True)
    return path


def record(folder, name, program, *options, count="100000"):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o", path, *options, "--", program, count],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode or not os.path.exists(path):
            print("skipped: perf cannot record here: %s" % done.stderr.strip().split("\n")[0])
            return None
    return path


def repeated(build, path, size):
    return made("%s.%dMB" % (path, size), [os.path.join(build, "bench", "gen_samples"), "repeat", path, str(size)])


def samples_in(program, path):
    text = subprocess.run([program, "report", "--csv", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout.splitlines()
    columns = text[0].split(",")
    at = next(i for i, name in enumerate(columns) if name.endswith("samples:self"))
    # Names of objects and functions have no commas here, but files may.
    return sum(int(line.split(",")[at - len(columns)]) for line in text[1:])


def frames_in(program, path):
    """By the stacks as text."""
    text = subprocess.run([program, "convert", "--to", "folded", "--event", "samples", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return sum((line.count(";") + 1) * int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


# ---- frame pointers ----

def bench_frame_pointers(build, folder, options):
    program = os.path.join(build, "tracelathe")
    generator = os.path.join(build, "bench", "gen_samples")
    inputs = []
    recording = record(folder, "framed.data", recorded_program(folder, "framed", ["-fno-omit-frame-pointer"]), "-F", "10000", "-g")
    if recording:
        inputs.append(("repeated", repeated(build, recording, 1000), repeated(build, recording, 20), 1.2))
    code = library(folder)
    tree = [generator, "tree", code, hex(sections(code)[".text"][1]), str(FUNCTIONS)]
    inputs.append(("above a million places", made(os.path.join(folder, "tree.data"), [*tree, "1000"]),
                   made(os.path.join(folder, "tree-20.data"), [*tree, "20"]), 2.0))
    table = Table("samples by frame pointers, 1 GB")
    for name, path, part, meant in inputs:
        warm(path)
        gigabytes = os.path.getsize(path) / 1e9
        ours = least_seconds(options.runs, [program, "flame", path]) / gigabytes
        table.row("flame, %s" % name, ours, "s/GB", most=meant)
        table.row("  report --csv", least_seconds(options.runs, [program, "report", "--csv", path]) / gigabytes, "s/GB")
        table.row("  flame, anonymous memory, stacks included", anonymous_mib([program, "flame", path]), "MiB")
        if not options.no_peers and shutil.which("perf"):
            share = os.path.getsize(part) / 1e9
            script = "perf script -F comm,ip,sym -i '%s' | awk '%s' | sort | uniq -c" % (part, COLLAPSE)
            table.row("  perf script | collapse, times slower", processor_seconds(["sh", "-c", script]) / share / ours, "x")
            report = processor_seconds(["perf", "report", "--stdio", "-i", part])
            table.row("  perf report, times slower", report / share / ours, "x")


# Stacks that end with an empty line, a frame a line, as one line each.
COLLAPSE = '/^$/ { print stack; stack = ""; next } /^\\t/ { stack = $2 ";" stack }'


# ---- copies of the stack ----

def bench_unwinding(build, folder, options):
    program = os.path.join(build, "tracelathe")
    recording = record(folder, "frameless.data", recorded_program(folder, "frameless", ["-fomit-frame-pointer"]), "-F", "4000",
                       "--call-graph", "dwarf")
    if not recording:
        return
    path = repeated(build, recording, 250)
    warm(path)
    table = Table("samples by copies of the stack, %.0f MB" % (os.path.getsize(path) / 1e6))
    count, frames = samples_in(program, path), frames_in(program, path)
    cost = least_seconds(options.runs, [program, "report", "--csv", path])
    table.row("report --csv, samples", count, "", least=20000)
    table.row("  frames of a sample", frames / count, "")
    table.row("  samples a second", count / cost / 1000, "k")
    table.row("  frames a second", frames / cost / 1e6, "M", least=25)
    once = least_seconds(options.runs, [program, "report", "--csv", recording])
    table.row("  the recording once: samples a second", samples_in(program, recording) / once / 1000, "k")
    if not options.no_peers:
        seconds = processor_seconds(["perf", "script", "-F", "comm,ip,sym", "-i", recording])
        table.row("  times perf script's samples a second", seconds / samples_in(program, recording) / (cost / count), "x", least=15)


# ---- inlined functions ----

# Types of no name, so that each of the copies of an object file has all that is made of them.
PART = r"""
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
#include <regex>
namespace {
template<int N> struct item {
	unsigned long key; std::string text;
	bool operator<(const item &o) const { return key != o.key ? key < o.key : text < o.text; }
	bool operator==(const item &o) const { return key == o.key && text == o.text; }
};
template<int N> struct hash { size_t operator()(const item<N> &i) const { return i.key * 31 + N; } };
template<int N> unsigned long work(unsigned long n)
{
	std::vector<item<N>> list; std::map<item<N>, unsigned long> tree; std::set<item<N>> some; std::deque<item<N>> queue;
	std::unordered_map<item<N>, std::vector<item<N>>, hash<N>> table; std::multimap<unsigned long, std::shared_ptr<item<N>>> many;
	for (unsigned long i = 0; i < n; i++) {
		item<N> one{ (i * 2654435761u + N) % 1021, std::to_string(i) };
		list.push_back(one); tree[one] += i; queue.push_front(one); table[one].push_back(one); some.insert(one);
		many.emplace(one.key, std::make_shared<item<N>>(one));
	}
	std::sort(list.begin(), list.end());
	std::stable_sort(queue.begin(), queue.end(), [](const item<N> &a, const item<N> &b) { return b < a; });
	list.erase(std::unique(list.begin(), list.end()), list.end());
	std::function<unsigned long(const item<N> &)> sum = [&](const item<N> &i) { return i.key + table[i].size(); };
	unsigned long total = std::accumulate(list.begin(), list.end(), 0ul, [&](unsigned long s, const item<N> &i) { return s + sum(i); });
	std::nth_element(list.begin(), list.begin() + list.size() / 2, list.end());
	return total + some.size() + many.count(7) + tree.size();
}
}
extern "C" unsigned long run(unsigned long n) { return work<1>(n) + work<2>(n) + work<3>(n) + work<4>(n) + work<5>(n) + work<6>(n) + work<7>(n) + work<8>(n); }
"""


def large_program(folder):
    """A program with some hundreds of megabytes of debug information: object files that are linked many times over."""
    path = os.path.join(folder, "large")
    if os.path.exists(path):
        return path
    source = written(os.path.join(folder, "part.cpp"), PART)
    objects = os.path.join(folder, "large-objects")
    os.makedirs(objects, exist_ok=True)
    one = os.path.join(objects, "part.o")
    subprocess.run(["g++", "-O2", "-g", "-fno-omit-frame-pointer", "-c", "-o", one, source], check=True)
    names = ["run_%d" % copy for copy in range(COPIES)]
    files = [os.path.join(objects, name + ".o") for name in names]
    for name, file in zip(names, files):
        subprocess.run(["objcopy", "--redefine-sym", "run=" + name, one, file], check=True)
    main = "#include <stdlib.h>\n" + "".join("unsigned long %s(unsigned long);\n" % name for name in names)
    main += "int main(int argc, char **argv)\n{\n\tunsigned long n = atol(argv[argc - 1]), sum = 0;\n"
    main += "".join("\tsum += %s(n);\n" % name for name in names) + "\treturn sum == 1;\n}\n"
    subprocess.run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-c", "-o", os.path.join(objects, "main.o"),
                    written(os.path.join(objects, "main.c"), main)], check=True)
    listed = written(os.path.join(objects, "files"), "\n".join([os.path.join(objects, "main.o"), *files]))
    linker = next(([] if name == "bfd" else ["-fuse-ld=" + name] for name in ("mold", "lld", "gold", "bfd")
                   if name == "bfd" or shutil.which("ld." + name)))
    subprocess.run(["g++", *linker, "-o", path + ".part", "@" + listed], check=True)
    shutil.rmtree(objects)
    os.rename(path + ".part", path)
    return path


def sections(path):
    """Of readelf: name -> (address, place, size)."""
    text = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"\] (\.\S+)\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", text)
    return {name: tuple(int(value, 16) for value in values) for name, *values in found}


def perf_inlined(path):
    """What perf takes for a sample, by the clock: the time of its addr2line is not told. It is stopped after half a minute."""
    command = ["timeout", "30", "perf", "script", "-F", "ip,sym,srcline", "--inline", "-i", path]
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return (time.monotonic() - begin) / max(done.stdout.count("\n\n"), 1)


def bench_inlined(build, folder, options):
    program, generator = (os.path.join(build, name) for name in ("tracelathe", "bench/gen_samples"))
    binary = large_program(folder)
    parts = sections(binary)
    size = sum(values[2] for name, values in parts.items() if name.startswith(".debug"))
    table = Table("inlined functions, %.0f MB of debug information" % (size / 1e6))
    recording = record(folder, "large.data", binary, "-F", "2000", "-g", count="250")
    if recording:
        asked = [program, "report", "--csv", "--inline", recording]
        count = samples_in(program, recording)
        cost = least_seconds(options.runs, asked)
        table.row("report --inline, samples all over the program", count, "")
        table.row("  the whole pass", cost, "s", most=1.5)
        table.row("  anonymous memory", anonymous_mib(asked), "MiB", most=250)
    few = record(folder, "large-few.data", binary, "-F", "499", "-g", count="250")
    if few:
        count = samples_in(program, few)
        begin = time.monotonic()
        processor_seconds([program, "report", "--csv", "--inline", few])
        clock = time.monotonic() - begin
        table.row("report --inline, fewer samples", count, "", least=100)
        table.row("  the whole pass, by the clock", clock, "s", most=1.5)
        if not options.no_peers:
            table.row("  perf script --inline, by the clock, times slower", perf_inlined(few) * count / clock, "x", least=25)
    _, place, length = parts[".text"]
    looked_up = 500000
    scattered = [generator, "scattered", binary, hex(place), str(length)]
    paths = [made(os.path.join(folder, "scattered-%d.data" % count), [*scattered, str(count)]) for count in (looked_up, 2 * looked_up)]
    cost = [least_seconds(options.runs, [program, "report", "--csv", "--inline", path]) for path in paths]
    table.row("look-ups, %d addresses more" % looked_up, looked_up / 1e6 / max(cost[1] - cost[0], 1e-9), "M/s", least=0.5)


def bench_samples(build, folder, options):
    folder = os.path.join(folder, "samples")
    os.makedirs(folder, exist_ok=True)
    if not shutil.which("perf") or not shutil.which("g++"):
        print("\nskipped: no perf or g++ here, so no samples are recorded")
        return
    bench_frame_pointers(build, folder, options)
    bench_unwinding(build, folder, options)
    bench_inlined(build, folder, options)
