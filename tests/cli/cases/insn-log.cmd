# Logs of instructions, written by hand: what they have, what they lack (status 1), and what cannot be asked of them.
# Needs: LLVM
printf '%s\n' '0, 0x1000, 0xf9400001, "ldr x1, [x0]", load, 0x00003000, RAM' '0, 0x1004, 0xf9000001, "str x1, [x0]", store, 0x3008' \
	'0, 0x1008, 0x17fffffe, "b #0x1000"' '1, 0x2000, 0xd503201f, "nop"' >with
grep -o '^[^l]*"' with | sed 's/"[^"]*$/"/' | sed 's/"$/"text"/' >without
printf '%s\n' '1 clk MW8 3000 0' '1 clk cpu0 R X0 0' '2 clk cpu1 IT (1) 1000 d503201f O EL1h_n : NOP' >tarmac
echo "with accesses:"
tracelathe info with; echo "status $?"
tracelathe dump with
tracelathe report --csv with | cut -d, -f1,4,6,8
tracelathe analyze --footprint --csv with; echo "status $?"
tracelathe info --json tarmac; echo "status $?"
echo "without:"
tracelathe info without | grep -c -e loads -e stores
tracelathe analyze --footprint without >/dev/null; echo "status $?"
tracelathe analyze --syscalls with >/dev/null; echo "status $?"
tracelathe analyze --mix without >/dev/null; echo "status $?"
tracelathe analyze --strict --footprint without; echo "status $?"
echo "not asked of logs:"
tracelathe report --time 1..2 with; echo "status $?"
tracelathe check with; echo "status $?"
tracelathe slice -o part with; echo "status $?"
