# A profile of sums has no stacks: paths are estimated, which is told, with status 1. By hand: A and B call each other, main
# accounts for all they cost, so that both are below it. Functions keep their self cost, and what formats have a place for
# the word say it.
cat >cycle.out <<'END'
events: Ir
fl=a.c
fn=main
1 10
cfn=A
calls=1 5
1 100
fn=A
5 30
cfn=B
calls=3 9
5 70
fn=B
9 70
cfn=A
calls=2 5
9 50
END
tracelathe stacks cycle.out
echo "stacks: $?"
tracelathe stacks --function '^B$' cycle.out
echo "those through B: $?"
tracelathe tree --top-down cycle.out
tracelathe tree --bottom-up --json cycle.out | grep -o '"estimated":true'
tracelathe convert --to pprof cycle.out | gunzip | grep -aoc 'call paths are estimated'
tracelathe convert --to speedscope cycle.out | grep -o '"name":"[^"]*(estimated paths)"'
tracelathe merge --to folded cycle.out cycle.out
echo "merge: $?"
tracelathe flame --svg cycle.out | grep -c 'paths are estimated'
# With --separate-callers names are stacks: f'g'h is f, called by g, called by h; f'2'g'h is f called by itself. By hand.
cat >named.out <<'END'
# callgrind format
creator: callgrind-3
events: Ir
fl=a.c
fn=(1) main
1 1
cfn=(2) run'main
calls=2 5
1 60
fn=(2)
5 2
cfn=(3) sort'run'main
calls=1 9
5 52
cfn=(5) less'run'main
calls=1 20
5 6
fn=(3)
9 4
cfn=(4) sort'2'run'main
calls=3 9
9 41
cfn=(6) less'sort'run'main
calls=2 20
9 7
fn=(4)
9 30
cfn=(6)
calls=5 20
9 11
fn=(5)
20 6
fn=(6)
20 18
totals: 61
END
tracelathe stacks named.out
echo "exact: $?"
tracelathe tree --top-down --csv named.out
tracelathe convert --to pprof named.out | gunzip | grep -ac 'call paths are estimated'
# Cut after the first caller (--separate-callers=1), the paths further out are estimated, here without a doubt; a quote in a
# name alone is no caller.
sed "s/less'sort'run'main/less'sort/; s/\(less\|sort\|sort'2\)'run'main/\1'run/" named.out >cut.out
tracelathe stacks cut.out
echo "cut: $?"
printf "events: Ir\nfn=main\n1 10\ncfn=foldl'\ncalls=1 9\n1 5\nfn=foldl'\n9 5\n" >quote.out
tracelathe stacks quote.out
# Without any call each function is a stack.
printf 'events: Ir\nfn=a\n1 5\nfn=b\n2 6\n' >flat.out
tracelathe stacks flat.out
echo "flat: $?"
