# Instructions of an Intel PT trace, and their number in a profile, are those that were executed: the expected list is that
# of the recorder (rec.ips.zst), the number is that of rec.truth. Map and image are found beside the trace, or named; the
# trace may be compressed or come from a pipe.
# Needs: Zydis zstd
exec 2>/dev/null # which binaries of this machine give no names
insns=$(sed -n 's/^insns \([0-9]*\)$/\1/p' $GOLDEN/intel_pt/rec.truth)
zstd -dqc $GOLDEN/intel_pt/rec.ips.zst | od -An -v -w8 -t x8 | tr -d ' ' >wanted
for variant in ret time; do
	tracelathe dump --instructions --no-text $GOLDEN/intel_pt/rec.$variant.pt | cmp - wanted && echo "$variant: all instructions"
	tracelathe report --event Ir --csv $GOLDEN/intel_pt/rec.$variant.pt | python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
print("sum:", sum(int(r["Ir:self"]) for r in rows) == int(sys.argv[1]), "deep:", [r["calls"] for r in rows if r["function"] == "deep"])
' "$insns"
done
zstd -q $GOLDEN/intel_pt/rec.ret.pt -o packed.pt
tracelathe dump --instructions --no-text --map $GOLDEN/intel_pt/rec.map packed.pt | cmp - wanted && echo "compressed"
tracelathe dump --instructions --no-text --map $GOLDEN/intel_pt/rec.map - <packed.pt | cmp - wanted && echo "from a pipe"
tracelathe dump --blocks --json $GOLDEN/intel_pt/rec.ret.pt | python3 -c '
import json, sys
print("blocks:", sum(b.get("ninsn", 0) for b in map(json.loads, sys.stdin)) == int(sys.argv[1]))
' "$insns"
tracelathe stacks --event Ir $GOLDEN/intel_pt/rec.ret.pt | awk '{ sum += $NF } END { print "stacks:", sum }' | sed "s/ $insns/ all/"
# Filters: the self cost of a function is the number of its instructions; 22880 by tests/differential/pt_profile.py.
tracelathe dump --instructions --no-text --function '^deep$' $GOLDEN/intel_pt/rec.ret.pt | wc -l
tracelathe dump --instructions --no-text --time ..1000 --tsc-hz 1000000000 $GOLDEN/intel_pt/rec.time.pt | grep -vc '^\[' | sed "s/^$insns$/all/"
