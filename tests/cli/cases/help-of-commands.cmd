# "help COMMAND" and "COMMAND --help" are the same, wrapped at 80 columns, and name the options of CLI.md.
for command in info check dump report tree stacks flame timeline convert annotate diff merge slice analyze help; do
	tracelathe help $command >text || echo "$command: status $?"
	tracelathe $command --help | cmp - text
	tracelathe $command -h | cmp - text
	# A value's words are not broken, nor is the line of an example.
	awk -v c="$command" 'length > 80 && !/^  tracelathe/ { print c ": " $0 }' text | grep -v 'exit status'
	[ $command = help ] && continue
	for option in format binary map thread cpu pid time function object no-demangle strict exact jobs output progress \
		color; do
		grep -q -e "--$option" text || echo "$command: no --$option"
	done
done
tracelathe report --help | grep -o -e '--\(sort\|top\|threads\|seconds\|all\|ascending\|csv\|json\|event\) ' | sort -u
true
