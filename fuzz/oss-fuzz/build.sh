#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# What OSS-Fuzz runs: $CC, $CFLAGS and $LIB_FUZZING_ENGINE are its own, $OUT takes programs, corpora and dictionaries. Outside:
#   CC=clang-19 CFLAGS='-fsanitize=fuzzer-no-link,address' LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=... WORK=... build.sh
cd "$(dirname "$0")"
[ -f meson.build ] || cd ../..
export LDFLAGS="${LDFLAGS:-} ${CFLAGS:-}"
meson setup "$WORK/build" -Dfuzz=true -Dfuzz_engine="$LIB_FUZZING_ENGINE" -Dbuildtype=plain -Db_lundef=false \
	-Dprefer_static=true -Dview=disabled -Dbrowse=disabled -Dedit=disabled -Dmpi=disabled -Dwerror=false
ninja -C "$WORK/build" ${TARGETS:-fuzz-targets}
for program in "$WORK"/build/fuzz/libfuzzer_*; do
	[ -x "$program" ] && [ -f "$program" ] || continue
	name=${program##*libfuzzer_}
	cp "$program" "$OUT/$name"
	seeds=fuzz/corpus/$name
	[ -d "$seeds" ] || seeds=fuzz/corpus/${name%%_*}
	(cd "$seeds" && zip -q -r - .) >"$OUT/${name}_seed_corpus.zip"
	for part in "$name" "${name%%_*}" "${name##*_}"; do
		if [ -f "fuzz/dictionaries/$part.dict" ]; then
			cp "fuzz/dictionaries/$part.dict" "$OUT/$name.dict"
			break
		fi
	done
done
