/* What is done with a JSON tree once read: look-ups, RFC 6901 pointers, equality and hash by value,
 * the canonical and the indented writer, nodes made by hand.
 *
 * Trees that were read are at most JSON_DEPTH_MAX deep, so walks recurse; trees made by hand keep to
 * the same bound. */
#include "runtime/base/json.h"

#include <stdlib.h>

#include "runtime/base/map.h"
#include "runtime/base/num.h"

JsonNode *json_find(const JsonNode *obj, Str name)
{
	if (!obj || obj->kind != JSON_OBJECT)
		return NULL;
	for (uint32_t i = obj->n; i-- > 0;)
		if (str_eq(obj->member[i].key->text, name))
			return obj->member[i].value;
	return NULL;
}

JsonNode *json_get(const JsonNode *obj, const char *name)
{
	return json_find(obj, str_from(name));
}

Str json_get_text(const JsonNode *obj, const char *name, Str fallback)
{
	const JsonNode *x = json_get(obj, name);
	return x && x->kind == JSON_STRING ? x->text : fallback;
}

/* One reference token, ~1 and ~0 undone into out; false if a '~' stands alone. */
static bool unescape_token(Str token, Buf *out)
{
	out->n = 0;
	for (size_t i = 0; i < token.n; i++) {
		char c = token.p[i];
		if (c == '~') {
			if (++i == token.n || (token.p[i] != '0' && token.p[i] != '1'))
				return false;
			c = token.p[i] == '0' ? '~' : '/';
		}
		buf_byte(out, c);
	}
	return true;
}

static JsonNode *item_at(const JsonNode *array, Str token)
{
	uint64_t at = 0;
	if (!token.n || token.n > 10 || (token.p[0] == '0' && token.n > 1))
		return NULL;
	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] < '0' || token.p[i] > '9')
			return NULL;
		at = at * 10 + (uint64_t)(token.p[i] - '0');
	}
	return at < array->n ? array->item[at] : NULL;
}

JsonNode *json_pointer_get(JsonNode *root, Str pointer)
{
	Buf token = { 0 };
	JsonNode *x = root;
	size_t at = 0;
	while (x && at < pointer.n) {
		if (pointer.p[at] != '/') {
			x = NULL;
			break;
		}
		size_t end = str_find(pointer, STR("/"), at + 1);
		if (!unescape_token(str_sub(pointer, at + 1, end), &token))
			x = NULL;
		else if (x->kind == JSON_OBJECT)
			x = json_find(x, buf_str(&token));
		else
			x = x->kind == JSON_ARRAY ? item_at(x, buf_str(&token)) : NULL;
		at = end;
	}
	buf_free(&token);
	return x;
}

void json_pointer_put(Buf *b, Str token)
{
	buf_byte(b, '/');
	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] == '~')
			buf_lit(b, "~0");
		else if (token.p[i] == '/')
			buf_lit(b, "~1");
		else
			buf_byte(b, token.p[i]);
	}
}

void json_pointer_put_index(Buf *b, uint32_t index)
{
	buf_printf(b, "/%u", index);
}

static bool covers(const JsonNode *x, uint32_t offset)
{
	return x->lo <= offset && offset < x->hi;
}

Str json_pointer_at(Arena *a, const JsonNode *root, uint32_t offset)
{
	Buf b = { 0 };
	const JsonNode *x = root, *next;
	for (; x; x = next) {
		next = NULL;
		for (uint32_t i = 0; x->kind == JSON_ARRAY && i < x->n && !next; i++)
			if (covers(x->item[i], offset)) {
				next = x->item[i];
				json_pointer_put_index(&b, i);
			}
		for (uint32_t i = 0; x->kind == JSON_OBJECT && i < x->n && !next; i++)
			if (covers(x->member[i].value, offset) || covers(x->member[i].key, offset)) {
				next = x->member[i].value;
				json_pointer_put(&b, x->member[i].key->text);
			}
	}
	Str out = str_dup(a, buf_str(&b));
	buf_free(&b);
	return out;
}

uint32_t json_text_runs(Arena *a, const JsonNode *string, TextRun **run)
{
	*run = string->run;
	if (string->n_run || !string->text.n)
		return string->n_run;
	*run = arena_new(a, TextRun);
	**run = (TextRun){ 0, string->lo + 1, (uint32_t)string->text.n };
	return 1;
}

