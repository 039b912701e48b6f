# "What cannot be read costs names, and is said": a binary whose line table claims version 9, whose unit is
# longer than its section, or of version 7. The places are those of readelf -S of the seed.
# Needs: Zydis
cat >profile <<END
version: 1
creator: test
positions: instr line
events: Ir
ob=program
fl=t.c
fn=outer
0x4000b0 13 20
0x4000b5 13 5
END
# damage PLACE=BYTES...
damage()
{
	cp "$GOLDEN/../../fuzz/corpus/dwarf/gcc-5" program
	chmod u+w program
	for change; do
		printf "${change#*=}" | dd of=program bs=1 seek=$((${change%%=*})) conv=notrunc status=none
	done
	tracelathe annotate --asm --binary program profile >out
	echo "$? $(grep cmp out)"
}
damage
damage 0x493+4='\011'
damage 0x17a+0='\377\377\377\177'
damage 0x17a+4='\007'
