# Two directories are the runs of either side, as if their files were given (--runs); a directory that is one recording (perf
# record --threads) is one file of a side.
# Needs: Zydis
profile() { printf 'events: Ir Dr\nfl=a.c\nfn=f\n1 %s 1\nfn=g\n2 %s 5\n' "$@"; }
mkdir a b one other
profile 1000 500 >a/1; profile 1002 510 >a/2; profile 1004 505 >a/3
profile 1100 505 >b/1; profile 1102 500 >b/2; profile 1104 510 >b/3
tracelathe diff --runs a/1 a/2 a/3 -- b/1 b/2 b/3 >files; echo "status $?"
tracelathe diff a b | cmp - files && echo "the same"
tracelathe diff a b --glob '[12]' >few
tracelathe diff --runs a/1 a/2 -- b/1 b/2 | cmp - few && echo "the same of some"
cp "$GOLDEN/perf/threads.perf.data" one/data
cp "$GOLDEN/perf/threads.perf.data" other/data
tracelathe diff --csv one/data other/data >files 2>err; echo "status $?"
tracelathe diff --csv one other 2>err2 | cmp - files && echo "the same recordings"
# A directory without one is no file.
tracelathe diff a/1 b >/dev/null 2>err; echo "status $?"
