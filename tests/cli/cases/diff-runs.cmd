# diff --runs: f 10 % more in all runs, g alike. By hand: the medians are those of 1000 1002 1004 and 1100 1102 1104, the change
# is 100 in 1002, 9.98 %; each side has the variance 4 + 1/12, so the error of the difference is sqrt(2 (4 + 1/12) / 3) = 1.65,
# and t of 4 degrees of freedom reaches 2.776 times that, 0.457 %: 9.52 to 10.44. g has the same values on both sides.
profile() { printf 'events: Ir Dr\nfl=a.c\nfn=f\n1 %s 1\nfn=g\n2 %s 5\nfn=idle\n3 0 1\n' "$@"; }
profile 1000 500 >a1; profile 1002 510 >a2; profile 1004 505 >a3
profile 1100 505 >b1; profile 1102 500 >b2; profile 1104 510 >b3
tracelathe diff --runs a1 a2 a3 -- b1 b2 b3
tracelathe diff --runs --all 'a?' -- 'b*'
tracelathe diff --runs --csv 'a?' -- 'b?' | cut -d, -f1,4-8,12
tracelathe diff --runs --markdown --fail-above 5% 'a?' -- 'b?'
echo "f grew: $?"
tracelathe diff --runs --fail-above 50% 'a?' -- 'b?' >/dev/null
echo "not by so much: $?"
tracelathe diff --runs --fail-above 5% 'b?' -- 'a?' >/dev/null
echo "less is no growth: $?"
tracelathe diff --runs a1 -- b1 b2
echo "one run: $?"
tracelathe diff --runs a1 a2 a3
echo "one side: $?"
tracelathe diff --runs --by line a1 a2 -- b1 b2
echo "lines: $?"
tracelathe diff --runs --event Ns a1 a2 -- b1 b2
echo "no such event: $?"
tracelathe diff --runs 'none*' a1 -- b1 b2
echo "no such file: $?"
