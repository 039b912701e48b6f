# One page per command and one of the program, from the tables. groff, where there is one, has no complaint.
for command in "" info check dump report tree stacks flame timeline convert annotate diff merge analyze help; do
	tracelathe help --man $command >page || echo "$command: status $?"
	head -n 1 page | sed 's/ "tracelathe [0-9.]*"/ VERSION/'
	grep -q '^\.SH NAME' page || echo "$command: no name"
	if command -v groff >/dev/null; then
		groff -man -ww -z -Tascii page 2>&1
	fi
done
