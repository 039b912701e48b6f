# Valgrind says the command in the first part only: a later one has none when it is written again, and never the path of
# the input. Written twice is the same.
cat >parts.out <<'END'
# callgrind format
creator: callgrind-9
pid: 5
cmd: ./prog 60
part: 1
events: Ir
fn=main
1 10
totals: 10

part: 2
events: Ir
fn=main
1 20
totals: 20
END
tracelathe convert --to callgrind -o once parts.out
grep -nE '^(cmd|part|totals):' once
tracelathe convert --to callgrind once | cmp - once
grep -v '^cmd' parts.out >none.out
tracelathe convert --to callgrind none.out | grep -E '^(cmd|part):'
tracelathe merge parts.out | grep -c '^cmd:'
