# "any number of files, associative and order-free: same bytes whatever the order". More files than are held at a time
# (16), too; and a profile twice is each of its self costs twice. (A trace twice is refused: see xray-forked.)
cd "$GOLDEN/xray" || exit
for to in json callgrind csv; do
	one=$(tracelathe merge --to $to fib-fdr.xray tail-fdr.xray fib-basic.xray 2>/dev/null | cksum)
	two=$(tracelathe merge --to $to tail-fdr.xray fib-basic.xray fib-fdr.xray 2>/dev/null | cksum)
	[ "$one" = "$two" ] && echo "$to: the same"
done
fib=$OLDPWD/fib.callgrind
tracelathe convert --to callgrind -o "$fib" fib-fdr.xray
many="$fib $fib $fib $fib $fib"
tracelathe merge --to csv $many $many $many tail-fdr.xray $many | cksum >"$OLDPWD/one"
tracelathe merge --to csv $many tail-fdr.xray $many $many $many | cksum | cmp - "$OLDPWD/one"
tracelathe report --csv fib-fdr.xray 2>/dev/null | awk -F, 'NR > 1 { print $1, 2 * $6 }' | sort >"$OLDPWD/doubled"
tracelathe merge --to csv "$fib" "$fib" | awk -F, 'NR > 1 { print $1, $6 }' | sort | diff "$OLDPWD/doubled" -
