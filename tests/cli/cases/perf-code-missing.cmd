# perf.data whose programs are not here: each is told once, with the reason, and the exit status is 1. The trace enters
# ld.so alone, as its first address (TIP.PGE 7ffff7fe4b70) and the maps say.
# Needs: Zydis
cp "$GOLDEN/perf/threads.perf.data" .
tracelathe report --sysroot /nowhere threads.perf.data 2>&1 >/dev/null | sed 's/ of trace without.*//; s/[0-9]* times, [0-9]* bytes/N times, N bytes/'
tracelathe report --sysroot /nowhere threads.perf.data >/dev/null 2>&1
echo "status $?"
# A file that is there but cannot be opened is no missing file.
mkdir -p root/usr/lib/x86_64-linux-gnu
ln -s ld-linux-x86-64.so.2 root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
tracelathe report --sysroot root threads.perf.data 2>&1 >/dev/null | grep -o "it cannot be read: [^)]*"
