# What ptxed and ptdump can list besides: counts (those of the truth), ticks, the calibration of CYC, ranges of addresses.
# Needs: Zydis
options="--cpuid-0x15.eax 2 --cpuid-0x15.ebx 176 --mtc-freq 3 --nom-freq 32"
trace=$GOLDEN/intel_pt/timed.pt
map="--map $GOLDEN/intel_pt/tiny.map"
grep insns $GOLDEN/intel_pt/tiny.truth
tracelathe dump --stat $map $trace
tracelathe dump --stat --json $map $trace
tracelathe dump --blocks --stat $map $trace | tail -2
# "Ticks per cycle": the time goes by 1 an instruction, as cycles do.
tracelathe dump --packets --tcal $options $trace | grep -m 2 fcr
tracelathe dump --packets --timestamps $trace | sed -n '2,4p'
tail -c +25 $trace >late.pt # from the TMA behind the first TSC on
tracelathe dump --packets --no-sync --timestamps $options late.pt | grep -m 1 -w tma
tracelathe dump --packets --no-sync --timestamps --no-wall-clock $options late.pt | grep -m 1 -w tma
tracelathe dump --packets --no-sync --timestamps late.pt | grep -c 'calibration error'
tracelathe dump --packets --no-sync --timestamps --no-tcal late.pt | grep -c 'calibration error'
tracelathe dump --events $map $options $trace | grep -c tick
tracelathe dump --events --ticks $map $options $trace | grep -c tick
# 1000 nop; 1001 nop; 1002 jmp 1012; 1012 nop; 1013 ret; tracing ends at an address that is not told. "skl014: with the
# filter configured: disable at the first direct branch whose target is outside" (docs/formats/intel-pt.md, 7).
python3 - <<END
open("code", "wb").write(bytes.fromhex("9090eb0e") + bytes(14) + bytes.fromhex("90c3"))
ip = (0x1000).to_bytes(6, "little")
open("ends.pt", "wb").write(bytes([2, 0x82] * 8) + b"\x99\x01\x7d" + ip + b"\x02\x23" + b"\x01")
END
for filter in '' '--address-filter 0x1000..0x1003' '--address-filter stop:0x10..0x20,0x1000..0x1012'; do
  tracelathe dump --instructions --no-text --cpu-model 6/78/3 --raw code@0x1000 $filter ends.pt | tr '\n' ' '
done
echo
for wrong in 1..2..3 5..4 ..4 1.. stop:1 1..2,, 1..2,3..4,5..6,7..8,9..10; do
  tracelathe dump --address-filter $wrong ends.pt 2>&1 | cut -c1-60
done | sort | uniq -c
