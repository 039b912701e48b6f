# A trace of ETMv4 by hand, and the same in frames: packets, facts, damage (status 1); what was executed is not known without the program.
# A-Sync, Trace Info, Trace On, an address with context, atoms, an address; 08 is no packet, behind it a further A-Sync.
async='\0\0\0\0\0\0\0\0\0\0\0\200'
printf "$async"'\1\0\4\205\140\2\100\0\0\0\0\0\60\372\225\144\10\367'"$async"'\1\0\367' >trace
echo "packets:"
tracelathe dump trace; echo "status $?"
tracelathe dump --json trace | tail -2
tracelathe info trace; echo "status $?"
tracelathe check trace; echo "status $?"
echo "in frames, of the sources 10 and 11:"
printf '\41\0\0\0\0\0\0\0\0\0\0\0\200\1\0\0''\4\367\43\0\0\0\0\0\0\0\0\0\0\0\200\0''\0\0\4\366\1\0\0\0\0\0\0\0\0\0\0\1' >frames
tracelathe dump frames; echo "status $?"
tracelathe dump --trctraceidr 0x11 frames; echo "status $?"
tracelathe info --json frames; echo "status $?"
echo "registers:"
printf "$async"'\1\0\201\100\1\2\3\4\367' >ids
tracelathe dump ids | tail -4
tracelathe dump --trcidr2 0x1088 ids | tail -2
echo "executed: fib(2), which calls fib(1) and fib(0), of small.elf, 6 + 2 + 6 + 4 + 3 + 6 + 4 + 2 + 4 instructions:"
program=$GOLDEN/xtrace/small.elf
unit="--trcidr0 0x28000ea1 --trcidr1 0x4100f403 --trcidr2 0x488 --trcconfigr 0x18c1"
# At 400120: E E N E E N E E E; then an address that is not in the program.
printf "$async"'\1\0\4\205\110\0\100\0\0\0\0\0\60\373\373\377' >fib
tracelathe report --csv $unit --binary "$program" fib | cut -d, -f1,6-; echo "status $?"
tracelathe dump --calls $unit --binary "$program" fib
tracelathe dump --instructions --no-text $unit --ordinals 6..9 --binary "$program" fib
tracelathe analyze --syscalls $unit --binary "$program" fib >/dev/null; echo "status $?"
tracelathe analyze --mix --strict $unit --binary "$program" fib >/dev/null; echo "status $?"
echo "code of no program:"
tracelathe report --csv $unit --raw "$program:0x120-0x28c@0x400120" fib | cut -d, -f1,6-; echo "status $?"
tracelathe report $unit --raw "$program:0x120@0x400120" --binary "$program" fib | grep -c fib; echo "status $?"
cp "$program" small.elf
tracelathe report $unit --raw small.elf:0x20000@0x400120 fib; echo "status $?"
tracelathe report $unit --raw small.elf@0xffffffffffffff00 fib; echo "status $?"
printf '\235\0\0\120\0\0\0\0\0\367' >>fib
tracelathe stacks $unit --binary "$program" fib; echo "status $?"
cp "$GOLDEN/../corpus/xray/bin/args.elf" x86-64
tracelathe stacks $unit --binary x86-64 fib; echo "status $?"
echo "registers that are not given:"
tracelathe stacks --trcidr0 0x28000ea1 --raw "$program:0x120-0x28c@0x400120" fib; echo "status $?"
tracelathe stacks --strict --raw "$program:0x120-0x28c@0x400120" fib; echo "status $?"
echo "not of packets:"
tracelathe report trace; echo "status $?"
tracelathe dump --instructions trace; echo "status $?"
tracelathe report --time 1..2 trace; echo "status $?"
tracelathe dump --trctraceidr 0x12 frames; echo "status $?"
tracelathe dump --strict trace >/dev/null; echo "status $?"
printf '\0\0\0' >short
tracelathe info --format etm short; echo "status $?"
