#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wrong_setter.sh ROOT COMPILER...: a row of the option table compiles only with a field of the type that its kind writes.
root=$1
shift
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# Whether a row compiles.
compile()
{
	printf '#include "cli/options/values.h"\nconst struct option_row row = %s;\n' "$1" >"$work/row.c"
	$compiler -std=gnu11 -w -fsyntax-only -I"$root/include" -I"$root/src" "$work/row.c" 2>/dev/null
}
good() { compile "$1" || { echo "$compiler refuses: $1"; failed=1; }; }
bad() { compile "$1" && { echo "$compiler takes: $1"; failed=1; }; }

for compiler; do
	command -v "$compiler" >/dev/null || continue
	good 'OPT_FLAG(C_REPORT, "x", report.ascending, "")'
	bad 'OPT_FLAG(C_REPORT, "x", report.top, "")'
	bad 'OPT_FLAG(C_REPORT, "x", no.such.field, "")'
	good 'OPT_COUNT(C_REPORT, "x", "N", report.top, "")'
	bad 'OPT_COUNT(C_REPORT, "x", "N", analysis.line, "")'
	good 'OPT_ID(C_REPORT, "x", "N", analysis.line, "")'
	bad 'OPT_ID(C_REPORT, "x", "N", input.jobs, "")'
	good 'OPT_TEXT(C_REPORT, "x", "T", output.path, "")'
	bad 'OPT_TEXT(C_REPORT, "x", "T", programs.binaries, "")'
	good 'OPT_CHOICE(C_TREE, "x", enum tl_tree_kind, tree, TL_TREE_BOTH, "")'
	bad 'OPT_CHOICE(C_TREE, "x", enum tl_tree_kind, report.threshold, TL_TREE_BOTH, "")'
	good 'OPT_WINDOW(C_REPORT, "x", "T", input.filter, "")'
	bad 'OPT_WINDOW(C_REPORT, "x", "T", slice.part.snapshots, "")'
	good 'OPT_BINARY(C_REPORT, "x", "F", programs.binaries, "")'
	bad 'OPT_BINARY(C_REPORT, "x", "F", programs.raws, "")'
	bad 'OPT_BINARY(C_REPORT, "x", "F", diff.renames, "")'
	bad 'OPT_DIR(C_REPORT, "x", "F", paths.list, "")'
done
[ $failed -eq 0 ] && echo 'all as it should be'
exit $failed
