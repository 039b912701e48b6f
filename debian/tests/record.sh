# A program of its own, recorded; the log is $AUTOPKGTEST_TMP/log.
cd "$AUTOPKGTEST_TMP"
cat >program.c <<'C'
__attribute__((noinline)) int leaf(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int main(void) { int n = 0; for (int i = 0; i < 1000; i++) n = leaf(n); return n != 1000; }
C
gcc -g -O1 -finstrument-functions -o program program.c
tracelathe record -o log -- ./program
