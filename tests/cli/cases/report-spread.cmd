# "--spread: least, median and most that each function cost in one of them": three files by hand. f costs 1, 2 and 9: median 2,
# mean 4, variance ((1-4)^2 + (2-4)^2 + (9-4)^2) / 2 = 19, deviation 4.35890, variation 1.08972. g costs 5 in each of two.
printf 'events: Ir Dr\nfn=f\n1 1 1\nfn=g\n2 5 0\n' >a
printf 'events: Ir Dr\nfn=f\n1 2 1\nfn=g\n2 5 0\n' >b
printf 'events: Ir Dr\nfn=f\n1 9 1\n' >c
tracelathe report --spread --csv a b c
tracelathe report --spread --sort function a b c
# Functions of numbers alone may be of different programs, which the hint says.
cp "$GOLDEN/xray/fib-fdr.xray" "$GOLDEN/xray/mt8-fdr.xray" .
tracelathe report --spread --top 1 fib-fdr.xray mt8-fdr.xray | head -n 1
tracelathe report --spread --event Ir,Dr a b
