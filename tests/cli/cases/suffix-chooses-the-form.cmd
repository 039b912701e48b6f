# "A file name's suffix decides the form where no option does; binary output to a terminal is refused." (CLI contract)
cat >a <<'TEXT'
events: Ir
fn=main
1 5
cfn=f
calls=1 1
2 3
fn=f
1 3
TEXT
fib=$GOLDEN/xray/fib-fdr.xray
same() { cmp "$1" "$2" && echo "$2"; }

for command in info check dump report tree annotate; do
	tracelathe $command --json a >expected
	tracelathe $command -o $command.json a
	same expected $command.json
done
for command in report tree annotate; do
	tracelathe $command --csv a >expected
	tracelathe $command -o $command.csv a
	same expected $command.csv
done
tracelathe report --csv a >expected
tracelathe report --csv -o option-first.json a
same expected option-first.json
tracelathe report a >expected
tracelathe report -o report.txt a && same expected report.txt
mkdir d
tracelathe report -o d/.json a && same expected d/.json

for suffix in callgrind cachegrind pb.gz pprof speedscope.json speedscope folded dot json csv; do
	case $suffix in
	pb.gz) to=pprof ;;
	*) to=${suffix%.json} ;;
	esac
	[ $suffix = json ] && to=json
	tracelathe convert --to $to -o expected "$fib"
	tracelathe convert -o "convert.$suffix" "$fib"
	same expected "convert.$suffix"
done
for to in cachegrind dot json csv; do
	tracelathe merge --to $to -o expected a a
	tracelathe merge -o "merge.$to" a a
	same expected "merge.$to"
done
tracelathe convert -o convert.out a
head -n 1 convert.out

tracelathe flame --svg -o expected "$fib"
tracelathe flame -o flame.svg "$fib" && same expected flame.svg
tracelathe diff --flame --svg -o expected "$fib" "$fib"
tracelathe diff -o diff.svg "$fib" "$fib" && same expected diff.svg
tracelathe diff --csv a a >expected
tracelathe diff -o diff.csv a a && same expected diff.csv

for suffix in json chrome perfetto; do
	to=$suffix
	[ $suffix = json ] && to=chrome
	tracelathe timeline --to $to -o expected "$fib"
	tracelathe timeline -o timeline.$suffix "$fib"
	same expected timeline.$suffix
done

cat >terminal.py <<'PYTHON'
import os, pty, sys

child, terminal = pty.fork()
if not child:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:  # the other end is closed
    pass
print(text.decode("latin-1").replace("\r\n", "\n") + f"status {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")
PYTHON
python3 terminal.py tracelathe convert --to pprof "$fib"
python3 terminal.py tracelathe convert --to csv a
