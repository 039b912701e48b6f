# What cannot be recorded is refused with the reason; the list says of each recorder why not; a script is none of ELF.
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
tracelathe record --list ./script | sed -n 1,6p
tracelathe record --list | sed 's/  */ /g' | grep -A1 ' xray '
