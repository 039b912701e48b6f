# "unmatched exits behind a gap are matched from the outermost frame inwards; the time of the gap is (lost), a row of its
# own, not self time of an open frame": a recursion of three, with the buffer zeroed in which the third begins (1300 to
# 1310..1340 to 1400). By hand: #2 is 1100..2900 and 1200..1900, #1 is 1000..3000, both as in the whole trace; 1200..1400
# is lost; whose exit stands at 1400 began in the hole.
tracelathe report --csv "$GOLDEN/xray/gap-full.xray" | cut -d, -f1,6-
tracelathe report --csv "$GOLDEN/xray/gap-hole.xray" 2>err | cut -d, -f1,6-
sed "s,$GOLDEN/,," err
tracelathe report "$GOLDEN/xray/gap-hole.xray" 2>&1 >/dev/null | sed "s,$GOLDEN/,,"
tracelathe tree --top-down --csv "$GOLDEN/xray/gap-hole.xray" 2>/dev/null
tracelathe stacks "$GOLDEN/xray/gap-hole.xray" 2>/dev/null
tracelathe report "$GOLDEN/xray/gap-hole.xray" >/dev/null 2>&1
echo "status $?"
