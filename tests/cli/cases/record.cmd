# What cannot be recorded is refused with the reason; the list says of each recorder why not; a script is none of ELF.
# Of calls that are patched in the list says nothing else on machines that have none.
printf '#!/bin/sh\nexit 4\n' >script
chmod +x script
tracelathe record ./nowhere; echo $?
tracelathe record; echo $?
tracelathe record --how nothing ./script; echo $?
tracelathe record --how calls -- ./script; echo $?
tracelathe record --finish; echo $?
tracelathe record --finish -o nowhere; echo $?
cp /bin/true elevated && chmod 4755 elevated
tracelathe record ./elevated; echo $?
tracelathe record --list ./elevated | sed -n 1,2p
tracelathe record --list ./script | sed -n 1,6p |
	sed 's/only built for x86-64 and AArch64/the program is no ELF file (a script?): name the program that runs it/'
tracelathe record --list | sed 's/  */ /g' | grep -A1 ' xray '
