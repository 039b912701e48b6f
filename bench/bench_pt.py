# SPDX-License-Identifier: Apache-2.0
"""The Intel PT part of bench.py: libipt's block loop with Debian's library and with ours, and our own interface.

Inputs: the large trace of the shared corpus (python, which repeats itself), and a run of the C compiler that is recorded
once (bench/record_cc1.sh). Rounds: in each, every program runs once, one after the other, so that a ratio compares runs of
the same minute; ratios are medians over the rounds. Loops: the time of decoding alone (set-up of the image included,
reading the trace not), one thread. Commands: from start to exit. "x libipt" compares processor time, which does not depend
on who else is there; where there are several threads, wall clock time. Memory is the peak resident set of the process."""
import os
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("TL_SHARED", os.path.join(ROOT, "..", "shared"))
DEBIAN = "/usr/lib/x86_64-linux-gnu"

# name, program, its arguments before the trace. "libipt" runs pt_libipt with Debian's library, "drop-in" with ours.
CONTENDERS = (
    ("libipt, block loop, section cache", "libipt", ("cached",)),
    ("libipt, image callback", "libipt", ("callback",)),
    ("drop-in, section cache", "drop-in", ("cached",)),
    ("drop-in, section cache, 16 MB limit", "drop-in", ("limited",)),
    ("drop-in, files", "drop-in", ("files",)),
    ("drop-in, image callback", "drop-in", ("callback",)),
    ("tl_pt_blocks, 256 a call, section cache", "ours", ("batch", "cached")),
    ("tl_pt_blocks, 256 a call, files", "ours", ("batch", "files")),
    ("tl_pt_blocks, 256 a call, callback", "ours", ("batch", "callback")),
    ("tl_pt_block_next", "ours", ("one", "cached")),
    ("tl_pt_nodes", "ours", ("nodes", "cached")),
    ("tl_pt_blocks, 256 a call, --jobs 2", "ours", ("batch2", "cached")),
)
# What the command does with the trace: everything from start to exit. --map is found beside the trace.
# Times from MTC need to be told the clocks, as the loops are; without, only TSC packets tell the time.
CLOCKS = ("--cpuid-0x15.eax", "2", "--cpuid-0x15.ebx", "176", "--mtc-freq", "3", "--nom-freq", "32")
COMMANDS = (
    ("tracelathe report --jobs 1", ("report", "--csv", "--jobs", "1")),
    ("tracelathe report --jobs 2", ("report", "--csv", "--jobs", "2")),
    ("tracelathe report --jobs 1, clocks", ("report", "--csv", "--jobs", "1", *CLOCKS)),
    ("tracelathe report --jobs 2, clocks", ("report", "--csv", "--jobs", "2", *CLOCKS)),
)
BEST = CONTENDERS[0][0]


def unpack(source, target):
    if not os.path.exists(target):
        subprocess.run(["zstd", "-q", "-d", "--long=27", "-f", source, "-o", target + ".part"], check=True)
        os.rename(target + ".part", target)


def python_traces(folder):
    """The corpus' large trace, unpacked: (name, trace, map, image)."""
    corpus = os.path.join(SHARED, "corpus", "large", "intel-pt")
    if not os.path.isdir(corpus):
        return
    os.makedirs(folder, exist_ok=True)
    for name in ("py.img", "py.ret.pt", "py.time.pt"):
        unpack(os.path.join(corpus, name + ".zst"), os.path.join(folder, name))
    for name in ("py.map", "py.truth"):
        with open(os.path.join(corpus, name), "rb") as file, open(os.path.join(folder, name), "wb") as copy:
            copy.write(file.read())
    for variant in ("ret", "time"):
        yield "py." + variant, folder, "py"


def compiler_traces(folder):
    """A compiler run, recorded once; TL_PT_LARGE may name a folder where that has been done."""
    folder = os.environ.get("TL_PT_LARGE", folder)
    script = os.path.join(ROOT, "bench", "record_cc1.sh")
    run = subprocess.run([script, os.path.join(SHARED, "tools", "pt-generator"), folder], stderr=subprocess.PIPE, text=True)
    if run.returncode:
        print("compiler run: %s" % run.stderr.strip())
        return
    for variant in ("ret", "time"):
        yield "cc1." + variant, folder, "cc1"


