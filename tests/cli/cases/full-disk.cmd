# "2: output could not be written": /dev/full takes nothing.
tracelathe help >/dev/full
echo $?
tracelathe --version >/dev/full
echo $?
tracelathe help --man report >/dev/full
