# --fail-above: status 3 behind the table, if the total or a row grew by more, in the first event or those of --event; what
# is new grew without bound, what is below --threshold does not count. Growth by hand: main 100 to 103 is 3 %, f 1000 to
# 1010 is 1 %, the total 1100 to 1113 is 1.18 %; Dr of f 5 to 9 is 80 %.
profile() { printf 'events: Ir Dr\nfl=a.c\nfn=main\n1 %s 1\nfn=f|g\n2 %s\n' "$@"; }
profile 100 '1000 5' >a
profile 103 '1010 9' >b
tracelathe diff --fail-above 2% --csv a b
echo "main grew by 3: $?"
tracelathe diff --fail-above 3 a b >/dev/null
echo "not by more than 3: $?"
tracelathe diff --fail-above 3 --event Dr a b >/dev/null
echo "Dr: $?"
tracelathe diff --fail-above 1 --threshold 0.5 a b >/dev/null
echo "without main: $?"
tracelathe diff --fail-above 0 b a >/dev/null
echo "nothing grew: $?"
{ cat a; printf 'fn=new\n3 1 0\n'; } >c
tracelathe diff --fail-above 1000 --top 1 a c >/dev/null
echo "new: $?"
tracelathe diff --fail-above 2 --markdown a b >b.md
echo "markdown: $?"
cat b.md
tracelathe diff --fail-above most a b
echo "no number: $?"
tracelathe diff --markdown --csv a b
echo "two forms: $?"