def instructions(folder, base):
    with open(os.path.join(folder, base + ".truth"), encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("insns "))


class Result:
    def __init__(self):
        self.wall, self.cpu, self.memory, self.insns, self.blocks, self.errors = [], [], 0, 0, 0, 0


def run_loop(args, library, result):
    env = dict(os.environ, LD_LIBRARY_PATH=library)
    run = subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        result.errors = -1
        return
    wall, cpu, insns, blocks, errors, memory = run.stdout.split()
    result.wall.append(float(wall))
    result.cpu.append(float(cpu))
    result.insns, result.blocks, result.errors = int(insns), int(blocks), int(errors)
    result.memory = max(result.memory, int(memory) / 1024)


def run_command(args, result):
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        begin = time.monotonic()
        process = subprocess.Popen(args, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        result.wall.append(time.monotonic() - begin)
        result.cpu.append(usage.ru_utime + usage.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
    result.errors = process.returncode
    result.memory = max(result.memory, usage.ru_maxrss / 1024)


def jobs_of(build, contenders, folder, base, trace):
    """(name, function that runs it once)."""
    code = [trace, os.path.join(folder, base + ".map"), os.path.join(folder, base + ".img")]
    loop, own = os.path.join(build, "bench", "pt_libipt"), os.path.join(build, "bench", "pt_blocks")
    for name, kind, words in contenders:
        program = own if kind == "ours" else loop
        library = DEBIAN if kind == "libipt" else os.path.join(build, "compat", "libipt")
        yield name, (lambda result, p=program, w=words, l=library: run_loop([p, *w, *code], l, result))
    for name, words in COMMANDS:
        args = [os.path.join(build, "tracelathe"), *words, trace]
        yield name, (lambda result, a=args: run_command(a, result))


def bench_trace(build, options, name, folder, base):
    trace = os.path.join(folder, name + ".pt")
    peers = os.path.exists(os.path.join(DEBIAN, "libipt.so.2")) and not options.no_peers
    contenders = [c for c in CONTENDERS if peers or c[1] != "libipt"]
    jobs = list(jobs_of(build, contenders, folder, base, trace))
    results = {job: Result() for job, _ in jobs}
    for _ in range(options.runs):
        for job, run in jobs:
            run(results[job])
    show(name, os.path.getsize(trace), instructions(folder, base), results)


def against(best, result, threads):
    """The median of how many times faster, round by round."""
    if not best or not best.wall:
        return "-"
    pairs = zip(best.wall, result.wall) if threads > 1 else zip(best.cpu, result.cpu)
    return "%.2f" % statistics.median(b / s for b, s in pairs)


def show(name, size, truth, results):
    print("\n%s, %.1f MB, %.1f M instructions" % (name, size / 1e6, truth / 1e6))
    print("%-42s %8s %8s %8s %9s %8s %6s" % ("", "cpu s", "wall s", "x libipt", "M insn/s", "MB/s", "MiB"))
    for job, result in results.items():
        if not result.wall:
            print("%-42s failed" % job)
            continue
        cpu, wall = statistics.median(result.cpu), statistics.median(result.wall)
        command = job.startswith("tracelathe")
        right = result.errors == 0 and (command or result.insns == truth)
        print("%-42s %8.3f %8.3f %8s %9.1f %8.1f %6.0f%s" %
              (job, cpu, wall, against(results.get(BEST), result, 2 if "--jobs 2" in job else 1), truth / cpu / 1e6,
               size / cpu / 1e6, result.memory,
               "" if right else "  (%d errors, %d instructions)" % (result.errors, result.insns)), flush=True)


def bench_intel_pt(build, folder, options):
    traces = list(python_traces(os.path.join(folder, "intel-pt"))) + \
        list(compiler_traces(os.path.join(folder, "intel-pt-cc1")))
    if not traces:
        print("\nIntel PT: no large traces here")
    for name, where, base in traces:
        bench_trace(build, options, name, where, base)
