# "--event: formulas over those of the input, and the usual ones": of main's two lines 10 + 5 Ir and 1 + 2 I1mr, so X is
# 15 + 10 * 3 and CEst, Ir + 10 L1m + 100 LLm of what there is, 45 as well; of f's, 7 Ir and 1 ILmr, 7 and 107.
# Needs: SQLite
cat >a.out <<'END'
events: Ir I1mr ILmr
fl=a.c
fn=main
1 10 1 0
2 5 2 0
cfn=f
calls=1 9
2 7 0 1
fn=f
9 7 0 1
END
tracelathe report --csv --event 'X=Ir+10*I1mr,CEst' a.out | cut -d, -f1,6-9
tracelathe convert --event L1m,CEst a.out | grep '^event:'
tracelathe convert --event CEst a.out | tracelathe report --csv --event CEst - | cut -d, -f1,6,7
tracelathe report --event CEst --top 1 a.out
tracelathe diff --event CEst a.out a.out | head -n 2
tracelathe query --csv --event 'Y=2Ir-I1mr' a.out "SELECT f.name, c.self FROM functions f JOIN costs c ON c.function = f.id WHERE event = 'Y' ORDER BY 2"
tracelathe convert --to tracelathe -o a.tlp a.out
tracelathe merge --event CEst a.tlp a.tlp | tracelathe report --csv --event CEst - | cut -d, -f1,6,7
tracelathe report --event Bm a.out; echo "status $?"
tracelathe report --event X=Ir+Other a.out; echo "status $?"
tracelathe report --event Ir=I1mr a.out; echo "status $?"
