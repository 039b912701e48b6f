# Two threads that share a memory: 22 loads of each differ from what the thread itself stored, none in the order of TIME. Alone
# they are told once, as what the other thread may have stored, and are no violations (status 0), unless the check is strict.
# Which thread is given first does not matter.
# Needs: zstd
alone=$PWD/alone
cd "$GOLDEN/xtrace/u4-thr-time"
for thread in 0 1; do
	tracelathe check ./*.$thread.*.xinsndata.bin.zst >"$alone" && sed 's/.*: //' "$alone"
	tracelathe check --strict ./*.$thread.*.xinsndata.bin.zst | cut -d' ' -f1 | sort | uniq -c
done
tracelathe check ./*.1.*.xinsndata.bin.zst ./*.0.*.xinsndata.bin.zst && echo agreed
tracelathe dump --order time ./*.xinsndata.bin.zst | grep -c TIME
tracelathe dump --json --order time ./*.xinsndata.bin.zst | jq -r 'select(.time).time' | xargs printf '%d\n' |
	sort -nc && echo in order
tracelathe dump --instructions --no-text --json ./*.xinsndata.bin.zst | jq -r 'select(.time).time' | xargs printf '%d\n' |
	sort -nc && echo instructions in order
tracelathe dump --instructions --no-text ./*.xinsndata.bin.zst | wc -l
for thread in 0 1; do
	tracelathe dump --instructions --no-text --thread $thread ./*.xinsndata.bin.zst >"$alone"
	tracelathe dump --instructions --no-text ./*.xinsndata.bin.zst | grep " thread $thread " | cmp - "$alone" && echo the same
done
# A window of instructions has each stream's own, with all that belongs to them and nothing behind.
for thread in 0 1; do
	tracelathe dump --json --ordinals 2000..2501 ./*.$thread.*.xinsndata.bin.zst >"$alone"
	tracelathe dump --json --ordinals 2000..2501 ./*.xinsndata.bin.zst | grep "\"thread\":$thread," |
		sed "s/\"thread\":$thread,//" | cmp - "$alone" && grep -c opcode "$alone"
done
tracelathe dump --compare 0,1 --thread 1 ./*.xinsndata.bin.zst | head -n 4
