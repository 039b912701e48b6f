# `dump --calls`: a line a call, in the order of begin within a thread. Times, depths and callers are those of the naive list
# that tests/differential/calls.py makes of the same records.
# Needs: Zydis zstd
trace=$GOLDEN/xray/fib-fdr.xray
tracelathe dump --calls --json "$trace" | head -n 4
tracelathe dump --calls "$trace" | head -n 2
tracelathe dump --calls --seconds "$trace" | head -n 2
tracelathe dump --calls --json --seconds "$trace" | head -n 2
# Filters choose calls; a caller that is not shown is passed over.
tracelathe dump --calls --function 2 "$trace" | head -n 2
# A log in which records are missing has calls that were left, and calls that begin in the gap.
tracelathe dump --calls "$GOLDEN/xray/gap-hole.xray" 2>/dev/null | grep -c -e " cut "
tracelathe dump --calls --json "$GOLDEN/xray/gap-hole.xray" 2>/dev/null | grep lost
# Sums hold no calls.
for file in "$GOLDEN/xray/exc-prof.xray" "$GOLDEN/callgrind/threads.out-01"; do
	tracelathe dump --calls "$file" 2>err
	echo "status $?"
	sed "s,^tracelathe: [^:]*,tracelathe: FILE," err
done
# Intel PT: tests/golden/intel_pt/README.md's program calls deep 1920 times (pt-timeline.cmd); without times in the trace a call
# lasts as many instructions as were executed.
tracelathe dump --calls --json "$GOLDEN/intel_pt/rec.ret.pt" 2>/dev/null | grep -c '"function":"deep"'
tracelathe dump --calls --json --function '^deep$' "$GOLDEN/intel_pt/rec.ret.pt" 2>/dev/null | wc -l
tracelathe dump --calls --seconds "$GOLDEN/intel_pt/rec.ret.pt" 2>&1 | grep -c "how long a tick is"
