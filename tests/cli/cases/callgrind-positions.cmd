# A word of positions: that nobody knows is a column of its own ("subpositions first, then counters"): costs, lines and
# what is relative to the last self cost stand where they belong. The sums are those of totals:, by hand 10 + 20 + 7.
cat >odd.out <<'END'
# callgrind format
creator: callgrind-9
positions: line discriminator
events: Ir Dr
fl=a.c
fn=main
5 2 10 1
+1 +3 20 2
cfn=f
calls=4 90 7
* * 7 0
fn=f
90 -1 7
totals: 37 3
END
tracelathe report --csv odd.out
echo "report: $?"
tracelathe check odd.out
echo "check: $?"
tracelathe dump --json odd.out | grep -E '"(cost|call)"'
tracelathe annotate --csv odd.out | cut -d, -f1-4
