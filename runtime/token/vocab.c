/*
 * Opening, searching and checking a vocabulary table. What a damaged table could do is bounded here:
 * sections lie inside the file, hash tables have a power of two of slots with one free at least, and
 * offsets of tokens are looked at again where they are used.
 */
#include "runtime/token/vocab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/sha256.h"
#include "runtime/token/spm.h"
#include "runtime/token/vocab_char.h"
#include "runtime/token/vocab_find.h"

static const struct { const char *name; uint32_t size; } section_of[VSEC_COUNT] = {
	[VSEC_TOKEN_OFF] = { "token offsets", 4 }, [VSEC_TOKEN_BYTES] = { "token bytes", 1 },
	[VSEC_TOKEN_TYPE] = { "token types", 1 }, [VSEC_PIECE] = { "pieces", 8 }, [VSEC_PAIR] = { "pairs", 8 },
	[VSEC_JOIN] = { "joins", 4 }, [VSEC_BYTE] = { "bytes", 4 }, [VSEC_BYTE_PAIR] = { "byte pairs", 4 },
	[VSEC_SCORE] = { "scores", 4 }, [VSEC_USER] = { "user tokens", 4 }, [VSEC_NAME] = { "name", 1 },
	[VSEC_CROSS] = { "crossings", 8 }, [VSEC_CHAR] = { "characters", 4 },
};

static bool is_table(const VocabRange *r)
{
	uint32_t n = r->n_bytes / 8;
	return n >= 2 && !(n & (n - 1));
}

static const char *header_fault(const VocabHeader *h, size_t n)
{
	if (n < sizeof *h || memcmp(h->magic, VOCAB_MAGIC, sizeof h->magic))
		return "this is not a vocabulary table (make one with `seedc vocab add`)";
	if (h->version != VOCAB_VERSION)
		return "another version of seedc made this vocabulary table; run `seedc vocab add` again";
	if (h->n_bytes != n)
		return "the vocabulary table is cut short or longer than it says";
	if (h->model >= VOCAB_MODEL_COUNT || h->split >= SPLIT_COUNT || h->norm >= NORM_COUNT)
		return "the vocabulary table names a model or split that this seedc does not know";
	if (!h->n_token || h->n_token > VOCAB_MAX_TOKENS)
		return "the vocabulary table's number of tokens is out of range";
	return NULL;
}

/* What VOCAB_SPM has and no other model. */
static bool has_spm_sections(const VocabHeader *h)
{
	VocabRange rest = h->section[VSEC_CROSS];
	if (h->model != VOCAB_SPM)
		return !rest.n_bytes;
	if (rest.n_bytes < 8 * (SPM_CROSS_ROWS + 2) || h->section[VSEC_SCORE].n_bytes != 4 * h->n_token)
		return false;
	rest.n_bytes -= 8 * SPM_CROSS_ROWS;
	return is_table(&rest);
}

static bool has_sections(Arena *a, const VocabHeader *h, Str *why)
{
	for (int i = 0; i < VSEC_COUNT; i++) {
		VocabRange r = h->section[i];
		if (r.off % VOCAB_ALIGN || r.off < sizeof *h || r.off > h->n_bytes || r.n_bytes > h->n_bytes - r.off ||
		    r.n_bytes % section_of[i].size) {
			*why = str_fmt(a, "the vocabulary table is damaged: %s lie outside the file", section_of[i].name);
			return false;
		}
	}
	uint64_t n = h->n_token;
	const VocabRange *s = h->section;
	if (s[VSEC_TOKEN_OFF].n_bytes != 4 * (n + 1) || s[VSEC_TOKEN_TYPE].n_bytes != n || !is_table(&s[VSEC_PIECE]) ||
	    (s[VSEC_PAIR].n_bytes && (!is_table(&s[VSEC_PAIR]) || s[VSEC_PAIR].n_bytes < 8 * PAIR_ROW)) || s[VSEC_BYTE].n_bytes != 4 * 256 ||
	    (s[VSEC_BYTE_PAIR].n_bytes && s[VSEC_BYTE_PAIR].n_bytes != 4 << 16) ||
	    (s[VSEC_JOIN].n_bytes && s[VSEC_JOIN].n_bytes != 4 * (uint64_t)h->n_rank) ||
	    (s[VSEC_CHAR].n_bytes && s[VSEC_CHAR].n_bytes != 4 * CHAR_COUNT) ||
	    (s[VSEC_SCORE].n_bytes && s[VSEC_SCORE].n_bytes != 4 * n) || !has_spm_sections(h)) {
		*why = STR("the vocabulary table is damaged: a section has the wrong size");
		return false;
	}
	return true;
}

