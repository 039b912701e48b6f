#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/compared.md: "commands, options and tests named here exist, and every option that an installed tool lists has a row"; and
what is same or better has a test that runs the tool, or asks what it has said (the corpus's)."""
import glob
import os
import re
import shutil
import subprocess

import common
from common import expect, fail

HELP = {"callgrind_annotate": ["callgrind_annotate", "--help"], "cg_annotate": ["cg_annotate", "--help"],
        "cg_diff": ["cg_diff", "--help"]}
# Of each tool that Debian has: how a test that runs it names it.
RUN = {"llvm-xray": "llvm-xray", "callgrind_annotate": "callgrind_annotate", "cg_annotate": "cg_annotate", "cg_diff": "cg_diff",
       "cg_merge": "cg_merge", "perf script --itrace": '"perf"'}
# Letters of --itrace that no Intel processor has (man perf-script).
OTHER_PROCESSORS = set("fmMta")
# Options in the help of tools that Debian does not have: libipt 2.0.5's, and drmemtrace's (clients/drcachesim/common/options.h)
# but for those of its tracer.
PTDUMP = """--no-sync --quiet --no-pad --no-timing --no-cyc --no-offset --raw --lastip --exec-mode --time --tcal --time-delta --no-tcal
    --no-wall-clock --cpu --mtc-freq --nom-freq --cpuid-0x15.eax --cpuid-0x15.ebx"""
PTXED = """--att --no-inst --quiet --offset --time --raw-insn --check --iscache-limit --event:time --event:ip --event:tick
    --event:iflags --filter:addr<n>_cfg --filter:addr<n>_a --filter:addr<n>_b --stat --stat:insn --stat:blocks --verbose --pt --elf
    --raw --cpu --mtc-freq --nom-freq --cpuid-0x15.eax --cpuid-0x15.ebx --insn-decoder --insn:keep-tcal-on-ovf --block-decoder
    --block:show-blocks --block:end-on-call --block:end-on-jump --block:keep-tcal-on-ovf"""
# ptxed has them, and older ptdumps.
SIDEBAND = """--sb:compact --sb:verbose --sb:filename --sb:offset --sb:time --sb:switch --sb:warn --pevent:primary --pevent:secondary
    --pevent:sample-type --pevent:sample-config --pevent:time-zero --pevent:time-shift --pevent:time-mult --pevent:tsc-offset
    --pevent:kernel-start --pevent:sysroot --pevent:kcore --pevent:vdso-x64 --pevent:vdso-x32 --pevent:vdso-ia32"""
DRMEMTRACE = """cache_simulator miss_analyzer TLB histogram reuse_distance reuse_time basic_counts opcode_mix syscall_mix view func_view
    invariant_checker schedule_stats record_filter -tool -infile -indir -multi_indir -module_file -alt_module_dir -cores -line_size
    -L1I_size -L1D_size -L1I_assoc -L1D_assoc -LL_size -LL_assoc -LL_miss_file -coherence -use_physical -virt2phys_freq -v2p_file
    -cpu_scheduling -replace_policy -data_prefetcher -page_size -TLB_L1I_entries -TLB_L1D_entries -TLB_L1I_assoc -TLB_L1D_assoc
    -TLB_L2_entries -TLB_L2_assoc -TLB_replace_policy -verbose -show_func_trace -jobs -test_mode -test_mode_name
    -disable_optimizations -interval_microseconds -interval_instr_count -only_thread -only_threads -only_shards -skip_instrs
    -skip_records -skip_refs -skip_to_timestamp -warmup_refs -warmup_fraction -sim_refs -exit_after_records -config_file
    -add_noise_generator -report_top -reuse_distance_threshold -reuse_distance_histogram -reuse_skip_dist -reuse_distance_limit
    -reuse_verify_skip -reuse_histogram_bin_multiplier -view_syntax -miss_count_threshold -miss_frac_threshold -confidence_threshold
    -core_sharded -core_serial -record_file -replay_file -cpu_schedule_file -sched_switch_file -sched_syscall_file
    -schedule_stats_print_every -syscall_template_file -filter_stop_timestamp -filter_cache_size -filter_trace_types
    -filter_marker_types -encodings2regdeps -filter_func_ids -modify_marker_value -trim_before_timestamp -trim_after_timestamp
    -trim_before_instr -trim_after_instr -abort_on_invariant_error -pt2ir_best_effort -scale_timers"""
NOT_IN_DEBIAN = (("ptdump", PTDUMP + " " + SIDEBAND), ("ptxed", PTXED), ("drmemtrace analyzers", DRMEMTRACE))
# Of every tool: they are about the tool itself.
PLAIN = {"--help", "--help-list", "--version", "--help-hidden"}
VERDICTS = {"same", "better", "missing", "not wanted"}
options_of = {}
count = 0


def has_option(command, option):
    if command not in options_of:
        text = common.run("help", "--man", command)
        options_of[command] = set(re.findall(r"--[a-z0-9.][\w.-]*", re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-")))
    return option in options_of[command]


def test_exists(name):
    root = os.path.join(common.ROOT, "tests")
    return any(glob.glob(os.path.join(root, pattern % name)) for pattern in
               ("differential/%s.py", "differential/%s.c", "cli/cases/%s.cmd", "unit/*/test_%s.c", "unit/*/*/test_%s.c"))


def runs_tool(section, names):
    for name in names:
        path = os.path.join(common.ROOT, "tests", "differential", name + ".py")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if RUN[section] in file.read():
                    return True
    return False


def check_row(section, cells):
    theirs, ours, verdict, how, test = cells
    where = section + " " + theirs
    expect(where + ": verdict is known", verdict in VERDICTS, True)
    for command in re.findall(r"`([^`]+)`", ours):
        words = command.split()
        for option in words[1:]:
            if not has_option(words[0], option):
                fail(where, "names", command, "which does not exist")
    names = re.findall(r"`([^`]+)`", test)
    if verdict in ("same", "better"):
        expect(where + ": has a test", bool(names), True)
        expect(where + ": says which of ours", bool(ours), True)
        if section in RUN:
            expect(where + ": a test runs the tool", runs_tool(section, names), True)
    if verdict == "not wanted":
        expect(where + ": says why", bool(how), True)
    for name in names:
        expect("%s: test %s exists" % (where, name), test_exists(name), True)


def rows():
    """(section, cells) of each table"""
    section = None
    with open(os.path.join(common.ROOT, "docs", "compared.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                section = line[3:].strip()
            elif line.startswith("|") and section and not line.startswith(("|---", "| theirs")):
                yield section, [cell.strip() for cell in line.strip().strip("|").split("|")]


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode("utf-8", "replace")


def listed(words):
    return set(re.findall(r"^\s*(?:-\w(?:<\w+>)? )?\s*(--[a-z][\w-]*)", output(*words), re.M)) - PLAIN


def main():
    global count
    named = {}
    for section, cells in rows():
        if len(cells) != 5:
            fail("a row of", section, "has", len(cells), "cells:", cells[0])
            continue
        check_row(section, cells)
        named.setdefault(section, set()).update(re.findall(r"`([^`]+)`", cells[0]))
        count += 1
    for tool, words in HELP.items():
        if shutil.which(tool):
            expect(tool + ": options without a row", sorted(listed(words) - named.get(tool, set())), [])
    for section, names in NOT_IN_DEBIAN:
        expect(section + ": options without a row", sorted(set(names.split()) - named[section]), [])
    if shutil.which("cg_merge"):
        expect("cg_merge: options without a row", sorted(set(re.findall(r"\[(-\w)", output("cg_merge", "--help"))) - named["cg_merge"]), [])
    if common.tool("perf"):
        letters = set(re.findall(r"^\s+([a-zA-Z])(?:\[\w+\]|NUMBER)?:", output("perf", "inject", "-h"), re.M))
        expect("perf: some letters", letters > set("bcrxwpIedgGlLsqAZ") - {"b", "c", "r"}, True)
        expect("perf: letters without a row", sorted(letters - OTHER_PROCESSORS - named["perf script --itrace"]), [])
    for xray in filter(None, map(common.tool, ("llvm-xray-19", "llvm-xray-22"))):
        commands = re.findall(r"^  ([a-z][\w-]+) +- ", output(xray, "--help").split("OPTIONS:")[0], re.M)
        expect(xray + ": commands without a row", (sorted(set(commands) - named["llvm-xray"]), len(commands) > 5), ([], True))
        for command in commands:
            have = {name[len(command) + 1:] for name in named["llvm-xray"] if name.startswith(command + " ")}
            expect("%s %s: options without a row" % (xray, command), sorted(listed([xray, command, "--help"]) - have), [])
    common.finish(count, "rows of docs/compared.md")


if __name__ == "__main__":
    main()
