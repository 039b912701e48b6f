# "2: nothing usable"; "Errors go to stderr as tracelathe: FILE: ...". -- ends the options: --help is a file here.
mkdir directory
for file in missing directory ./missing/file; do
	tracelathe report $file
	echo $?
done
tracelathe info -- --help
