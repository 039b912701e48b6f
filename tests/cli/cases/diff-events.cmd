# Where no event is on both sides calls are compared: said, and status 1 for the costs left out, or by will (--event calls), by
# hand. Without calls there is nothing to compare. An event that one side lacks is left out and told, status 1; asked for by
# name, it is an error.
profile() { printf 'events: %s\nfl=a.c\nfn=main\n1 %s\ncfn=f\ncalls=%s 9\n1 %s\nfn=f\n9 %s\n' "$@"; }
profile 'Ir Dr' '10 1' 3 '20 2' '20 2' >a
profile 'Ir' '15' 5 '20' '20' >b
profile 'Ns' '700' 7 '20' '20' >c
tracelathe diff --csv a c
echo "nothing but calls in common: $?"
tracelathe diff --by arc --csv a c
tracelathe diff --csv --event calls a c
echo "calls: $?"
tracelathe diff --by arc --event calls --csv a c
tracelathe diff --by line --event calls a c
echo "lines have no calls: $?"
tracelathe diff --svg a c
echo "no picture: $?"
tracelathe diff --csv a b
echo "one in common: $?"
tracelathe diff --csv --event Ir,calls a b
tracelathe diff --event Dr a b
echo "asked for: $?"
{ profile 'Ns' '700' 7 '20' '20'; printf 'fn=g\n3 5\n'; } >d
tracelathe diff --event calls a d
echo "what was never called is no new row: $?"
