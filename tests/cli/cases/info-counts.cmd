# "info: format, version, threads, counts per record kind": counted by an independent walker of the bytes that knows nothing
# of this library (kinds of metadata, then function records by action).
for name in mt8-fdr args-fdr custom-fdr fib-fdr-wrap tail-fdr; do
	tracelathe info --json "$GOLDEN/xray/$name.xray" | jq -r '[.mode, .version, .cycle_frequency, .buffer_size, .size,
		.records_by_kind["new-buffer"], .records_by_kind["new-cpu"], .records_by_kind["tsc-wrap"] // 0,
		.records_by_kind["custom-event"] // 0, .records_by_kind["call-argument"] // 0,
		.function_records_by_action.enter, .function_records_by_action.exit,
		.function_records_by_action["tail-exit"], .function_records_by_action["enter-arg"]] | join(" ")'
done
