# Call graphs with parts left out, and shares of stacks, by hand: main 10, a 60 and b 30 Ir, called by main; c 0. In the
# other file b is gone, and c costs 20 of 100. A colour's strength is the root of 0.64 times the share: of 60 %, 0.619.
cat >a.out <<'END'
events: Ir
ob=prog
fl=a.c
fn=main
1 10
cfn=a
calls=3 2
1 60
cfi=b.c
cfn=b
calls=1 3
1 30
fn=a
2 60
fl=b.c
fn=b
3 30
END
sed 's/cfn=b/cfn=c/; s/fn=b/fn=c/; s/^3 30/3 20/; s/^1 30/1 20/; s/^2 60/2 70/; s/^1 60/1 70/' a.out >b.out
tracelathe convert --to dot --threshold 40 --color-by self --cluster file --labels self,calls a.out
tracelathe convert --to dot --threshold 40 --color-by inclusive --labels inclusive -o x.dot a.out && cat x.dot
tracelathe diff --to dot a.out b.out
tracelathe diff -o y.dot --threshold 25 a.out b.out && grep -c -- '->' y.dot
tracelathe diff --to dot --runs a.out a.out -- b.out b.out; echo "status $?"
tracelathe convert --to dot --labels self,nonsense a.out; echo "status $?"
# "--focus: count only what was spent in functions whose name matches and in those that they call"; the paths are given,
# so nothing is estimated: main;a 60 and main;b 30.
tracelathe report --csv --focus '^a$' a.out 2>/dev/null | cut -d, -f1,6,7
tracelathe report --csv --ignore '^a$' a.out 2>/dev/null | cut -d, -f1,6,7
tracelathe stacks --ignore '^b$' a.out
tracelathe stacks --focus '^none$' a.out; echo "status $?"
# fib calls itself: which durations are those of the calls that are left is not known.
tracelathe report --csv --focus '#3$' "$GOLDEN/xray/fib-fdr.xray" | cut -d, -f1,6-
