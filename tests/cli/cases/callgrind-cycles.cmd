# "inclusive(f) = min(self(f) + costs of its calls to others, cost of the whole cycle)" (docs/formats/callgrind.md,
# rule J), by hand: A and B call each other, 30 + 70 = 100 is what the cycle costs, and neither can cost more. The
# cycle is a row where it is asked for, and `tree` says what `report` says.
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
tracelathe report --csv cycle.out
tracelathe report --csv --cycles cycle.out
tracelathe report --csv --cycles --no-cycles cycle.out | wc -l
tracelathe report --csv --cycles --function '^B$' cycle.out
tracelathe tree --cycles cycle.out
tracelathe tree --json --cycles --callers --function '^A$' cycle.out
# Without call stacks what calls itself, or is in a cycle, recurs: A and B do, main does not.
tracelathe report --csv --recursive-only cycle.out
