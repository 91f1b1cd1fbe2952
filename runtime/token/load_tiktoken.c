/*
 * Rank files: a line is a token in base64, a space and its rank, which is its id. The file carries
 * nothing else; what belongs to the published ones is in rank_file.def, by the file's hash.
 */
#include "runtime/base/sha256.h"
#include "runtime/token/load_each.h"

typedef enum RankFile {
#define RANK_FILE(id, ...) RANK_##id,
#include "runtime/token/rank_file.def"
	RANK_UNKNOWN
} RankFile;

typedef struct RankRow {
	const char *hash, *name;
	VocabSplit split;
	VocabNorm norm;
	unsigned flags;
	uint32_t bos, eos;
} RankRow;

static const RankRow rank_row[] = {
#define RANK_FILE(id, hash, name, split, norm, flags, bos, eos, source) \
	{ hash, name, SPLIT_##split, NORM_##norm, flags, bos, eos },
#include "runtime/token/rank_file.def"
};

typedef struct RankSpecial {
	RankFile file;
	uint32_t id, n;       /* n 0: the text as it is */
	const char *text;
	uint32_t number;
} RankSpecial;

static const RankSpecial rank_special[] = {
#define RANK_SPECIAL(file, id, text) { RANK_##file, id, 0, text, 0 },
#define RANK_RUN(file, id, n, text, number) { RANK_##file, id, n, text, number },
#include "runtime/token/rank_file.def"
};

static RankFile find_file(Str bytes)
{
	uint8_t hash[SHA256_BYTES];
	char hex[2 * SHA256_BYTES];
	sha256_of(bytes, hash);
	sha256_hex(hash, hex);
	RankFile f = 0;
	while (f < RANK_UNKNOWN && memcmp(rank_row[f].hash, hex, sizeof hex))
		f++;
	return f;
}

static bool put_special(Load *l, const RankSpecial *s)
{
	if (!s->n)
		return load_put(l, 0, s->id, str_from(s->text), TOKEN_SPECIAL);
	for (uint32_t i = 0; i < s->n; i++)
		if (!load_put(l, 0, s->id + i, str_fmt(l->a, "%s%u|>", s->text, s->number + i), TOKEN_SPECIAL))
			return false;
	return true;
}

static bool take_row(Load *l, RankFile f)
{
	const RankRow *row = &rank_row[f];
	VocabSource *v = l->out;
	v->name = str_from(row->name);
	v->split = row->split;
	if (!load_own_split(l))
		return false;
	v->norm = row->norm;
	v->flags |= row->flags;
	v->bos = row->bos;
	v->eos = row->eos;
	for (size_t i = 0; i < sizeof rank_special / sizeof *rank_special; i++)
		if (rank_special[i].file == f && !put_special(l, &rank_special[i]))
			return false;
	return true;
}

/* "BASE64 RANK" at offset at; *out is where decoded bytes go. */
static bool read_line(Load *l, Str line, size_t at, char **out)
{
	size_t gap = str_find(line, STR(" "), 0), bad = 0;
	size_t n = load_base64(str_sub(line, 0, gap), *out, &bad);
	if (n == SIZE_MAX)
		return load_fail(l, at + bad, "malformed base64");
	if (!n)
		return load_fail(l, at, "a token of no bytes");
	if (gap + 1 >= line.n)
		return load_fail(l, at + line.n, "expected a token in base64, a space and its rank");
	uint64_t id = 0;
	for (size_t i = gap + 1; i < line.n; i++) {
		if (line.p[i] < '0' || line.p[i] > '9')
			return load_fail(l, at + i, "a rank is a decimal number");
		if (id < VOCAB_MAX_TOKENS)
			id = id * 10 + (uint64_t)(line.p[i] - '0');
	}
	Str token = { *out, n };
	*out += n;
	return load_put(l, at + gap + 1, id, token, TOKEN_NORMAL) && load_text_once(l, at, token, (uint32_t)id);
}

bool load_tiktoken(Load *l)
{
	Str rest = l->bytes, line;
	char *out = arena_alloc(l->a, l->bytes.n);
	l->out->model = VOCAB_RANKS;
	l->out->flags = VOCAB_WHOLE_PIECE_FIRST;
	while (str_line(&rest, &line)) {
		size_t at = (size_t)(line.p - l->bytes.p);
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (line.n && !read_line(l, line, at, &out))
			return false;
	}
	RankFile f = find_file(l->bytes);
	if (f != RANK_UNKNOWN)
		return take_row(l, f);
	/* Whoever publishes this split normalises first, as a rank file and as any other. */
	if (l->split == SPLIT_QWEN2)
		l->out->norm = NORM_NFC;
	return load_need_split(l, "rank");
}
