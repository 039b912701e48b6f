# Lines of profiles as an lcov tracefile. Of an address the count is its Ir; of a line in a function the most frequent one
# counts, and these are added up over functions (docs/coverage.md): line 1 ran 4 times, in f and in g once each as often as its
# most frequent instruction, 5 + 2 = 7; the two parts add up. Without addresses, or without Ir, costs stand for counts.
cat >exact <<'TEXT'
# callgrind format
positions: instr line
events: Dr Ir
part: 1
fl=a.c
fn=f
0x10 1 9 5
0x14 1 0 3
0x18 2 0 1
cfn=g
calls=2 0x20 1
0x18 2 0 6
fn=g
0x20 1 0 2
part: 2
fl=a.c
fn=f
0x18 2 0 4
fi=b.h
0x1c 7 0 4
TEXT
tracelathe convert --to lcov exact
echo "status $?"
tracelathe convert --to lcov --function '^g$' exact
printf '# callgrind format\nevents: Dr Ir\nfl=a.c\nfn=f\n1 0 5\n2 0 6\n2 0 1\n' >lines
tracelathe convert --to lcov lines
echo "status $?"
printf 'a;b 3\n' >stacks
tracelathe convert --to lcov stacks
echo "status $?"
tracelathe convert --to drcov exact
echo "status $?"
