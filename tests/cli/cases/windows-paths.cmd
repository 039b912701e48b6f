# A profile that was written on Windows names its sources with backslashes and a drive: they are found below --source-dir.
mkdir -p here/src && echo 'int main(void) { return 0; }' >here/src/a.c
printf 'events: Ir\nfl=C:\\work\\src\\a.c\nfn=main\n1 10\n' >a.out
tracelathe annotate --source-dir here a.out
tracelathe annotate --source-dir here/src --csv a.out
