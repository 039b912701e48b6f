# "all functions from which calls lead to those of --function, and the calls of the shortest way", by hand: main calls a
# and d, a calls b, b calls c, d calls c, c calls a. To c lead b and d (1), a and main (2); from a lead b, c, and a itself.
cat >graph.out <<'END'
events: Ir
fl=g.c
fn=main
1 1
cfn=a
calls=1 2
1 8
cfn=d
calls=1 5
1 7
fn=a
2 2
cfn=b
calls=2 3
2 20
fn=b
3 3
cfn=c
calls=2 4
3 15
fn=c
4 4
cfn=a
calls=1 2
4 5
fn=d
5 5
cfn=c
calls=1 4
5 4
fn=alone
6 1
END
tracelathe tree --csv --all-callers --function '^c$' graph.out
tracelathe tree --csv --all-callees --function '^(a|d)$' graph.out
tracelathe tree --all-callers --function '^c$' graph.out
tracelathe tree --json --all-callees --function '^alone$' graph.out
tracelathe tree --all-callees graph.out; echo "status $?"
