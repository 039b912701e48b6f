# What is no command is told so, with all there are; near misses are guessed. The list has the commands of the overview.
tracelathe help | sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p; s/^  also: //p' | tr -d ' ' | tr ',' '\n' | sort >commands
told()
{
	sed 's/.*the commands are //' err | tr -d ' ' | tr ',' '\n' | sort >list
	cmp -s list commands && sed -i 's/the commands are .*/the commands are ALL/' err
	echo "$1 $(cat err)"
}
for command in sliced trace nonsense repotr cnovert; do
	tracelathe $command x 2>err
	told $?
done
tracelathe help trace 2>err
told $?
