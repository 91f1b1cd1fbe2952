/*
 * Special ids, the chat template and the name out of a GGUF. What ends a reply is eos, eot and every token of
 * a text that a chat format ends a turn with: files often name one of them only.
 */
#include "runtime/model/load.h"

static const char *const end_text[] = {
	"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<|eom_id|>",
	"<EOT>", "<_EOT>", "[EOT]", "[EOS]",
};

static bool read_id(ModelLoad *l, const Gguf *g, const char *key, uint32_t *id)
{
	const GgufKey *k = gguf_find(g, key);
	if (!k)
		return true;
	if (gguf_to_u32(k, id) && *id < l->m->shape.n_vocab)
		return true;
	return model_fail(l, k->offset, "%s is no id below %u", key, l->m->shape.n_vocab);
}

/* Sorted, each once. More than there is room for are left out: no vocabulary has as many texts. */
static void add_end(Model *m, uint32_t id)
{
	uint32_t at = m->n_eog;
	for (uint32_t i = 0; i < m->n_eog; i++)
		if (m->eog[i] == id)
			return;
	if (id == TOKEN_NONE || m->n_eog == MODEL_EOG_MAX)
		return;
	for (; at && m->eog[at - 1] > id; at--)
		m->eog[at] = m->eog[at - 1];
	m->eog[at] = id;
	m->n_eog++;
}

static bool is_end_text(Str s)
{
	if (s.n < 5 || s.n > 16 || (s.p[0] != '<' && s.p[0] != '['))
		return false;
	for (size_t i = 0; i < sizeof end_text / sizeof *end_text; i++)
		if (str_is(s, end_text[i]))
			return true;
	return false;
}

/* A vocabulary may have fewer pieces than the embedding has rows, never more. */
static bool read_pieces(ModelLoad *l, const Gguf *g)
{
	const GgufKey *k = gguf_find(g, "tokenizer.ggml.tokens");
	if (k && k->n > l->m->shape.n_vocab)
		return model_fail(l, k->offset, "%llu tokens, and embeddings of %u", (unsigned long long)k->n, l->m->shape.n_vocab);
	GgufStrings it = gguf_strings(k);
	Str s;
	for (uint32_t id = 0; gguf_next_string(&it, &s); id++)
		if (is_end_text(s))
			add_end(l->m, id);
	return true;
}

bool model_read_special(ModelLoad *l, const Gguf *g)
{
	Model *m = l->m;
	uint32_t eom = TOKEN_NONE;
	if (!read_id(l, g, "tokenizer.ggml.bos_token_id", &m->bos) || !read_id(l, g, "tokenizer.ggml.eos_token_id", &m->eos)
		|| !read_id(l, g, "tokenizer.ggml.eot_token_id", &m->eot)
		|| !read_id(l, g, "tokenizer.ggml.eom_token_id", &eom))
		return false;
	add_end(m, m->eos);
	add_end(m, m->eot);
	add_end(m, eom);
	m->chat_template = gguf_text(gguf_find(g, "tokenizer.chat_template"));
	m->name = gguf_text(gguf_find(g, "general.name"));
	return read_pieces(l, g);
}
