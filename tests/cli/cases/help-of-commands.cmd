# "help COMMAND" and "COMMAND --help" are the same, wrapped at 80 columns, and name the options of CLI.md.
for command in info check dump report tree stacks flame timeline convert annotate diff merge slice analyze extract help; do
	tracelathe help $command >brief || echo "$command: status $?"
	tracelathe $command --help | cmp - brief
	tracelathe $command -h | cmp - brief
	tracelathe $command --help --all >text || echo "$command --all: status $?"
	tracelathe help --all $command | cmp - text
	# Options of one format are counted, and are the ones that --all adds.
	further=$(sed -n 's/^\([0-9]*\) more options are for traces of one format: .*/\1/p' brief)
	[ "$(grep -c '^      --' text)" = $(($(grep -c '^      --' brief) + ${further:-0})) ] || echo "$command: not all"
	# The text of an option stands beside it where it has room.
	grep -n ' $' text | sed "s/^/$command: blanks at the end: /"
	sed -n '/^ .\{5\}--[^ ]*\( [^ ]*\)\{0,1\}$/{ /^.\{27\}/!s/^/no text beside: /p; }' text
	# A value's words are not broken, nor is the line of an example.
	awk -v c="$command" 'length > 80 && !/^  tracelathe/ { print c ": " $0 }' text | grep -v 'exit status'
	# The words on an option stand beside a short one, and no line ends in blanks.
	grep -n ' $' text && echo "$command: blanks at the end of a line"
	case $command in help | extract) continue ;; esac
	for option in format binary thread cpu pid time function object no-demangle strict exact jobs output progress \
		color; do
		grep -q -e "--$option" brief || echo "$command: no --$option"
	done
	for option in map raw cpu-model layout tid16 part; do
		grep -q -e "--$option" text || echo "$command: no --$option"
		grep -q -e "^ *--$option " brief && echo "$command: --$option is of one format"
	done
done
tracelathe report --help | grep -o -e '--\(sort\|top\|threads\|seconds\|all\|ascending\|csv\|json\|event\) ' | sort -u
tracelathe report --help | grep -e '^ *--\(ascending\|by\) ' -A 2
tracelathe dump --all x
true
