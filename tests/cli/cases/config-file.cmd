# The file of defaults: what it says is as if it were said, the command line goes before it, what a command does not take is
# left out, and a line that is wrong is told with its number.
log=$GOLDEN/xray/fib-fdr.xray
mkdir -p "$XDG_CONFIG_HOME/tracelathe"
printf '# defaults\n\n  top = 1 \ncolor=never\nsource-dir = /nowhere\nthreads\n' >"$XDG_CONFIG_HOME/tracelathe/config"
tracelathe report --csv --top 1 --threads --config none "$log" >said
tracelathe report --csv "$log" | cmp - said && echo as if said
tracelathe report --csv --top 2 "$log" | wc -l
tracelathe report --csv --top 2 --config none "$log" | cut -d, -f1-6
tracelathe info "$log" | head -n 1
printf 'top = 3\n' >other
tracelathe report --csv --config other "$log" | wc -l
for line in 'tap = 1' 'top = x' 'top' 'threads = 1' 'output = x'; do
	printf '\n%s\n' "$line" >wrong
	tracelathe report --config wrong "$log"
	echo "$?"
done
tracelathe report --config nothing "$log"
echo $?
