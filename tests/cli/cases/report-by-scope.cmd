# "class: the innermost class or namespace that a name stands in, namespace: the outermost one": names as c++filt prints
# them, one Ir each, so a row's self cost is how many of its names there are; the scopes are read off the names by eye.
{
	printf 'events: Ir\nfl=a.cc\n'
	line=1
	while read -r name; do
		printf 'fn=%s\n%d 1\n' "$name" $line
		line=$((line + 1))
	done <<'NAMES'
main
shop::cut(double)
shop::lathe::turn(int)
shop::lathe::turn(std::vector<int, std::allocator<int> >&) const
shop::lathe::~lathe()
void shop::sort<a::b*>(a::b*, a::b*)
a::b<c::d>::e(c::d)
a::operator<<(std::ostream&, a::b const&)
a::b<c::d>::operator()(int) const
a::b<c::d>::operator bool()
(anonymous namespace)::hidden(int)
a::(anonymous namespace)::hidden(int)
operator new(unsigned long)
std::map<int, a::b>::operator[](int const&)
unsigned long a::pick<unsigned long>(unsigned long)
shop::run(int)::{lambda(int)#1}::operator()(int) const
core::ptr::drop_in_place<alloc::string::String>
<alloc::vec::Vec<T> as core::clone::Clone>::clone
[libc.so.6+0x26123]
NAMES
} >names.out
tracelathe report --csv --by class names.out | sort
echo
tracelathe report --csv --by namespace names.out | sort
# "cycle: functions that call each other are one": A and B cost 30 + 70 = 100, main 10, "part": all of it.
cat >cycle.out <<'END'
part: 3
thread: 2
events: Ir
fl=a.c
fn=main
1 10
cfn=A
calls=1 5
1 100
fn=A
5 30
cfn=B
calls=3 9
5 70
fn=B
9 70
cfn=A
calls=2 5
9 50
END
tracelathe report --csv --by cycle cycle.out
tracelathe report --json --by cycle --top 1 cycle.out
tracelathe report --csv --by part cycle.out
tracelathe report --by part --top 2 "$GOLDEN/xray/fib-fdr.xray" | tail -n 3
