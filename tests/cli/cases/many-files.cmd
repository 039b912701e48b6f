# Many files: "a profile file each, restartable; what is there, whole and newer is not done again", and both halves of a merge
# give the bytes of the whole one. XRay logs of a program that forked are related to each other also where each has its own
# profile file (their sums: see xray-forked).
mkdir -p in/logs in/more
cp "$GOLDEN"/xray/forky-?.xray in/logs
cp "$GOLDEN"/callgrind/threads.out-0? in/more
find in -name '*.xray' | sort >list
echo >>list

echo "both ways:"
tracelathe map -o parts in --glob '*.xray' 2>err
echo $?
ls parts | sed 's/\.[0-9a-f]*\.tlp/.HASH.tlp/'
tracelathe merge -o halves.tlp parts --glob '*.tlp' 2>/dev/null
tracelathe merge -o whole.tlp in/logs/*.xray 2>/dev/null
cmp halves.tlp whole.tlp
tracelathe merge -o listed.tlp @list 2>/dev/null
cmp listed.tlp whole.tlp
tracelathe report --csv @list 2>/dev/null >listed.csv
tracelathe report --csv in/logs/*.xray 2>/dev/null | cmp - listed.csv

echo "again:"
ls -i parts >before
tracelathe map -o parts @list 2>err2
cmp err err2 >/dev/null || echo "notes are told of the profile files"
ls -i parts | cmp - before
cut=$(ls parts/forky-1*)
head -c 300 "$cut" >cut && cp cut "$cut"
touch in/logs/forky-2.xray
tracelathe map -o parts @list 2>/dev/null
ls -i parts | diff - before | grep -c '^<'
tracelathe merge -o halves.tlp parts --glob '*.tlp' 2>/dev/null
cmp halves.tlp whole.tlp

echo "any formats, and files that are none:"
echo junk >in/more/junk
tracelathe stacks in --glob 'threads*' 2>/dev/null | grep -q 'main;run' && echo stacks
grep -h '^totals' in/more/threads* | sort >totals
tracelathe convert in --glob 'threads*' 2>/dev/null | grep '^totals' | sort | cmp - totals && echo "converted: the same totals"
tracelathe merge --to csv in/more/threads* >two.csv
tracelathe merge --to csv in/more --glob '*' | cmp - two.csv
tracelathe merge --to csv in/more/* in/none >three.csv
echo $?
cmp two.csv three.csv
tracelathe merge --no-keep-going in/more/* >/dev/null
echo $?
tracelathe merge in/more/junk in/none
echo $?

echo "usage:"
tracelathe map in/more/threads.out-01
tracelathe merge @none
tracelathe merge in --glob '*.none'
