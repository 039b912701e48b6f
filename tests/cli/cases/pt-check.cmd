# Rules of packets and of the flow between them, each broken once by hand; sections 4.3, 5.1, 5.3, 5.4, 6 and 9.4.
# Needs: Zydis zstd
psb='\002\202\002\202\002\202\002\202\002\202\002\202\002\202\002\202'
end='\002\043'
say() { tracelathe check "$@" trace.pt; echo "status $?"; }
tracelathe check $GOLDEN/intel_pt/rec.ret.pt; echo "status $?"
tracelathe check $GOLDEN/intel_pt/rec.time.pt; echo "status $?"
# 12: a TIP inside a PSB+
printf "$psb"'\002\043'"$psb"'\015'"$end" >trace.pt; say
# 12: TNT while tracing is off
printf "$psb$end"'\004' >trace.pt; say
# 12: TMA without TSC; 19: the first address is compressed
printf "$psb$end"'\002\163\001\000\000\001\000\061\000\020' >trace.pt; say
# 19: a TIP.PGE while tracing is on
printf "$psb$end"'\161\000\020\100\000\000\000\161\000\020\100\000\000\000' >trace.pt; say
# 1a: a packet that is not whole
printf "$psb$end"'\002\003\040\000\031\001' >trace.pt; say
printf "$psb$end"'\005' >trace.pt; say --json
