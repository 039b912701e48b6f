# Tables of analyze fit a terminal of 80 columns (a pseudo-terminal of script(1)); --wide shows all columns.
# Needs: LLVM
trace=$GOLDEN/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin
elf=$GOLDEN/xtrace/small.elf
on_terminal()
{
	script -qec "stty cols 80; tracelathe $* --progress never" /dev/null </dev/null | tr -d '\r'
}
on_terminal analyze --mix --footprint --reuse --cache --syscalls --blocks --binary $elf $trace >narrow
awk 'length($0) > 80 { print }' narrow
grep -c . narrow
grep 'left out' narrow
on_terminal analyze --wide --cache --binary $elf $trace | grep -c 'L2TLB:misses  function'
