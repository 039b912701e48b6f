# Counts of the README of the recordings: 16,000 instructions of which 642 are user's, 5 changes of level (ALLGPR); 2,525 and
# 5,906 instructions of two threads with TIME. The other file of a pair is found, and compressed ones are read.
# Needs: zstd
k1=$GOLDEN/xtrace/k1-core-el01 u4=$GOLDEN/xtrace/u4-thr-time
tracelathe info --json --jobs 2 "$k1"/*.xinsndata.bin.zst | jq -r '.by_stream[] | [.thread, .hint, .stream_of, .snapshots,
	.vector_bits, .layouts_that_fit, .instructions, .instructions_by_level.el0, .tokens_by_kind.ALLGPR] | join(" ")'
tracelathe info --json "$u4"/* | jq -r '.by_stream[] | [.thread, .instructions, .access_order, .snapshots] | join(" ")'
# A pipe has no other file beside it.
zstd -dcq "$k1"/*.xinsndata.bin.zst | tracelathe info - | sed -n '/snapshot file/p; /instructions:/p'
