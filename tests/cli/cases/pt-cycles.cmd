# "Cycles: the sum of all CYC since synchronising but the first" (docs/formats/intel-pt.md section 6), whatever shows them:
# the packets as listed are the expected value. Without CYC there is no such event.
# Needs: Zydis
exec 2>/dev/null # which binaries of this machine give no names
trace=$GOLDEN/intel_pt/timed.pt
options="--map $GOLDEN/intel_pt/tiny.map --cpuid-0x15.eax 2 --cpuid-0x15.ebx 176 --mtc-freq 3 --nom-freq 32"
tracelathe dump --packets $trace | python3 -c '
import sys
cycles = [int(line.split()[2], 16) for line in sys.stdin if line.split()[1] == "cyc"]
print(sum(cycles[1:]))' >wanted
tracelathe info $trace | sed -n 's/^cycles: //p' | cmp - wanted && echo "info"
tracelathe report --json $options $trace | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["events"], sum(f["self"]["Cycles"] for f in report["functions"]) == int(open("wanted").read()))'
tracelathe stacks --event Cycles $options $trace | awk '{ sum += $NF } END { print sum }' | cmp - wanted && echo "stacks"
tracelathe convert $options $trace | sed -n 's/^summary: [0-9]* \([0-9]*\) .*/\1/p' | cmp - wanted && echo "callgrind"
tracelathe tree --event Cycles --top-down $options $trace | grep -c "$(sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta' wanted)" | sed 's/^[1-9].*/tree/'
tracelathe report --json $GOLDEN/intel_pt/tiny.pt | python3 -c 'import json, sys; print(json.load(sys.stdin)["events"])'
# Half a million crystal clocks a second, 88 ticks of the TSC each: 44 MHz.
tracelathe report --json --cpuid-0x15.ecx 500000 $options $trace | python3 -c 'import json, sys; print(json.load(sys.stdin)["frequency"])'
