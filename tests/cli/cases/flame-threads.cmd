# The page's table of functions has those of each thread, whatever the format: `f` of both, `g` of the second one, with as many
# rows for all threads (column -1). What is expected was counted by hand. A build without the page says so.
cat >spans.json <<'END'
{"traceEvents": [
{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": "f"},
{"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 30, "name": "f"},
{"ph": "X", "pid": 1, "tid": 2, "ts": 5, "dur": 20, "name": "g"}
]}
END
for thread in 1 2; do
	printf 'a 1/%s 1.0: 1 cycles:\n\t10 f+0x0 (/a)\n\n' $thread
done >samples.txt
printf 'a 1/2 2.0: 1 cycles:\n\t20 g+0x0 (/a)\n\t10 f+0x0 (/a)\n\n' >>samples.txt
printf '{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}, {"name": "g"}]},
"profiles": [{"type": "sampled", "name": "1", "unit": "none", "startValue": 0, "endValue": 1, "samples": [[0]], "weights": [1]},
{"type": "sampled", "name": "2", "unit": "none", "startValue": 0, "endValue": 2, "samples": [[0], [0, 1]], "weights": [1, 1]}]}' >stacks.json
for file in spans.json samples.txt stacks.json; do
	if ! tracelathe flame -o page.html "$file" 2>words; then
		grep -q 'built without the page' words || cat words
		echo "$file: -1 -1 0 1 1"
		continue
	fi
	echo "$file: $(sed -n 's/^"rows":{"function":\[[^]]*\],"column":\[\([^]]*\)\].*/\1/p' page.html | tr , '\n' | sort -n | tr '\n' ' ' | sed 's/ $//')"
done
