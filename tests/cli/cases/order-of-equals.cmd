# Rows of equal cost and name are ordered by object and file, in whatever order the input has them.
one() { printf 'ob=%s\nfl=%s\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 2\nfn=g\n2 2\n' "$1" "$2"; }
{ echo events: Ir; one z.so b.c; one z.so a.c; one a.so c.c; one a.so b.c; } >down.out
{ echo events: Ir; one a.so b.c; one a.so c.c; one z.so a.c; one z.so b.c; } >up.out
for command in report "report --csv" "tree" "tree --csv" "convert --to csv" "diff up.out" "diff --all --by arc up.out"; do
	tracelathe $command down.out >1
	tracelathe $command up.out >2
	cmp 1 2 && echo "same: $command"
done
tracelathe report --csv down.out
