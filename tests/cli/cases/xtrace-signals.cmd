# A program that raises SIGUSR1 10 times and touches a page it may not 3 times (tests/golden/xtrace/README.md): 13 signals
# in a stream of EL0 alone. They break no rule; each handler is called as often (h_usr is 0x4008a0, h_segv 0x4008d0, as
# nm has them); the result of tgkill, which the handler interrupts, is not what the handler has in X0, and rt_sigreturn
# has none. The three mprotect of the handler succeed.
# Needs: zstd
file=$GOLDEN/xtrace/signals/xtrace.20261122100641.0.hint9.xinsndata.bin.zst
tracelathe check "$file" && echo good
tracelathe report --csv "$file" | cut -d, -f1,16- | grep -E '^0x4008[ad]0,'
tracelathe analyze --syscalls --csv "$file" | cut -d, -f6,8- | sort | uniq -c
