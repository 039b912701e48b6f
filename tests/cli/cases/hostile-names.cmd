# "Every name and payload that reaches a terminal or a message goes through one escaping function": escape sequences, C1
# controls, overrides of the writing direction and bytes that are no UTF-8, as names of everything, leave only what
# can be shown.
# Needs: YAML
odd=$(printf 'a\033[2J\302\233b\342\200\256c\377d')
cat >"$odd" <<END
version: 1
creator: test
desc: $odd
events: Ir
fl=$odd.c
ob=$odd
fn=$odd
16 20
cfn=$odd$odd
calls=1 50
16 400
fn=$odd$odd
51 400
END
sed -e 's/function-name: [a-z]*/function-name: "a\\e[2J\\x9bb\\u202ec"/' "$GOLDEN/xray/fib.instrmap-sym.yaml" >map.yaml
# What stands on no key of ASCII, U+FFFD aside, which JSON has for bytes that are no UTF-8.
strange() { LC_ALL=C sed 's/\xef\xbf\xbd//g' "$1" | LC_ALL=C tr -d '\n -~' | wc -c; }
plain()
{
	name=$1
	shift
	tracelathe "$@" >out 2>err
	echo "$?, strange bytes $(strange out) and $(strange err), $(cat out err | grep -q '\\u202e' && echo name shown): $name"
}
for command in info check dump report tree stacks annotate 'report --sort x' 'report --event x' \
	'report --json' 'dump --json' 'info --json' 'report --threads'; do
	plain "$command" $command --format callgrind "$odd"
done
sed 's/^16 20/16 30/' "$odd" >other
plain diff diff --format callgrind "$odd" other
plain "no file" report "$odd-none"
plain "no command" "$odd"
plain "no option" report --"$odd" "$odd"
for command in info dump report tree stacks; do
	plain "$command" $command --map map.yaml "$GOLDEN/xray/fib-fdr.xray"
done
