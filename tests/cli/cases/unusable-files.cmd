# "2: nothing usable"; "Errors: tracelathe: FILE: offset 0x…, ...". An empty file, text, and a header without records.
: >empty
echo "this is no trace" >text
head -c 32 "$GOLDEN/xray/fib-fdr.xray" >header
for file in empty text header; do
	tracelathe report $file 2>err
	echo "$file: $? $(grep -c "^tracelathe: $file: ." err) $(wc -l <err)"
done
