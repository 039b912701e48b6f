# "any number of files, associative and order-free: same bytes whatever the order". More files than are held at a time
# (16), too; and a trace twice is each of its self costs twice.
cd "$GOLDEN/xray" || exit
for to in json callgrind csv; do
	one=$(tracelathe merge --to $to fib-fdr.xray tail-fdr.xray fib-basic.xray 2>/dev/null | cksum)
	two=$(tracelathe merge --to $to tail-fdr.xray fib-basic.xray fib-fdr.xray 2>/dev/null | cksum)
	[ "$one" = "$two" ] && echo "$to: the same"
done
many="fib-fdr.xray fib-fdr.xray fib-fdr.xray fib-fdr.xray fib-fdr.xray"
tracelathe merge --to csv $many $many $many tail-fdr.xray $many | cksum >"$OLDPWD/one"
tracelathe merge --to csv $many tail-fdr.xray $many $many $many | cksum | cmp - "$OLDPWD/one"
tracelathe report --csv fib-fdr.xray 2>/dev/null | awk -F, 'NR > 1 { print $1, 2 * $6, 2 * $8 }' | sort >"$OLDPWD/doubled"
tracelathe merge --to csv fib-fdr.xray fib-fdr.xray | awk -F, 'NR > 1 { print $1, $6, $8 }' | sort | diff "$OLDPWD/doubled" -
