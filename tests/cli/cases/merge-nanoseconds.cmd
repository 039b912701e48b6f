# "rounded once for each file, so that files of machines whose clocks run at different rates have a sum": 1 GHz, whose ticks
# are nanoseconds, and 4 GHz, where the rate of each is written into its header's bytes 8 to 15. The total is that of the one
# and a quarter of the other's, but for what is rounded: each of its 5 call stacks by half a nanosecond at most. A log
# without a rate is named.
rate()
{
	head -c 8 "$1"
	printf "$2"
	tail -c +17 "$1"
}
rate "$GOLDEN/xray/fib-fdr.xray" '\000\312\232\073\000\000\000\000' >one
rate "$GOLDEN/xray/args-fdr.xray" '\000\050\153\356\000\000\000\000' >other
rate "$GOLDEN/xray/fib-basic.xray" '\000\000\000\000\000\000\000\000' >unknown
total()
{
	tracelathe stacks "$@" | awk '{ sum += $NF } END { print sum }'
}
tracelathe merge --nanoseconds -o sum.tlp one other && echo "status $?"
echo "$(total sum.tlp) $(total one) $(total other)" | awk '{ off = $1 - $2 - $3 / 4; print (off * off <= 2.5 * 2.5 ? "adds up" : "is " off " off") }'
tracelathe info sum.tlp | grep "ticks per second"
tracelathe merge --nanoseconds -o sum.tlp one unknown other
echo "status $?"
