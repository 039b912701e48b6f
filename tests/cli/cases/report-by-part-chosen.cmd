# "--function REGEX only functions whose name matches": of parts, those in which such a function ran, with all that they cost. By
# hand: main ran in part 1, work in parts 2 and 3.
printf 'events: Ir\npart: 1\nthread: 1\nfn=main\n1 5\n\npart: 2\nthread: 2\nfn=work\n2 7\n\npart: 3\nthread: 3\nfn=work\n2 1\nfn=rest\n3 2\n' >parts
tracelathe report --csv --by part --function '^work$' parts
tracelathe report --csv --by part --function '^main$' parts
tracelathe report --by part --function nowhere parts
# What massif and DHAT write is not such a profile, which is said with what to do.
printf 'desc: --massif-out-file=m\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n' >massif.out
tracelathe info massif.out
printf '{"dhatFileVersion":2\n,"mode":"heap","verb":"Allocated"\n' >dhat.out
tracelathe info dhat.out
