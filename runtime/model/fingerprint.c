/*
 * The hash of a model's file, which takes longer than all else at start: kept in the cache folder under what names
 * the file's present state (device, inode, size, times). A cache that cannot be read or written costs time only.
 */
#include "runtime/model/load.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/file.h"
#include "runtime/token/vocab_store.h"

enum { HEX_BYTES = 2 * SHA256_BYTES, KEY_HEX_BYTES = 32 };

Str model_cache_folder(Arena *a)
{
	static const struct { const char *variable, *below; } place[] = {
		{ "SEEDC_CACHE_DIR", "" }, { "XDG_CACHE_HOME", "/seedc" }, { "HOME", "/.cache/seedc" },
	};
	for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
		const char *value = getenv(place[i].variable);
		if (value && *value)
			return str_fmt(a, "%s%s", value, place[i].below);
	}
	return STR("");
}

/* NULL: there is no cache. */
static const char *entry_path(Arena *a, const struct stat *st, Str *folder)
{
	uint8_t key[SHA256_BYTES];
	char hex[HEX_BYTES];
	Str cache = model_cache_folder(a);
	if (!cache.n)
		return NULL;
	sha256_of(str_fmt(a, "%llu %llu %lld %lld.%09ld %lld.%09ld", (unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
		(long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec,
		st->st_ctim.tv_nsec), key);
	sha256_hex(key, hex);
	*folder = str_fmt(a, "%.*s/sha256", STR_ARG(cache));
	return str_z(a, str_fmt(a, "%.*s/%.*s", STR_ARG(*folder), KEY_HEX_BYTES, hex));
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_entry(Arena *a, const char *path, uint8_t out[SHA256_BYTES])
{
	Str s, why;
	if (!file_read(a, path, &s, &why) || s.n != HEX_BYTES + 1)
		return false;
	for (int i = 0; i < SHA256_BYTES; i++) {
		int hi = hex_digit(s.p[2 * i]), lo = hex_digit(s.p[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return false;
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	return s.p[HEX_BYTES] == '\n';
}

static void write_entry(Arena *a, Str folder, const char *path, const uint8_t hash[SHA256_BYTES])
{
	char line[HEX_BYTES + 1];
	Str why;
	sha256_hex(hash, line);
	line[HEX_BYTES] = '\n';
	if (vocab_store_make(a, folder, &why))
		file_write(a, path, (Str){ line, sizeof line }, &why);
}

void model_hash_file(Arena *a, const char *path, Str bytes, uint8_t out[SHA256_BYTES])
{
	struct stat st;
	Str folder;
	bool is_that = !stat(path, &st) && (uint64_t)st.st_size == bytes.n;
	const char *entry = is_that ? entry_path(a, &st, &folder) : NULL;
	if (entry && read_entry(a, entry, out))
		return;
	sha256_of(bytes, out);
	if (entry)
		write_entry(a, folder, entry, out);
}
