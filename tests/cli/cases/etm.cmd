# A trace of ETMv4 by hand, and the same in frames: packets, facts, damage (status 1); profiles are refused, since nothing decodes what was executed.
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
echo "not of packets:"
tracelathe report trace; echo "status $?"
tracelathe stacks trace; echo "status $?"
tracelathe dump --trctraceidr 0x12 frames; echo "status $?"
tracelathe dump --strict trace >/dev/null; echo "status $?"
printf '\0\0\0' >short
tracelathe info --format etm short; echo "status $?"
