# "whenever a sum saturates, exit 1": 2 * 9223372036854775000 is no 64-bit number. In one profile, in the sum of two.
printf 'version: 1\nevents: Ir\nfn=a\n1 9223372036854775000\n' >one.callgrind
sed 's/fn=a/fn=b/' one.callgrind >two.callgrind
(cat one.callgrind; sed -n '3,$p' two.callgrind) >both.callgrind
tracelathe report --csv one.callgrind >/dev/null
echo "status $?"
for command in report stacks "annotate --threshold 100" "convert --to json" "diff one.callgrind"; do
	tracelathe $command both.callgrind >/dev/null 2>err
	echo "$command: status $?, $(grep -c 'not fit' err)"
done
tracelathe merge one.callgrind two.callgrind 2>&1 >/dev/null
echo "status $?"
