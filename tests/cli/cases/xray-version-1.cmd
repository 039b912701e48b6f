# Version 1: one buffer of nine zeroed, or some bytes of it deleted, loses only itself, and is told. What is left of the
# records is that of the undamaged log: no line of the dump that the buffer did not hold is missing.
trace=$GOLDEN/xray/v1-buffers.xray
lines()
{
	tracelathe dump --json "$1" 2>/dev/null | grep '"record":"function"' | sed 's/"offset":[0-9]*,//' | sort
}
lines "$trace" >whole
wc -l <whole
for buffer in 0 1 2 3 4 5 6 7 8; do
	head=$((32 + buffer * 1024))
	dd if="$trace" bs=1 skip=$head count=1024 of=part 2>/dev/null
	(head -c 32 "$trace"; cat part) >one
	lines one >of_one
	(head -c $head "$trace"; head -c 1024 /dev/zero; tail -c +$((head + 1025)) "$trace") >zeroed
	(head -c $((head + 200)) "$trace"; tail -c +$((head + 209)) "$trace") >deleted
	for damaged in zeroed deleted; do
		tracelathe report $damaged >/dev/null 2>err
		echo "buffer $buffer $damaged: status $?, $(grep -v ^hint err | sed 's/.*: offset/offset/')"
		lines $damaged >left
		comm -23 whole left | comm -23 - of_one
	done
	lines zeroed | comm -13 whole - | wc -l
done
