# Values that make no sense are told, with status 2.
# Needs: zstd
trace=$GOLDEN/intel_pt/rec.ret.pt
for option in "--cpu-model 6" "--cpu-model 6/85/x" "--mtc-freq 300" "--raw nofile" "--raw $GOLDEN/intel_pt/rec.map:9-5@0" "--raw none@0x1000" \
	"--binary $GOLDEN/intel_pt/rec.map" "--map $GOLDEN/intel_pt/README.md"; do
	tracelathe report $option $trace 2>&1 >/dev/null | sed "s,$GOLDEN,GOLDEN,g"
	echo "$option" | sed "s,$GOLDEN,GOLDEN,g"
done
tracelathe convert --to intel-pt -o copy.pt $trace && cmp copy.pt $trace && echo "the same packets"
tracelathe report --format intel-pt $GOLDEN/intel_pt/rec.map 2>&1 | sed "s,$GOLDEN,GOLDEN,g"
