/* Images: see image.h. Formats are told by their magic numbers, never by a file's name. */
#include "runtime/render/image.h"

#include "runtime/base/utf8.h"

typedef struct Magic {
	Str bytes;
	const char *media_type;
} Magic;

static const Magic magics[] = {
	{ STR_INIT("\x89PNG\r\n\x1a\n"), "image/png" },
	{ STR_INIT("\xff\xd8\xff"), "image/jpeg" },
	{ STR_INIT("GIF87a"), "image/gif" },
	{ STR_INIT("GIF89a"), "image/gif" },
	{ STR_INIT("%PDF-"), "application/pdf" },
};

Str media_type_of(Str bytes)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (str_starts(bytes, magics[i].bytes))
			return str_from(magics[i].media_type);
	if (str_starts(bytes, STR("RIFF")) && str_eq(str_sub(bytes, 8, 12), STR("WEBP")))
		return STR("image/webp");
	return utf8_find_bad(bytes) == bytes.n ? STR("text/plain") : STR("application/octet-stream");
}

static Str data_uri_new(Arena *arena, Str bytes)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	Str type = media_type_of(bytes);
	size_t at = type.n + 13, n = at + (bytes.n + 2) / 3 * 4;
	char *p = arena_alloc(arena, n);
	memcpy(p, "data:", 5);
	memcpy(p + 5, type.p, type.n);
	memcpy(p + 5 + type.n, ";base64,", 8);
	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t left = bytes.n - i;
		uint32_t b0 = (uint8_t)bytes.p[i];
		uint32_t b1 = left > 1 ? (uint8_t)bytes.p[i + 1] : 0;
		uint32_t b2 = left > 2 ? (uint8_t)bytes.p[i + 2] : 0;
		p[at++] = digit[b0 >> 2];
		p[at++] = digit[(b0 & 3) << 4 | b1 >> 4];
		p[at++] = left > 1 ? digit[(b1 & 15) << 2 | b2 >> 6] : '=';
		p[at++] = left > 2 ? digit[b2 & 63] : '=';
	}
	return (Str){ p, n };
}

static void add_url(Arena *arena, JsonNode *list, Str url)
{
	JsonNode *one = json_new(arena, JSON_OBJECT);
	json_add_member(arena, one, STR("url"), json_new_text(arena, url));
	json_add_item(arena, list, one);
}

static bool is_url(Str s)
{
	return str_starts(s, STR("https://")) || str_starts(s, STR("http://")) || str_starts(s, STR("data:")) ||
	       str_starts(s, STR("gs://")) || str_starts(s, STR("file-"));
}

static JsonNode *urls_of_json(Arena *arena, const JsonNode *root, Str *why)
{
	JsonNode *list = json_new(arena, JSON_ARRAY);
	for (uint32_t i = 0; i < root->n; i++) {
		const JsonNode *x = root->item[i];
		Str url = x->kind == JSON_STRING ? x->text : json_get_text(x, "url", (Str){ 0 });
		if (!is_url(url)) {
			*why = str_fmt(arena, "item %u is no URL and no {\"url\": …}", i + 1);
			return NULL;
		}
		add_url(arena, list, url);
	}
	return list;
}

JsonNode *image_value(Arena *arena, Str bytes, ValueSource source, Str *why)
{
	JsonDoc doc;
	JsonNode *list = json_new(arena, JSON_ARRAY);
	if (source == VALUE_FILE) {
		add_url(arena, list, data_uri_new(arena, bytes));
		return list;
	}
	Str s = str_trim(bytes);
	if (is_url(s) && utf8_find_bad(s) == s.n) {
		add_url(arena, list, s);
		return list;
	}
	if (str_starts(s, STR("[")) && json_read(arena, s, 0, &doc) && doc.root->kind == JSON_ARRAY)
		return urls_of_json(arena, doc.root, why);
	*why = STR("an image is a file (`name=@photo.png`), a URL or a JSON list of URLs");
	return NULL;
}

JsonNode *image_value_join(Arena *arena, const JsonNode *first, const JsonNode *then)
{
	JsonNode *list = json_new(arena, JSON_ARRAY);
	for (uint32_t i = 0; i < first->n; i++)
		json_add_item(arena, list, first->item[i]);
	for (uint32_t i = 0; i < then->n; i++)
		json_add_item(arena, list, then->item[i]);
	return list;
}

bool data_uri_split(Str uri, Str *media_type, Str *data)
{
	size_t comma = str_find(uri, STR(";base64,"), 0);
	if (!str_starts(uri, STR("data:")) || comma == uri.n)
		return false;
	*media_type = str_sub(uri, 5, comma);
	*data = str_sub(uri, comma + 8, uri.n);
	return true;
}
