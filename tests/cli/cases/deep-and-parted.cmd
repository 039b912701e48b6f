# Call paths deeper than what is written are summed in one frame more, and that is said (status 1); ranges of instructions choose what a
# profile counts, and options of simulation points go with them alone.
python3 -c 'print(";".join("f%d" % i for i in range(1100)) + " 7"); print("f0;g 5")' >deep.folded
tracelathe convert --to folded -o out deep.folded; echo "status $?"
awk '{ n = split($0, frames, ";"); sum += $NF; print n, $NF } END { print "sum", sum }' out
tracelathe convert --to folded --max-depth 2000 -o out deep.folded; echo "status $?"
sort deep.folded | cmp - out && echo "the same"
trace=$(echo "$GOLDEN"/xtrace/u2-sys-vl128/*.xinsndata.bin*)
tracelathe convert --to lcov --instructions 1..5 -o lcov "$trace"; echo "status $?"
for words in "--warmup 5" "--interval 100" "--csv" "--json"; do
	tracelathe slice $words --instructions 1..5 -o part "$trace"; echo "status $?"
done
tracelathe report --csv --instructions 100..200 "$trace" 2>/dev/null | python3 -c 'import csv, sys
print(sum(int(row["Ir:self"]) for row in csv.DictReader(sys.stdin)))'
ls