bool vocab_init(Arena *a, Str bytes, Vocab *v, Str *why)
{
	const VocabHeader *h = (const VocabHeader *)(const void *)bytes.p;
	const char *fault = header_fault(h, bytes.n);
	if (fault) {
		*why = str_from(fault);
		return false;
	}
	if (!has_sections(a, h, why))
		return false;
	const VocabRange *s = h->section;
#define AT(T, i) ((const T *)(const void *)(bytes.p + s[i].off))
	*v = (Vocab){
		.header = h, .token_off = AT(uint32_t, VSEC_TOKEN_OFF), .token_bytes = AT(char, VSEC_TOKEN_BYTES),
		.token_type = AT(uint8_t, VSEC_TOKEN_TYPE), .piece = AT(uint64_t, VSEC_PIECE),
		.piece_mask = s[VSEC_PIECE].n_bytes / 8 - 1, .byte = AT(uint32_t, VSEC_BYTE),
		.pair = s[VSEC_PAIR].n_bytes ? AT(uint64_t, VSEC_PAIR) : NULL,
		.pair_mask = s[VSEC_PAIR].n_bytes ? s[VSEC_PAIR].n_bytes / 8 - 1 : 0,
		.join = s[VSEC_JOIN].n_bytes ? AT(uint32_t, VSEC_JOIN) : NULL,
		.byte_pair = s[VSEC_BYTE_PAIR].n_bytes ? AT(uint32_t, VSEC_BYTE_PAIR) : NULL,
		.score = s[VSEC_SCORE].n_bytes ? AT(uint32_t, VSEC_SCORE) : NULL,
		.chars = s[VSEC_CHAR].n_bytes ? AT(uint32_t, VSEC_CHAR) : NULL,
		.cross = h->model == VOCAB_SPM ? AT(uint64_t, VSEC_CROSS) : NULL,
		.cross_mask = 8 * (uint64_t)s[VSEC_CROSS].n_bytes - 64 * SPM_CROSS_ROWS - 1,
		.user = AT(uint32_t, VSEC_USER), .n_user = s[VSEC_USER].n_bytes / 4,
		.n_token = h->n_token, .n_token_bytes = s[VSEC_TOKEN_BYTES].n_bytes, .n_rank = h->n_rank,
		.name = { AT(char, VSEC_NAME), s[VSEC_NAME].n_bytes },
	};
#undef AT
	return true;
}