uint32_t json_text_offset(const JsonNode *string, size_t off)
{
	uint32_t at = string->lo + 1;
	if (!string->n_run)
		return at + (uint32_t)off;
	for (uint32_t i = 0; i < string->n_run && string->run[i].text_off <= off; i++) {
		size_t in = off - string->run[i].text_off;
		at = string->run[i].src_off + (uint32_t)(in < string->run[i].len ? in : string->run[i].len);
	}
	return at;
}

static bool equal_number(const JsonNode *x, const JsonNode *y)
{
	Num a, b;
	if (!num_parse(x->text, &a) || !num_parse(y->text, &b))
		return str_eq(x->text, y->text);
	return num_cmp(&a, &b) == 0;
}

/* The members that count: of a name given twice the last, as json_find says. */
static uint32_t distinct_members(Arena *scratch, const JsonNode *x, JsonMember **out)
{
	*out = x->member;
	if (!x->has_dup)
		return x->n;
	Map seen = { 0 };
	JsonMember *kept = arena_array(scratch, JsonMember, x->n);
	uint32_t n = 0;
	for (uint32_t i = x->n; i-- > 0;)
		if (!map_add(scratch, &seen, x->member[i].key->text, x->member[i].value))
			kept[n++] = x->member[i];
	*out = kept;
	return n;
}

enum { PAIRWISE_MAX = 8 };

static const JsonNode *find_in(const Map *by_name, const JsonNode *obj, Str name)
{
	return by_name->n ? map_get(by_name, name) : json_find(obj, name);
}

static bool equal_object(const JsonNode *x, const JsonNode *y)
{
	Arena scratch = { 0 };
	Map by_name = { 0 };
	JsonMember *mx, *my;
	uint32_t n = distinct_members(&scratch, x, &mx);
	bool same = n == distinct_members(&scratch, y, &my);
	for (uint32_t i = 0; same && n > PAIRWISE_MAX && i < n; i++)
		map_set(&scratch, &by_name, my[i].key->text, my[i].value);
	for (uint32_t i = 0; same && i < n; i++) {
		const JsonNode *other = find_in(&by_name, y, mx[i].key->text);
		same = other && json_equal(mx[i].value, other);
	}
	arena_free(&scratch);
	return same;
}

bool json_equal(const JsonNode *x, const JsonNode *y)
{
	if (x == y)
		return true;
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case JSON_NULL: return true;
	case JSON_BOOL: return x->truth == y->truth;
	case JSON_NUMBER: return equal_number(x, y);
	case JSON_STRING: return str_eq(x->text, y->text);
	case JSON_ARRAY:
		if (x->n != y->n)
			return false;
		for (uint32_t i = 0; i < x->n; i++)
			if (!json_equal(x->item[i], y->item[i]))
				return false;
		return true;
	case JSON_OBJECT: return equal_object(x, y);
	}
	return false;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15u;
	return h ^ (h >> 29);
}

static uint64_t hash_number(Str spelled)
{
	Num n;
	if (!num_parse(spelled, &n))
		return hash_bytes(spelled);
	uint64_t h = mix(JSON_NUMBER, n.negative);
	for (size_t i = 0; i < n.digits.n; i++)
		if (n.digits.p[i] != '.')
			h = mix(h, (uint64_t)n.digits.p[i]);
	return mix(h, (uint64_t)n.exp10);
}

static uint64_t hash_object(const JsonNode *x)
{
	Arena scratch = { 0 };
	JsonMember *m;
	uint64_t sum = 0;  /* a sum, since order does not count */
	for (uint32_t i = distinct_members(&scratch, x, &m); i-- > 0;)
		sum += mix(hash_bytes(m[i].key->text), json_hash(m[i].value));
	arena_free(&scratch);
	return sum;
}

uint64_t json_hash(const JsonNode *x)
{
	uint64_t h = mix(0, x->kind);
	switch (x->kind) {
	case JSON_NULL: break;
	case JSON_BOOL: return mix(h, x->truth);
	case JSON_NUMBER: return hash_number(x->text);
	case JSON_STRING: return mix(h, hash_bytes(x->text));
	case JSON_ARRAY:
		for (uint32_t i = 0; i < x->n; i++)
			h = mix(h, json_hash(x->item[i]));
		break;
	case JSON_OBJECT: return mix(h, hash_object(x));
	}
	return h;
}

const char *json_kind_name(JsonKind k)
{
	static const char *const name[] = { "null", "boolean", "number", "string", "array", "object" };
	return name[k];
}

