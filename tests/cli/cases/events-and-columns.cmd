# --event and --sort name what there is; the words of an error list it.
trace=$GOLDEN/xray/fib-fdr.xray
tracelathe report --csv --event Nonsense "$trace" || echo "status $?"
tracelathe report --csv --sort nonsense "$trace" >/dev/null || echo "status $?"
tracelathe report --csv --event Ticks --sort calls --top 2 "$trace" | cut -d, -f5,8
tracelathe report --csv --sort Ticks:inclusive --ascending --top 1 "$trace" | cut -d, -f5,8