bool vocab_open(Arena *a, const char *path, Vocab *v, Str *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	*v = (Vocab){ 0 };
	if (fd < 0 || fstat(fd, &st)) {
		*why = str_fmt(a, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	void *map = MAP_FAILED;
	if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= UINT32_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		*why = STR("this is not a vocabulary table (make one with `seedc vocab add`)");
		return false;
	}
	if (!vocab_init(a, (Str){ map, (size_t)st.st_size }, v, why)) {
		munmap(map, (size_t)st.st_size);
		*v = (Vocab){ 0 };
		return false;
	}
	v->map = map;
	v->map_bytes = (size_t)st.st_size;
	return true;
}

void vocab_close(Vocab *v)
{
	if (v->map)
		munmap(v->map, v->map_bytes);
	*v = (Vocab){ 0 };
}

uint32_t vocab_find_hashed(const Vocab *v, Str bytes, uint64_t hash)
{
	uint64_t tag = piece_tag(hash), mask = v->piece_mask;
	uint64_t i = hash >> 40 & mask;
	for (uint64_t n = 0; n <= mask; n++, i = (i + 1) & mask) {
		uint64_t slot = v->piece[i];
		if (slot == PIECE_EMPTY)
			return TOKEN_NONE;
		if ((slot ^ tag) >> PIECE_ID_BITS)
			continue;
		uint32_t id = slot & ((1u << PIECE_ID_BITS) - 1);
		if (str_eq(vocab_token(v, id), bytes))
			return id;
	}
	return TOKEN_NONE;
}

uint32_t vocab_find(const Vocab *v, Str bytes)
{
	return vocab_find_hashed(v, bytes, piece_hash(bytes.p, bytes.n));
}

uint32_t vocab_find_pair(const Vocab *v, uint32_t left, uint32_t right)
{
	uint64_t key = pair_key(left, right);
	return v->pair ? pair_find(v, key, pair_start(key, v->pair_mask)) : TOKEN_NONE;
}

uint32_t vocab_find_special(const Vocab *v, Str text)
{
	for (uint32_t id = 0; id < v->header->n_token; id++) {
		uint8_t type = v->token_type[id];
		if ((type == TOKEN_SPECIAL || type == TOKEN_USER) && str_eq(vocab_token(v, id), text))
			return id;
	}
	return TOKEN_NONE;
}

void vocab_fingerprint(const VocabHeader *h, Str body, uint8_t out[VOCAB_HASH_BYTES])
{
	VocabHeader plain = *h;
	Sha256 sha;
	memset(plain.fingerprint, 0, sizeof plain.fingerprint);
	sha256_init(&sha);
	sha256_put(&sha, &plain, sizeof plain);
	sha256_put(&sha, body.p, body.n);
	sha256_end(&sha, out);
}

/* Every id and offset that the tables hold. */
static const char *table_fault(const Vocab *v)
{
	const VocabHeader *h = v->header;
	uint32_t n_bytes = h->section[VSEC_TOKEN_BYTES].n_bytes;
	for (uint32_t i = 0; i < h->n_token; i++)
		if (v->token_off[i] > v->token_off[i + 1] || v->token_type[i] >= TOKEN_TYPE_COUNT)
			return "tokens are out of order";
	if (v->token_off[h->n_token] != n_bytes)
		return "tokens do not fill their bytes";
	for (uint64_t i = 0; i <= v->piece_mask; i++)
		if (v->piece[i] != PIECE_EMPTY && (v->piece[i] & ((1u << PIECE_ID_BITS) - 1)) >= h->n_token)
			return "a piece names a token that is not there";
	for (uint64_t i = 0; v->pair && i <= v->pair_mask; i++)
		if (v->pair[i] != PAIR_EMPTY && (v->pair[i] & ((1u << PAIR_RANK_BITS) - 1)) >= h->n_rank)
			return "a pair names a rank that is not there";
	for (uint32_t i = 0; v->join && i < h->n_rank; i++)
		if (v->join[i] >= h->n_token)
			return "a join names a token that is not there";
	for (uint32_t i = 0; v->chars && i < CHAR_COUNT; i++) {
		uint32_t id = v->chars[i] & CHAR_ID_MASK;
		if (id != CHAR_ID_MASK && id >= h->n_token)
			return "a character names a token that is not there";
	}
	return NULL;
}

bool vocab_verify(Arena *a, const Vocab *v, Str *why)
{
	uint8_t print[VOCAB_HASH_BYTES];
	const char *all = (const char *)v->header;
	vocab_fingerprint(v->header, (Str){ all + sizeof *v->header, v->header->n_bytes - sizeof *v->header }, print);
	const char *fault = memcmp(print, v->header->fingerprint, sizeof print) ? "the checksum does not match" : table_fault(v);
	if (fault)
		*why = str_fmt(a, "the vocabulary table is damaged: %s; run `seedc vocab add` again", fault);
	return !fault;
}
