# Code that runs for the first time behind an aborted transaction counts like any other (5.3): 3 instructions before the
# abort, 5 of its handler and 3 behind that, counted by hand; with costs of lines and without.
# Needs: Zydis
nops='\220\220\220\220'
printf "$nops$nops$nops$nops$nops"'\377\340'"$nops$nops"'\220\220\220\377\340' >code # jmp *%rax at 0x14 and 0x21
printf '\002\202\002\202\002\202\002\202\002\202\002\202\002\202\002\202\231\001\175\000\000\100\000\000\000\002\043' >trace.pt
# MODE.TSX with Abort, FUP 0x400003, TIP 0x400010, TIP 0x40001f, TIP.PGD
printf '\231\042\175\003\000\100\000\000\000\155\020\000\100\000\000\000\155\037\000\100\000\000\000\001' >>trace.pt
tracelathe report --csv --raw code@0x400000 trace.pt
tracelathe annotate --raw code@0x400000 trace.pt | grep '^Ir'
