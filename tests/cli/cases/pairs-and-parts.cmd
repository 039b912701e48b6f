# A stream of xtrace and its snapshots are one trace, so that a sum that is given both has it once: `info` counts 7,070
# instructions. Callgrind files named one by one give the same bytes in any order, and those of their list.
# (Their `cmd:` is the first one.)
# Needs: zstd
pair=$GOLDEN/xtrace/u1-recur-vl128
records()
{
	sed 1q | sed 's/.* parts*, //'
}
tracelathe tree "$pair"/*.zst | records
tracelathe merge "$pair"/*.zst -o sum.tlp && tracelathe tree sum.tlp | records
tracelathe merge --glob '*.zst' "$pair" -o sum.tlp && tracelathe tree sum.tlp | records
ls "$pair"/*.zst >pair
tracelathe tree @pair | records
tracelathe map -o kept @pair && ls kept | wc -l
tracelathe report --by trace --csv "$pair"/*.zst | wc -l
# Snapshots alone are what `merge` says of them.
tracelathe merge "$pair"/*.xsnapshot.bin.zst -o sum.tlp && tracelathe tree sum.tlp | records
profile()
{
	printf 'events: Ir\nfl=prog.c\nfn=%s\n1 5\ncfn=%s\ncalls=1 10\n2 7\ncfn=%s\ncalls=1 20\n3 7\nfn=%s\n10 7\nfn=%s\n20 7\n' \
		"$1" "$2" "$3" "$2" "$3"
}
profile main zed alpha >a
profile work yak beta >b
profile main yak alpha >c
printf '%s\n' b c a >list
for command in tree "report --threads" "convert --to callgrind" "convert --to tracelathe" "convert --to csv"; do
	tracelathe $command a b c 2>&1 | grep -av ^cmd: >one
	tracelathe $command c a b 2>&1 | grep -av ^cmd: | cmp one - && tracelathe $command @list 2>&1 | grep -av ^cmd: | cmp one - && echo the same
done
