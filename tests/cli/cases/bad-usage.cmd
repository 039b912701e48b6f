# "2: bad usage"; the message names what is wrong, and the nearest option.
try() { tracelathe "$@"; [ $? -eq 2 ] || echo "status of $*"; }
try report
try report --thread
try report --theads x
try report --sotr=self x
try report --nonsense x
try report --asm x
try dump --csv x
try report -x x
try report --json=1 x
try report --json --csv x
try report --color maybe x
try report --top 0 x
try report --top 1x x
try report --top= x
try report --jobs -1 x
try report --thread 0x x
try report --pid 18446744073709551616 x
try report --time 5 x
try report --time 5..3 x
try report --time 1..2h x
try report --time -1..2 x
try report --time nan..2 x
try report --format nonsense x
try report --binary @0x10 x
try tree --threshold 101 x
try timeline --to svg x
try convert --to svg x
try convert --to x
try dump --order size x
try help a b
try help --completion tcsh
try -x
try diff x
try diff x y z
try diff --by size x y
try diff --rename nonsense x y
try merge
try merge --to xray x y
try annotate --context -1 x
try annotate --context 1000001 x
try report --by line x
true
