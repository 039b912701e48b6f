# The example of the published specification (Callgrind Format Specification, "Associations"): main costs 20 itself and
# 820 with what it calls, at line 16; func1 100 at line 51 and 300 more; func2 700 at line 20 of the other file.
cat >callgrind.out <<'END'
events: Instructions
fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfl=file2.c
cfn=func2
calls=3 20
16 400
fn=func1
51 100
cfl=file2.c
cfn=func2
calls=2 20
51 300
fl=file2.c
fn=func2
20 700
END
mkdir -p src/deep
seq -f 'line %.0f' 60 >src/deep/file1.c
tracelathe annotate --source-dir src --source-dir src/deep --context 1 callgrind.out
tracelathe annotate --csv --file 1 callgrind.out
# A function that now costs half, one that is new; lines are told apart.
sed -e 's/^20 700/20 350/' -e 's/func1/func3/' callgrind.out >after.out
tracelathe diff callgrind.out after.out
tracelathe diff --rename 'func[13]=func' --by line --all callgrind.out after.out
tracelathe diff --rename 'func([13])=f\1' --by arc --csv callgrind.out after.out
