# On a terminal of 70 columns no row is longer; --wide has whole names and all columns; a file has all columns, and names without
# parameters and template arguments, which CSV, JSON and --wide have. By hand: the rules of report/name_text.h.
cat >a <<'TEXT'
events: Ir Dr
fl=/src/long_file_name.cc
fn=std::map<int, std::vector<int> >::insert(std::pair<int, int> const&)
7 100 40
cfn=a_function_with_a_very_long_name_but_nothing_to_elide
calls=3 9
8 50 10
fn=a_function_with_a_very_long_name_but_nothing_to_elide
9 50 10
cfn=c
calls=1 1
9 20 5
TEXT
cat >terminal.py <<'PYTHON'
import fcntl, os, pty, struct, sys, termios

child, terminal = pty.fork()
if not child:
    os.environ.update(TERM="xterm", NO_COLOR="1")
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:  # the other end is closed
    pass
os.waitpid(child, 0)
print(text.decode().replace("\r\n", "\n"), end="")
PYTHON
for arguments in 'report a' 'report --wide a' 'tree --both a' 'tree --top-down a' 'diff --all --by arc a a'; do
	echo "== $arguments"
	python3 terminal.py tracelathe $arguments
done
# Sums and names that have no room: of many events, of files with long names.
sed 's/^events: .*/events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw/; s/^\([0-9]\) \([0-9]* [0-9]*\)$/\1 \2 \2 \2 \2 7/' a >a-file-with-a-long-name
for arguments in 'annotate a-file-with-a-long-name' 'report --spread a a-file-with-a-long-name' \
	'diff a a-file-with-a-long-name' 'report --by part --threads a-file-with-a-long-name'; do
	echo "== $arguments"
	python3 terminal.py tracelathe $arguments 2>&1 | awk 'length > 70 && !/^tracelathe/ { print length ": " $0 }; END { print (NR > 5) }'
done
echo '== in a file'
tracelathe report a
tracelathe diff --all --by arc a a
tracelathe report --wide a | grep 'std::map'
tracelathe report --csv a | grep -o '"std::map.*const&)"'
tracelathe report --json a | grep -o '"std::map.*const&)"'
