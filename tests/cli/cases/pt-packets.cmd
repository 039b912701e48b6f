# Packets one line each as ptdump has them. The bytes are written by hand from the table of section 4, and so are the
# lines: "offset, two blanks, name, payload"; "? for nibbles not sent"; "tnt: ! taken, . not taken, oldest first". The last
# byte begins no packet.
psb='\002\202\002\202\002\202\002\202\002\202\002\202\002\202\002\202'
{
	printf "$psb"                               # 00
	printf '\002\003\040\000'                   # 10 CBR 20
	printf '\231\001'                           # 14 MODE.Exec, 64 bit
	printf '\002\043'                           # 16 PSBEND
	printf '\161\000\020\100\000\000\000'       # 18 TIP.PGE 401000
	printf '\164'                               # 1f TNT 0111 0100: stop bit, then 1 1 0 1 0
	printf '\055\064\022'                       # 20 TIP ..1234
	printf '\000'                               # 23 PAD
	printf '\002\363'                           # 24 OVF
	printf '\031\001\002\003\004\005\006\007'   # 26 TSC
	printf '\005'                               # 2e nothing
} >trace.pt
tracelathe dump trace.pt
echo "status $?"
tracelathe dump --no-pad --no-timing --no-offset trace.pt 2>/dev/null | sed -n '3,6p'
tracelathe dump --lastip trace.pt 2>/dev/null | grep 'tip '
tracelathe dump --json --no-pad trace.pt 2>/dev/null | sed -n '2p;6p'
