# `check` shows the line that is wrong as the tool wrote it, with its control characters made visible, cut at 80 bytes; of
# what can be read only once it cannot.
# Needs: xz
printf '# callgrind format\nevents: Ir\nfn=f\n1 2\nnon\033[2Jsense\n' >short
printf '# callgrind format\nevents: Ir\nfn=f\n1 2\nx%0120d\n' 7 >long
tracelathe check --format callgrind short 2>/dev/null
tracelathe check --format callgrind --json short 2>/dev/null | jq -c .source
tracelathe check --format callgrind long 2>/dev/null
tracelathe check --format callgrind --json long 2>/dev/null | jq '.source | length'
xz -k short && tracelathe check --format callgrind short.xz 2>/dev/null
tracelathe check --format callgrind - <short 2>/dev/null
true
