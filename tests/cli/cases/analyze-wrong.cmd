# What cannot be analyzed or converted is told, with the file it is about, and nothing is written.
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
both="$GOLDEN/xtrace/xtrace.20260101000001.0.hint9.xinsndata.bin $GOLDEN/xtrace/xtrace.20260101000001.1.hint9.xinsndata.bin"
try() { tracelathe "$@" >out 2>err; echo "$? $(wc -c <out) $(sed "s,$GOLDEN/,," err)"; }
cp $GOLDEN/xray/fib-fdr.xray .
try analyze fib-fdr.xray
try convert --to tarmac fib-fdr.xray
try convert --to champsim $both
try analyze --csv --reuse --footprint $trace
try analyze --bbv --cache $trace
try analyze --footprint --line 48 $trace
try analyze --thread 7 --footprint $trace
try analyze --cache=none.cfg $trace
printf '# two levels\nL1 data size=32K ways=3 line=64\n' >ways.cfg
try analyze --cache=ways.cfg $trace
printf 'L1 data size=32K ways=8 next=L2\n' >next.cfg
try analyze --cache=next.cfg $trace
printf 'L1 data size=32K ways=8\nL2 data size=64K ways=8\n' >first.cfg
try analyze --cache=first.cfg $trace
try analyze --cache= $trace
printf 'L1 data size=32K ways=8 policy=mru\n' >policy.cfg
try analyze --cache=policy.cfg $trace
printf 'L1 data size=32K ways=8 write=around\n' >write.cfg
try analyze --cache=write.cfg $trace
printf 'L1 data size=32K ways=8 prefetch=all\n' >prefetch.cfg
try analyze --cache=prefetch.cfg $trace
printf 'A gshare entries=48 history=4\n' >power.cfg
try analyze --branches=power.cfg $trace
printf '# none\nA perceptron entries=64\n' >kind.cfg
try analyze --branches=kind.cfg $trace
printf 'A bimodal entries=64 ways=2\n' >setting.cfg
try analyze --branches=setting.cfg $trace
printf 'A stack entries=8\nA stack entries=16\n' >twice.cfg
try analyze --branches=twice.cfg $trace
printf 'A tage entries=64 tables=17 history=40\n' >tables.cfg
try analyze --branches=tables.cfg $trace
try analyze --mix --instructions 5000000..5000001 $trace
try analyze --mix --snapshots 70.. $trace
try analyze --mix --level 3 $trace
try analyze --bbv --level 0 $trace
try analyze --bbv --together $trace
try analyze --bbv --together --interval 100 $trace
try analyze --mix --together --interval 100 --instructions 5..9 $trace
true
