# "help and no arguments print a short overview fitting one screen": 24 lines of 80 columns, with three examples, all
# commands, and none that this version does not have.
tracelathe help >overview
tracelathe | cmp - overview
tracelathe --help | cmp - overview
[ "$(wc -l <overview)" -le 24 ] && echo "lines fit"
awk 'length > 80 { print "too long: " $0 }' overview
grep -c '^  tracelathe ' overview
for command in info check dump report tree stacks flame timeline convert annotate diff merge slice analyze extract query record view help; do
	grep -q -e "^  $command  *[a-z]" -e "^  also: .*\<$command\>" overview || echo "missing: $command"
done
