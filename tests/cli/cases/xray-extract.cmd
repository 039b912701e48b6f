# The instrumentation map as llvm-xray prints it (`llvm-xray extract --symbolize` wrote args.instrmap-sym.yaml), in every
# form, and read again from the YAML.
# Needs: libiberty YAML
bin=$GOLDEN/../corpus/xray/bin
tracelathe extract --yaml "$bin/args.elf" | cmp - "$GOLDEN/xray/args.instrmap-sym.yaml"
tracelathe extract -o map.yaml "$bin/args.elf"
cmp map.yaml "$GOLDEN/xray/args.instrmap-sym.yaml"
tracelathe extract --yaml map.yaml | cmp - map.yaml
tracelathe extract "$bin/args.elf"
# The CSV has what llvm-xray's YAML has, and no line of source, which the program does not know.
sed -n "s/^- { id: \([0-9]*\), address: \([^,]*\), function: \([^,]*\), kind: \([^,]*\), always-instrument: \([a-z]*\), function-name: '*\([^']*\)'*, version: \([0-9]*\) }/\1,\2,\3,\4,\5,\7,\6,,/p" \
	"$GOLDEN/xray/args.instrmap-sym.yaml" | sed 's/0x[0-9A-F]*/\L&/g; s/,true,/,1,/; s/,false,/,0,/' >expected
tracelathe extract --csv map.yaml | tail -n +2 | tr -d '"' | cmp - expected
wc -l <expected
# Each form has the same sleds.
tracelathe extract --json "$bin/args.elf" | jq -r '.sleds[] |
	[.id, .address, .function, .kind, (if .always then 1 else 0 end), .version, .name, .file, .line] | @csv' |
	tr -d '"' >json
tracelathe extract --csv "$bin/args.elf" | tail -n +2 | tr -d '"' | cmp - json
# Names are quoted where YAML would take them for something else.
cat >odd.yaml <<'TEXT'
---
- { id: 1, address: 0x10, function: 0x10, kind: function-enter, always-instrument: false, function-name: 'it''s', version: 2 }
- { id: 2, address: 0x20, function: 0x20, kind: tail-exit, always-instrument: true, function-name: 'null', version: 2 }
- { id: 3, address: 0x30, function: 0x30, kind: log-args-enter, always-instrument: true, function-name: '' }
- { id: 4, address: 0x40, function: 0x40, kind: custom-event, always-instrument: true, function-name: "gr\xF6\xDF", version: 1 }
...
TEXT
tracelathe extract --yaml odd.yaml
tracelathe extract odd.yaml
# One is one.
sed '1,2p; $p; d' odd.yaml >one.yaml
tracelathe extract one.yaml
echo 'neither one' >text
tracelathe extract text
tracelathe extract --yaml --csv odd.yaml
tracelathe extract odd.yaml odd.yaml
tracelathe extract
true
