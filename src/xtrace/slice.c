#include <tracelathe/xtrace.h>
int tl_xtrace_slice_write(struct tl_xtrace *trace, const struct tl_xtrace_slice *slice, struct tl_output *stream, struct tl_output *snapshots, struct tl_error *err) {(void)trace;(void)slice;(void)stream;(void)snapshots;(void)err;return 0;}
