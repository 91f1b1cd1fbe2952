/* --dump=tokens: what the parser sees, one token a line. */
#include "grammar/grammar.h"
#include "grammar/lex.h"
#include "grammar/parse.h"
#include "grammar/report.h"

void grammar_dump_tokens(Compiler *c, const Source *src, Buf *out)
{
	Lex lx;
	LexVal val;
	Span at;
	if (!src->ok)
		return;
	lex_init(&lx, c, *grammar_text(c, src->text, src->base));
	for (int token; (token = lex_next(&lx, &val, &at)) > 0;) {
		Position p = source_position(&c->sources, at.lo);
		buf_printf(out, "%u:%u\t%s", p.line, p.col_code_point, gram_token_name(token));
		if (at.hi > at.lo) {
			buf_byte(out, '\t');
			buf_json_str(out, source_slice(&c->sources, at));
		}
		buf_byte(out, '\n');
	}
	lex_free(&lx);
}
