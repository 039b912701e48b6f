# "read -> write -> read is the same profile", short and in full; a damaged copy is told with line and offset, exit 1.
file=$GOLDEN/callgrind/threads.out-01
tracelathe report --csv --all "$file" | sort >wanted
for option in --compress --no-compress "--positions line"; do
	tracelathe convert $option -o again "$file" && tracelathe report --csv --all again | sort | cmp - wanted && echo same
done
tracelathe convert --to cachegrind "$file" | tail -n 1
sed 's/^totals: 332/totals: 333/' "$file" >damaged
tracelathe report --csv damaged >/dev/null 2>err
echo $?
sed 's/offset 0x[0-9a-f]*/offset N/' err
tracelathe report --strict damaged 2>/dev/null
echo $?