bool json_to_count(const JsonNode *x, uint32_t *out)
{
	Num n;
	int64_t v;
	if (!x || x->kind != JSON_NUMBER || !num_parse(x->text, &n) || !num_to_i64(&n, &v) || v < 0 || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static int cmp_member(const void *x, const void *y)
{
	const JsonMember *const *a = x, *const *b = y;
	int c = str_cmp((*a)->key->text, (*b)->key->text);
	return c ? c : (*a < *b ? -1 : *a > *b);
}

static void write_object(Buf *b, const JsonNode *x, JsonOrder order)
{
	const JsonMember **m = mem_must_alloc(sizeof *m * (x->n + 1));
	for (uint32_t i = 0; i < x->n; i++)
		m[i] = &x->member[i];
	if (order == JSON_SORTED)
		qsort(m, x->n, sizeof *m, cmp_member);
	buf_byte(b, '{');
	for (uint32_t i = 0; i < x->n; i++) {
		if (i)
			buf_byte(b, ',');
		buf_json_str(b, m[i]->key->text);
		buf_byte(b, ':');
		json_write(b, m[i]->value, order);
	}
	buf_byte(b, '}');
	free(m);
}

void json_write(Buf *b, const JsonNode *x, JsonOrder order)
{
	switch (x->kind) {
	case JSON_NULL: buf_lit(b, "null"); break;
	case JSON_BOOL: buf_putz(b, x->truth ? "true" : "false"); break;
	case JSON_NUMBER: buf_put(b, x->text); break;
	case JSON_STRING: buf_json_str(b, x->text); break;
	case JSON_ARRAY:
		buf_byte(b, '[');
		for (uint32_t i = 0; i < x->n; i++) {
			if (i)
				buf_byte(b, ',');
			json_write(b, x->item[i], order);
		}
		buf_byte(b, ']');
		break;
	case JSON_OBJECT: write_object(b, x, order); break;
	}
}

static void write_indented(Buf *b, const JsonNode *x, uint32_t depth)
{
	bool object = x->kind == JSON_OBJECT;
	if ((!object && x->kind != JSON_ARRAY) || !x->n) {
		json_write(b, x, JSON_AS_IS);
		return;
	}
	buf_byte(b, object ? '{' : '[');
	for (uint32_t i = 0; i < x->n; i++) {
		buf_putz(b, i ? ",\n" : "\n");
		buf_fill(b, ' ', 2 * (depth + 1));
		if (object) {
			buf_json_str(b, x->member[i].key->text);
			buf_lit(b, ": ");
		}
		write_indented(b, object ? x->member[i].value : x->item[i], depth + 1);
	}
	buf_byte(b, '\n');
	buf_fill(b, ' ', 2 * depth);
	buf_byte(b, object ? '}' : ']');
}

void json_write_indented(Buf *b, const JsonNode *x)
{
	write_indented(b, x, 0);
}

JsonNode *json_new(Arena *a, JsonKind kind)
{
	JsonNode *x = arena_new(a, JsonNode);
	x->kind = kind;
	return x;
}

JsonNode *json_new_bool(Arena *a, bool truth)
{
	JsonNode *x = json_new(a, JSON_BOOL);
	x->truth = truth;
	return x;
}

JsonNode *json_new_text(Arena *a, Str s)
{
	JsonNode *x = json_new(a, JSON_STRING);
	x->text = s;
	return x;
}

JsonNode *json_new_number(Arena *a, Str spelled)
{
	JsonNode *x = json_new(a, JSON_NUMBER);
	x->text = spelled;
	return x;
}

JsonNode *json_new_count(Arena *a, uint64_t n)
{
	return json_new_number(a, str_fmt(a, "%llu", (unsigned long long)n));
}

static void *grow_children(Arena *a, void *old, JsonNode *parent, size_t size)
{
	if (parent->n < parent->cap)
		return old;
	parent->cap = parent->n ? 2 * parent->n : 4;
	return arena_grow(a, old, parent->n * size, parent->cap * size);
}

void json_add_item(Arena *a, JsonNode *array, JsonNode *item)
{
	array->item = grow_children(a, array->item, array, sizeof *array->item);
	array->item[array->n++] = item;
}

void json_add_member(Arena *a, JsonNode *object, Str name, JsonNode *value)
{
	object->member = grow_children(a, object->member, object, sizeof *object->member);
	object->member[object->n++] = (JsonMember){ json_new_text(a, name), value };
}
