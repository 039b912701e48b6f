# A slice of an XRay log is a log with the records that the filters let pass: its function records are those that a dump
# of the whole log has of that thread, that time or those functions. What cannot be cut by is refused, and leaves no file.
# Needs: YAML
log=$GOLDEN/xray/mt8-fdr.xray
map=$GOLDEN/xray/mt.instrmap-sym.yaml
tracelathe dump --json $log | jq -c 'select(.record == "function") | [.thread, .tsc, .action, .id]' >all
# same NAME SELECTION OPTIONS...: how many records the slice has, and whether they are those of the selection
same()
{
	name=$1 selection=$2
	shift 2
	tracelathe slice "$@" -o $name.xray $log
	tracelathe dump --json $name.xray | jq -c 'select(.record == "function") | [.thread, .tsc, .action, .id]' >$name
	jq -c "select($selection)" all | cmp - $name && wc -l <$name
}
first=$(jq -s 'map(.[1]) | min' all)
frequency=$(tracelathe info --json $log | jq .cycle_frequency)
same thread '.[0] == 19878' --thread 19878
# From 0.2 ms on to before 0.5 ms, in ticks of the log's clock; times are in whole ticks.
from=$(jq -n "($first + $frequency * 2 / 10000) | floor") to=$(jq -n "($first + $frequency * 5 / 10000) | floor")
same window ".[1] >= $from and .[1] < $to" --time 200us..500us
same both ".[0] == 19880 and .[1] < $to" --thread 19880 --time ..500us
ids=$(sed -n 's/^- { id: \([0-9]*\),.*function-name: .*hash(.*/\1/p' $map | sort -u | paste -sd,)
same function ".[3] as \$id | [$ids] | index(\$id)" --map $map --function "::hash"
# A buffer's wall clock is that of its first record: it went on with the TSC, in whole microseconds, to where the part begins.
clocks() { tracelathe dump --json $1 | jq -c 'select(.record == "wall-clock") | [.thread, .seconds * 1000000 + .microseconds, .tsc]'; }
clocks function.xray >moved
clocks $log | jq -sc --slurpfile moved moved --argjson f $frequency '
	[$moved[] as $m | .[] | select(.[0] == $m[0] and .[2] <= $m[2]) | ((($m[2] - .[2]) * 1000000 / $f) | floor) as $later
		| {later: ($later > 0), right: ($m[1] - .[1] == $later)}] | group_by(.) | map([.[0], length])'
# A part of a part is the part of both.
tracelathe slice --thread 19880 -o again.xray window.xray
tracelathe dump --json again.xray | jq -c 'select(.record == "function") | [.thread, .tsc, .action, .id]' | cmp - both && echo again
for wrong in '--thread 5' '--snapshots 1..2' '--instructions 1..2' '--trigger main' '--to elf'; do
	tracelathe slice $wrong -o none.xray $log 2>&1 | sed "s,$GOLDEN/,,"
	test -e none.xray && echo "a file"
done
true
