# Profile files of files of any format: "what is there, whole and newer than its file is not done again"; costs are those of the
# files, which are written by hand. Files that cannot be read are left out and said; a folder that cannot be made ends it.
mkdir in
printf 'events: Ir\nfl=a.c\nfn=f\n1 10\n' >in/one
printf 'events: Ir\nfl=a.c\nfn=g\n2 5\n' >in/two
echo junk >in/three
echo "done:"
tracelathe map -o parts in --glob '*'; echo "status $?"
ls parts | sed 's/\.[0-9a-f]*\.tlp/.HASH.tlp/'
tracelathe report --csv parts --glob '*.tlp' | cut -d, -f1,6
echo "again:"
ls -i parts >before
tracelathe map -o parts in/one in/two; echo "status $?"
ls -i parts | cmp - before && echo "nothing was written"
touch -d '+1 hour' in/two
tracelathe map -o parts in/one in/two; echo "status $?"
ls -i parts | diff - before | grep '^<' | sed 's/.* //; s/\.[0-9a-f]*\.tlp//'
echo "one that is cut:"
part=$(ls parts/one.*)
head -c 40 "$part" >cut && cp cut "$part"
tracelathe map -o parts in/one; echo "status $?"
tracelathe report --csv parts --glob 'one*' | cut -d, -f1,6
echo "refused:"
tracelathe map --no-keep-going -o others in/three in/one; echo "status $?"
ls others
tracelathe map -o in/one/parts in/two; echo "status $?"
