/*
 * The grammar of the language (docs/language.md). Tokens come from the lexer, which has turned lines
 * and indents into BODY, FIELDS, DECLS … END and EOL. Actions build nodes and do nothing else; which
 * clause fits which head is asked afterwards (check.c).
 *
 * Recovery is at the end of a statement (EOL) and of a block (END): each mistake costs one message
 * and the statement that it stands in, and what was understood hangs under its N_ERROR.
 */
%require "3.8"
%define api.pure full
%define api.prefix {gram}
%define api.token.prefix {T_}
%define api.symbol.prefix {S_}
%define api.value.type {LexVal}
%define api.location.type {Span}
%define api.header.include {"grammar/parse.h"}
%define parse.error custom
%define parse.lac full
%expect 0
%locations
%lex-param {Lex *lx}
%parse-param {Lex *lx}

%code requires {
#include "grammar/lex.h"
}

%code {
#include "grammar/tree.h"
#include "grammar/report.h"

/* Flat input keeps the stack flat (lists are left-recursive); depth is bounded by the lexer. */
#define YYMAXDEPTH 4000

/* Recovery may drop what stood between two marks of layout: no end lies before its start. */
static Span span_over(Span first, Span last)
{
	return (Span){ first.lo, last.hi < first.lo ? first.lo : last.hi };
}
#define YYLLOC_DEFAULT(Current, Rhs, N) \
	((Current) = (N) ? span_over(YYRHSLOC(Rhs, 1), YYRHSLOC(Rhs, N)) \
	                 : (Span){ YYRHSLOC(Rhs, 0).hi, YYRHSLOC(Rhs, 0).hi })
#define gramlex(val, span, lx) lex_next((lx), (val), (span))
static void gramerror(Span *at, Lex *lx, const char *msg);
}

/* which of the entries is asked for */
%token START_FILE START_BODY START_TYPE START_COND START_VALUE START_CLAUSES
/* layout */
%token <num> BODY "`:`" INLINE "`:` and text"
%token FIELDS "indented fields" DECLS "indented entries" END "the end of the body" EOL "the end of the line"
%token <text> TEXT "text"
%token HOLE "`{{`" HOLE_END "`}}`"
/* heads */
%token <row> PROMPT "`prompt`" USE "`use`" TARGET "`target`" ROLE "`role`" BLOCK "`block`" CONSTRAINT "`constraint`"
%token <row> SCHEMA "`schema`" TOOL "`tool`" MESSAGE "a message" CONTEXT "`context`" HISTORY "`history`" EXAMPLE "`example`"
%token <row> STAGE "`stage`" BUDGET "`budget`" SET "`set`" META "`meta`" LANG "`lang`" CACHE "`cache`" ROUTE "`route`" TEST "`test`"
%token <row> CALL "`call`" RESULT "`result`" ROUTE_WHEN "a `when`" ROUTE_ELSE "`else`" GIVEN "`given`" REPLY_TEXT "a `reply:`" EXPECT "`expect`"
/* directives */
%token D_IF "`!IF`" D_ELIF "`!ELSE IF`" D_ELSE "`!ELSE`" D_END "`!END`" D_FOR "`!FOR`"
%token <str> D_INCLUDE "`!INCLUDE`"
%token D_CHAIN "`!CHAIN`" D_CUT "`!CUT`" D_WEIGHT "`!WEIGHT`" D_ANCHOR "`!ANCHOR`"
/* words of heads; each is a name too */
%token <str> TRUSTED "`trusted`" UNTRUSTED "`untrusted`" KEY "`key`" MAX "`max`" TOK "`tok`" RAW "`raw`" EXACT "`exact`"
%token <str> HOISTABLE "`hoistable`" WHEN "`when`" MUST "`must`" SHOULD "`should`" MAY "`may`" NEVER "`never`" WEIGHT "`weight`"
%token <str> GUARDRAIL "`guardrail`" ON "`on`" AS "`as`" SYSTEM "`system`" TOP "`top`" SQUASH "`squash`" BY "`by`" FROM "`from`"
%token <str> REPLY "`reply`" FILE "`file`" JSON "`json`" SLOTS "`slots`" TTL "`ttl`" EVICT "`evict`" VALID "`valid`" MAP "`map`"
%token <str> ENUM "`enum`" AND "`and`" OR "`or`" NOT "`not`" HAS "`has`" COUNT "`count`" REPEATS "`repeats`" IN "`in`" FOR_IN "`IN`"
%token <str> MARK "`mark`" EVERY "`every`"
/* the rest */
%token <str> NAME "a name" STR "a string" INT "a whole number" NUM "a number" DUR "a time" VERSION "a version" PATH "a path" PROFILE "a target"
%token <num> STABILITY "a stability" CMP "a comparison"
%token ARROW "`->`" DOTDOT "`..`"
%token BAD BAD_NUM BAD_STR  /* the scanner's own: never handed out */

%type <str> name word cword cname pname
%type <str> num profile
%type <list> decls profiles use_names use_list in_parts clauses names values value_list entries fields items
%type <list> chain_names cut_rules binds bind_list filters arms union
%type <node> decl setting include message entry error_tail
%type <node> use_name clause plain_clause text field text_tail
%type <node> item hole if_head for_head ref filter arm bind cut_rule cond and not prim opd cref type type1 range value
%type <num> modality optional

%%

start
	: START_FILE decls                       { lx->root = tree_kids(lx, N_FILE, @2, $2); }
	| START_BODY items                       { lx->root = tree_kids(lx, N_BODY, @2, $2); }
	| START_TYPE type                        { lx->root = $2; }
	| START_TYPE error                       { lx->root = tree_new(lx, N_ERROR, @2); }
	| START_COND cond                        { lx->root = $2; }
	| START_COND error                       { lx->root = tree_new(lx, N_ERROR, @2); }
	| START_VALUE value                      { lx->root = $2; }
	| START_VALUE error                      { lx->root = tree_new(lx, N_ERROR, @2); }
	| START_CLAUSES clauses                  { lx->root = tree_kids(lx, N_FILE, @2, $2); }
	| START_CLAUSES clauses error            { lx->root = tree_kids(lx, N_FILE, @2, $2); }
	;

/* ---- declarations ---- */

decls
	: %empty                                 { $$ = tree_none(); }
	| decls decl                             { $$ = tree_join($1, $2); }
	| decls error error_tail                 { $$ = tree_join($1, tree_error(lx, @$, $3, @2, @3)); yyerrok; }
	;

decl
	: PROMPT pname EOL                       { $$ = tree_prompt(lx, @$, $2, @2, (Str){ 0 }, @2); }
	| PROMPT pname STR EOL                   { $$ = tree_with(tree_prompt(lx, @$, $2, @2, (Str){ 0 }, @2), tree_leaf(lx, N_DOC, $3, @3)); }
	| PROMPT pname VERSION EOL               { $$ = tree_prompt(lx, @$, $2, @2, $3, @3); }
	| PROMPT pname VERSION STR EOL           { $$ = tree_with(tree_prompt(lx, @$, $2, @2, $3, @3), tree_leaf(lx, N_DOC, $4, @4)); }
	| PROMPT pname error EOL                 { $$ = tree_lost(lx, N_PROMPT, @$, $2, @2, NULL); yyerrok; }
	| USE PATH use_names EOL                 { $$ = tree_list(tree_leaf_in(lx, N_USE, @$, $2, @2), $3); }
	| USE PATH error EOL                     { $$ = tree_lost(lx, N_USE, @$, $2, @2, NULL); yyerrok; }
	| TARGET profiles EOL                    { $$ = tree_kids(lx, N_TARGET, @$, $2); }
	| IN name optional ':' type in_parts EOL { $$ = tree_in(lx, @$, $2, @2, $3, $5, $6); }
	| IN name optional ':' FIELDS fields END { $$ = tree_in(lx, @$, $2, @2, $3, tree_fields(lx, @5, @7, $6), tree_none()); }
	| IN name error EOL                      { $$ = tree_lost(lx, N_IN, @$, $2, @2, NULL); yyerrok; }
	| ROLE clauses text                      { $$ = tree_head(lx, N_ROLE, @$, (Str){ 0 }, @1, $2, $3); }
	| ROLE NAME clauses text                 { $$ = tree_head(lx, N_ROLE, @$, $2, @2, $3, $4); }
	| BLOCK name clauses text                { $$ = tree_head(lx, N_BLOCK, @$, $2, @2, $3, $4); }
	| BLOCK name error text_tail             { $$ = tree_lost(lx, N_BLOCK, @$, $2, @2, $4); yyerrok; }
	| message                                { $$ = $1; }
	| CONSTRAINT name modality clauses text  { $$ = tree_op(tree_head(lx, N_CONSTRAINT, @$, $2, @2, $4, $5), $3); }
	| CONSTRAINT name error text_tail        { $$ = tree_lost(lx, N_CONSTRAINT, @$, $2, @2, $4); yyerrok; }
	| CONTEXT name clauses text              { $$ = tree_head(lx, N_CONTEXT, @$, $2, @2, $3, $4); }
	| CONTEXT name clauses EOL               { $$ = tree_head(lx, N_CONTEXT, @$, $2, @2, $3, NULL); }
	| CONTEXT name error text_tail           { $$ = tree_lost(lx, N_CONTEXT, @$, $2, @2, $4); yyerrok; }
	| HISTORY name clauses EOL               { $$ = tree_head(lx, N_HISTORY, @$, $2, @2, $3, NULL); }
	| EXAMPLE name clauses DECLS entries END { $$ = tree_list(tree_head(lx, N_EXAMPLE, @$, $2, @2, $3, NULL), $5); }
	| EXAMPLE name clauses FROM STR clauses EOL { $$ = tree_aux(tree_list(tree_head(lx, N_EXAMPLE, @$, $2, @2, $3, NULL), $6), $5, @5); }
	| EXAMPLE name error DECLS entries END   { $$ = tree_lost(lx, N_EXAMPLE, @$, $2, @2, NULL); yyerrok; }
	| STAGE name clauses text                { $$ = tree_head(lx, N_STAGE, @$, $2, @2, $3, $4); }
	| STAGE name error text_tail             { $$ = tree_lost(lx, N_STAGE, @$, $2, @2, $4); yyerrok; }
	| REPLY type clauses EOL                 { $$ = tree_reply(lx, @$, $2, $3); }
	| BUDGET INT TOK EOL                     { $$ = tree_leaf_in(lx, N_BUDGET, @$, $2, @2); }
	| SCHEMA name FIELDS fields END          { $$ = tree_schema(lx, N_SCHEMA, @$, $2, @2, NULL, tree_fields(lx, @3, @5, $4)); }
	| SCHEMA name STR FIELDS fields END      { $$ = tree_schema(lx, N_SCHEMA, @$, $2, @2, tree_leaf(lx, N_DOC, $3, @3), tree_fields(lx, @4, @6, $5)); }
	| SCHEMA name FROM STR EOL               { $$ = tree_aux(tree_leaf_in(lx, N_SCHEMA, @$, $2, @2), $4, @4); }
	| SCHEMA name STR FROM STR EOL           { $$ = tree_aux(tree_with(tree_leaf_in(lx, N_SCHEMA, @$, $2, @2), tree_leaf(lx, N_DOC, $3, @3)), $5, @5); }
	| SCHEMA name error FIELDS fields END    { $$ = tree_lost(lx, N_SCHEMA, @$, $2, @2, tree_fields(lx, @4, @6, $5)); yyerrok; }
	| SCHEMA name error EOL                  { $$ = tree_lost(lx, N_SCHEMA, @$, $2, @2, NULL); yyerrok; }
	| TOOL name EOL                          { $$ = tree_leaf_in(lx, N_TOOL, @$, $2, @2); }
	| TOOL name STR EOL                      { $$ = tree_with(tree_leaf_in(lx, N_TOOL, @$, $2, @2), tree_leaf(lx, N_DOC, $3, @3)); }
	| TOOL name FIELDS fields END            { $$ = tree_schema(lx, N_TOOL, @$, $2, @2, NULL, tree_fields(lx, @3, @5, $4)); }
	| TOOL name STR FIELDS fields END        { $$ = tree_schema(lx, N_TOOL, @$, $2, @2, tree_leaf(lx, N_DOC, $3, @3), tree_fields(lx, @4, @6, $5)); }
	| TOOL name error FIELDS fields END      { $$ = tree_lost(lx, N_TOOL, @$, $2, @2, tree_fields(lx, @4, @6, $5)); yyerrok; }
	| TOOL name error EOL                    { $$ = tree_lost(lx, N_TOOL, @$, $2, @2, NULL); yyerrok; }
	| LANG name EOL                          { $$ = tree_leaf_in(lx, N_LANG, @$, $2, @2); }
	| CACHE name clauses EOL                 { $$ = tree_head(lx, N_CACHE, @$, $2, @2, $3, NULL); }
	| SET name value EOL                     { $$ = tree_with(tree_leaf_in(lx, N_SET, @$, $2, @2), $3); }
	| SET name JSON STR EOL                  { $$ = tree_with(tree_leaf_in(lx, N_SET, @$, $2, @2), tree_leaf(lx, N_JSON, $4, @4)); }
	| SET name '.' name value EOL            { $$ = tree_with(tree_aux(tree_leaf_in(lx, N_SET, @$, $4, @4), $2, @2), $5); }
	| SET name '.' name JSON STR EOL         { $$ = tree_with(tree_aux(tree_leaf_in(lx, N_SET, @$, $4, @4), $2, @2), tree_leaf(lx, N_JSON, $6, @6)); }
	| META name value_list EOL               { $$ = tree_list(tree_leaf_in(lx, N_META, @$, $2, @2), $3); }
	| META name JSON STR EOL                 { $$ = tree_with(tree_leaf_in(lx, N_META, @$, $2, @2), tree_leaf(lx, N_JSON, $4, @4)); }
	| ROUTE name DECLS entries END           { $$ = tree_list(tree_leaf_in(lx, N_ROUTE, @$, $2, @2), $4); }
	| TEST STR DECLS entries END             { $$ = tree_list(tree_leaf_in(lx, N_TEST, @$, $2, @2), $4); }
	| setting                                { $$ = $1; }
	| include                                { $$ = $1; }
	;

message
	: MESSAGE clauses text                   { $$ = tree_op(tree_head(lx, N_MESSAGE, @$, (Str){ 0 }, @1, $2, $3), tree_role($1)); }
	;

pname
	: name                                   { $$ = $1; }
	| STR                                    { $$ = $1; }
	;

use_names
	: %empty                                 { $$ = tree_none(); }
	| '(' use_list ')'                       { $$ = $2; }
	;

use_list
	: use_name                               { $$ = tree_join(tree_none(), $1); }
	| use_list ',' use_name                  { $$ = tree_join($1, $3); }
	;

use_name
	: name                                   { $$ = tree_leaf(lx, N_USE_NAME, $1, @1); }
	| name AS name                           { $$ = tree_aux(tree_leaf_in(lx, N_USE_NAME, @$, $1, @1), $3, @3); }
	;

profiles
	: profile                                { $$ = tree_join(tree_none(), tree_leaf(lx, N_NAME, $1, @1)); }
	| profiles ',' profile                   { $$ = tree_join($1, tree_leaf(lx, N_NAME, $3, @3)); }
	;

profile
	: PROFILE                                { $$ = $1; }
	| STR                                    { $$ = $1; }
	;

in_parts
	: %empty                                 { $$ = tree_none(); }
	| in_parts plain_clause                  { $$ = tree_join($1, $2); }
	| in_parts '=' value                     { $$ = tree_join($1, tree_with(tree_clause(lx, CL_DEFAULT, (Span){ @2.lo, @3.hi }), $3)); }
	| in_parts STR                           { $$ = tree_join($1, tree_leaf(lx, N_DOC, $2, @2)); }
	;

optional
	: %empty                                 { $$ = 0; }
	| '?'                                    { $$ = NF_OPTIONAL; }
	;

modality
	: MUST                                   { $$ = MOD_MUST; }
	| SHOULD                                 { $$ = MOD_SHOULD; }
	| MAY                                    { $$ = MOD_MAY; }
	| NEVER                                  { $$ = MOD_NEVER; }
	;

/* ---- clauses: any of them anywhere; check.c says which fit ---- */

clauses
	: %empty                                 { $$ = tree_none(); }
	| clauses clause                         { $$ = tree_join($1, $2); }
	;

clause
	: plain_clause                           { $$ = $1; }
	| RAW                                    { $$ = tree_clause(lx, CL_RAW, @$); }
	| EXACT                                  { $$ = tree_clause(lx, CL_EXACT, @$); }
	| HOISTABLE                              { $$ = tree_clause(lx, CL_HOISTABLE, @$); }
	| WHEN cond                              { $$ = tree_with(tree_clause(lx, CL_WHEN, @$), $2); }
	| WEIGHT num                             { $$ = tree_number(tree_clause(lx, CL_WEIGHT, @$), $2, @2); }
	| GUARDRAIL                              { $$ = tree_clause(lx, CL_GUARDRAIL, @$); }
	| ON names                               { $$ = tree_list(tree_clause(lx, CL_ON, @$), $2); }
	| AS SYSTEM                              { $$ = tree_clause(lx, CL_AS_SYSTEM, @$); }
	| TOP INT                                { $$ = tree_int(lx, tree_clause(lx, CL_TOP, @$), $2, @2); }
	| SQUASH num                             { $$ = tree_number(tree_clause(lx, CL_SQUASH, @$), $2, @2); }
	| BY name                                { $$ = tree_name(tree_clause(lx, CL_BY, @$), $2, @2); }
	| FROM names                             { $$ = tree_list(tree_clause(lx, CL_FROM, @$), $2); }
	| REPLY type                             { $$ = tree_with(tree_clause(lx, CL_REPLY, @$), $2); }
	| SLOTS INT '-' INT                      { $$ = tree_aux(tree_int(lx, tree_clause(lx, CL_SLOTS, @$), $2, @2), $4, @4); }
	| TTL DUR                                { $$ = tree_time(lx, tree_clause(lx, CL_TTL, @$), $2, @2); }
	| EVICT name                             { $$ = tree_name(tree_clause(lx, CL_EVICT, @$), $2, @2); }
	;

plain_clause
	: STABILITY                              { $$ = tree_val(tree_clause(lx, CL_STABILITY, @$), $1); }
	| TRUSTED                                { $$ = tree_val(tree_clause(lx, CL_TRUST, @$), 1); }
	| UNTRUSTED                              { $$ = tree_val(tree_clause(lx, CL_TRUST, @$), 0); }
	| KEY                                    { $$ = tree_clause(lx, CL_KEY, @$); }
	| MAX INT TOK                            { $$ = tree_int(lx, tree_clause(lx, CL_MAX, @$), $2, @2); }
	;

/* ---- entries of example, route and test: the lexer lets each stand in its own body only ---- */

entries
	: %empty                                 { $$ = tree_none(); }
	| entries entry                          { $$ = tree_join($1, $2); }
	| entries error error_tail               { $$ = tree_join($1, tree_error(lx, @$, $3, @2, @3)); yyerrok; }
	;

entry
	: message                                { $$ = $1; }
	| CALL name text                         { $$ = tree_head(lx, N_CALL, @$, $2, @2, tree_none(), $3); }
	| RESULT name text                       { $$ = tree_head(lx, N_RESULT, @$, $2, @2, tree_none(), $3); }
	| ROUTE_WHEN cond ARROW pname EOL        { $$ = tree_with(tree_leaf_in(lx, N_ROUTE_WHEN, @$, $4, @4), $2); }
	| ROUTE_ELSE ARROW pname EOL             { $$ = tree_leaf_in(lx, N_ROUTE_ELSE, @$, $3, @3); }
	| GIVEN name '=' value EOL               { $$ = tree_with(tree_leaf_in(lx, N_GIVEN, @$, $2, @2), $4); }
	| GIVEN name clauses text                { $$ = tree_head(lx, N_GIVEN, @$, $2, @2, $3, $4); }
	| REPLY_TEXT clauses text                { $$ = tree_head(lx, N_REPLY_TEXT, @$, (Str){ 0 }, @1, $2, $3); }
	| EXPECT cond EOL                        { $$ = tree_with(tree_new(lx, N_EXPECT, @$), $2); }
	| EXPECT REPLY VALID EOL                 { $$ = tree_new(lx, N_EXPECT_VALID, @$); }
	;

/* What is left of a statement that failed. */
error_tail
	: EOL                                    { $$ = NULL; }
	| BODY items END                         { $$ = tree_body(lx, @$, $1, $2); }
	| INLINE items EOL                       { $$ = tree_body(lx, @$, $1, $2); }
	| FIELDS fields END                      { $$ = tree_fields(lx, @1, @3, $2); }
	| DECLS entries END                      { $$ = tree_kids(lx, N_ERROR, @$, $2); }
	;

text_tail
	: EOL                                    { $$ = NULL; }
	| BODY items END                         { $$ = tree_body(lx, @$, $1, $2); }
	| INLINE items EOL                       { $$ = tree_body(lx, @$, $1, $2); }
	;

/* ---- text ---- */

text
	: BODY items END                         { $$ = tree_body(lx, @$, $1, $2); }
	| INLINE items EOL                       { $$ = tree_body(lx, @$, $1, $2); }
	| FILE STR EOL                           { $$ = tree_leaf_in(lx, N_FILE_BODY, @$, $2, @2); }
	;

items
	: %empty                                 { $$ = tree_none(); }
	| items item                             { $$ = tree_join($1, $2); }
	;

item
	: TEXT                                   { $$ = tree_text(lx, @1, $1); }
	| hole                                   { $$ = $1; }
	| include                                { $$ = $1; }
	| arms D_END alone                       { $$ = tree_kids(lx, N_IF, (Span){ @$.lo, @2.hi }, $1); }
	| for_head items D_END alone             { $$ = tree_with(tree_spanned($1, @$.lo, @3.hi), tree_branch_body(lx, @2, $2)); }
	;

arms
	: D_IF if_head items                     { $$ = tree_join(tree_none(), tree_branch(lx, @$, $2, @3, $3)); }
	| arms arm                               { $$ = tree_join($1, $2); }
	;

arm
	: D_ELIF if_head items                   { $$ = tree_branch(lx, @$, $2, @3, $3); }
	| D_ELSE alone items                     { $$ = tree_branch(lx, @$, NULL, @3, $3); }
	;

if_head
	: cond EOL                               { $$ = $1; }
	| error EOL                              { $$ = tree_new(lx, N_ERROR, @1); yyerrok; }
	;

for_head
	: D_FOR name FOR_IN ref EOL              { $$ = tree_with(tree_leaf_in(lx, N_FOR, @$, $2, @2), $4); }
	| D_FOR name ',' name FOR_IN ref EOL     { $$ = tree_with(tree_aux(tree_leaf_in(lx, N_FOR, @$, $4, @4), $2, @2), $6); }
	| D_FOR error EOL                        { $$ = tree_with(tree_new(lx, N_FOR, @$), tree_new(lx, N_ERROR, @2)); yyerrok; }
	;

/* A directive that stands alone on its line. */
alone
	: EOL
	| error EOL                              { yyerrok; }
	;

hole
	: HOLE ref filters HOLE_END              { $$ = tree_list(tree_with(tree_new(lx, N_HOLE, @$), $2), $3); }
	;

filters
	: %empty                                 { $$ = tree_none(); }
	| filters '|' filter                     { $$ = tree_join($1, $3); }
	;

filter
	: name                                   { $$ = tree_leaf(lx, N_FILTER, $1, @1); }
	| name '(' values ')'                    { $$ = tree_list(tree_leaf_in(lx, N_FILTER, @$, $1, @1), $3); }
	;

ref
	: name                                   { $$ = tree_leaf(lx, N_REF, $1, @1); }
	| ref '.' name                           { $$ = tree_dotted(lx, $1, $3, @3); }
	;

/* ---- directives ---- */

include
	: D_INCLUDE '[' name binds ']' EOL       { $$ = tree_indent(tree_list(tree_leaf_in(lx, N_INCLUDE, (Span){ @1.lo, @5.hi }, $3, @3), $4), $1); }
	| D_INCLUDE error EOL                    { $$ = tree_lost(lx, N_INCLUDE, @$, (Str){ 0 }, @1, NULL); yyerrok; }
	;

binds
	: %empty                                 { $$ = tree_none(); }
	| ':' bind_list                          { $$ = $2; }
	;

bind_list
	: bind                                   { $$ = tree_join(tree_none(), $1); }
	| bind_list ',' bind                     { $$ = tree_join($1, $3); }
	;

bind
	: name '=' value                         { $$ = tree_with(tree_leaf_in(lx, N_BIND, @$, $1, @1), $3); }
	;

setting
	: D_CHAIN '[' chain_names ']' EOL        { $$ = tree_kids(lx, N_CHAIN, @$, $3); }
	| D_CUT '[' ']' EOL                      { $$ = tree_new(lx, N_CUT, @$); }
	| D_CUT '[' name ':' cut_rules ']' EOL   { $$ = tree_cut(lx, @$, $3, @3, $5); }
	| D_WEIGHT '[' name ':' num ']' EOL      { $$ = tree_aux(tree_leaf_in(lx, N_WEIGHT, @$, $3, @3), $5, @5); }
	| D_ANCHOR '[' EVERY INT ']' EOL         { $$ = tree_leaf_in(lx, N_ANCHOR, @$, $4, @4); }
	;

chain_names
	: name                                   { $$ = tree_join(tree_none(), tree_leaf(lx, N_NAME, $1, @1)); }
	| chain_names ARROW name                 { $$ = tree_join($1, tree_leaf(lx, N_NAME, $3, @3)); }
	;

cut_rules
	: cut_rule                               { $$ = tree_join(tree_none(), $1); }
	| cut_rules cut_rule                     { $$ = tree_join($1, $2); }
	;

cut_rule
	: cword                                  { $$ = tree_leaf(lx, N_CUT_RULE, $1, @1); }
	| cword num                              { $$ = tree_aux(tree_leaf_in(lx, N_CUT_RULE, @$, $1, @1), $2, @2); }
	| MARK STR                               { $$ = tree_aux(tree_leaf_in(lx, N_CUT_RULE, @$, $1, @1), $2, @2); }
	;

/* ---- types ---- */

type
	: type1                                  { $$ = $1; }
	| union                                  { $$ = tree_kids(lx, N_TYPE_UNION, @$, $1); }
	;

union
	: type1 '|' type1                        { $$ = tree_join(tree_join(tree_none(), $1), $3); }
	| union '|' type1                        { $$ = tree_join($1, $3); }
	;

type1
	: name                                   { $$ = tree_leaf(lx, N_TYPE, $1, @1); }
	| name range                             { $$ = tree_with(tree_leaf_in(lx, N_TYPE, @$, $1, @1), $2); }
	| name '~' STR                           { $$ = tree_aux(tree_leaf_in(lx, N_TYPE, @$, $1, @1), $3, @3); }
	| MAP '(' type ')'                       { $$ = tree_with(tree_new(lx, N_TYPE_MAP, @$), $3); }
	| ENUM '(' values ')'                    { $$ = tree_kids(lx, N_TYPE_ENUM, @$, $3); }
	| '[' type ']'                           { $$ = tree_with(tree_new(lx, N_TYPE_LIST, @$), $2); }
	| '[' type ']' range                     { $$ = tree_with(tree_with(tree_new(lx, N_TYPE_LIST, @$), $2), $4); }
	;

range
	: num DOTDOT                             { $$ = tree_leaf_in(lx, N_RANGE, @$, $1, @1); }
	| num DOTDOT num                         { $$ = tree_aux(tree_leaf_in(lx, N_RANGE, @$, $1, @1), $3, @3); }
	| DOTDOT num                             { $$ = tree_aux(tree_new(lx, N_RANGE, @$), $2, @2); }
	;

fields
	: %empty                                 { $$ = tree_none(); }
	| fields field                           { $$ = tree_join($1, $2); }
	;

field
	: pname optional ':' EOL                         { $$ = tree_field(lx, @$, $1, @1, $2, NULL, NULL, NULL); }
	| pname optional ':' EOL FIELDS fields END       { $$ = tree_field(lx, @$, $1, @1, $2, NULL, NULL, tree_fields(lx, @5, @7, $6)); }
	| pname optional ':' STR EOL                     { $$ = tree_field(lx, @$, $1, @1, $2, NULL, tree_leaf(lx, N_DOC, $4, @4), NULL); }
	| pname optional ':' STR EOL FIELDS fields END   { $$ = tree_field(lx, @$, $1, @1, $2, NULL, tree_leaf(lx, N_DOC, $4, @4), tree_fields(lx, @6, @8, $7)); }
	| pname optional ':' type EOL                    { $$ = tree_field(lx, @$, $1, @1, $2, $4, NULL, NULL); }
	| pname optional ':' type EOL FIELDS fields END  { $$ = tree_field(lx, @$, $1, @1, $2, $4, NULL, tree_fields(lx, @6, @8, $7)); }
	| pname optional ':' type STR EOL                { $$ = tree_field(lx, @$, $1, @1, $2, $4, tree_leaf(lx, N_DOC, $5, @5), NULL); }
	| pname optional ':' type STR EOL FIELDS fields END { $$ = tree_field(lx, @$, $1, @1, $2, $4, tree_leaf(lx, N_DOC, $5, @5), tree_fields(lx, @7, @9, $8)); }
	| STR EOL                                        { $$ = tree_leaf(lx, N_DOC, $1, @1); }
	| pname error EOL                                { $$ = tree_lost(lx, N_FIELD, @$, $1, @1, NULL); yyerrok; }
	| pname error EOL FIELDS fields END              { $$ = tree_lost(lx, N_FIELD, @$, $1, @1, tree_fields(lx, @4, @6, $5)); yyerrok; }
	| error EOL                                      { $$ = tree_lost(lx, N_FIELD, @$, (Str){ 0 }, @1, NULL); yyerrok; }
	| error EOL FIELDS fields END                    { $$ = tree_lost(lx, N_FIELD, @$, (Str){ 0 }, @1, tree_fields(lx, @3, @5, $4)); yyerrok; }
	;

/* ---- values ---- */

value
	: STR                                    { $$ = tree_leaf(lx, N_STR, $1, @1); }
	| num                                    { $$ = tree_leaf(lx, N_NUM, $1, @1); }
	| name                                   { $$ = tree_leaf(lx, N_NAME, $1, @1); }
	| '[' values ']'                         { $$ = tree_kids(lx, N_LIST, @$, $2); }
	;

values
	: %empty                                 { $$ = tree_none(); }
	| value_list                             { $$ = $1; }
	;

value_list
	: value                                  { $$ = tree_join(tree_none(), $1); }
	| value_list ',' value                   { $$ = tree_join($1, $3); }
	;

names
	: name                                   { $$ = tree_join(tree_none(), tree_leaf(lx, N_NAME, $1, @1)); }
	| names ',' name                         { $$ = tree_join($1, tree_leaf(lx, N_NAME, $3, @3)); }
	;

num
	: INT                                    { $$ = $1; }
	| NUM                                    { $$ = $1; }
	| '-' INT                                { $$ = tree_minus(lx, $2); }
	| '-' NUM                                { $$ = tree_minus(lx, $2); }
	;

/* ---- conditions ---- */

cond
	: and                                    { $$ = $1; }
	| cond OR and                            { $$ = tree_with(tree_with(tree_new(lx, N_OR, @$), $1), $3); }
	;

and
	: not                                    { $$ = $1; }
	| and AND not                            { $$ = tree_with(tree_with(tree_new(lx, N_AND, @$), $1), $3); }
	;

not
	: prim                                   { $$ = $1; }
	| NOT prim                               { $$ = tree_with(tree_new(lx, N_NOT, @$), $2); }
	;

prim
	: '(' cond ')'                           { $$ = $2; }
	| HAS cref                               { $$ = tree_with(tree_new(lx, N_HAS, @$), $2); }
	| opd                                    { $$ = $1; }
	| opd CMP value                          { $$ = tree_op(tree_with(tree_with(tree_new(lx, N_CMP, @$), $1), $3), $2); }
	| opd '~' STR                            { $$ = tree_with(tree_leaf_in(lx, N_MATCH, @$, $3, @3), $1); }
	| opd IN '(' values ')'                  { $$ = tree_list(tree_with(tree_new(lx, N_IN_SET, @$), $1), $4); }
	;

opd
	: cref                                   { $$ = $1; }
	| COUNT '(' cref ')'                     { $$ = tree_with(tree_new(lx, N_COUNT, @$), $3); }
	| REPEATS '(' cref ')'                   { $$ = tree_with(tree_new(lx, N_REPEATS, @$), $3); }
	;

cref
	: cname                                  { $$ = tree_leaf(lx, N_REF, $1, @1); }
	| cref '.' name                          { $$ = tree_dotted(lx, $1, $3, @3); }
	;

/* ---- names ---- */

name
	: cname                                  { $$ = $1; }
	| AND | OR | NOT | HAS | IN
	;

/* a name where `and`, `has` and `in` mean themselves */
cname
	: cword                                  { $$ = $1; }
	| MARK
	;

cword
	: NAME                                   { $$ = $1; }
	| word                                   { $$ = $1; }
	;

word
	: TRUSTED | UNTRUSTED | KEY | MAX | TOK | RAW | EXACT | HOISTABLE | WHEN | MUST | SHOULD | MAY | NEVER
	| WEIGHT | GUARDRAIL | ON | AS | SYSTEM | TOP | SQUASH | BY | FROM | REPLY | FILE | JSON | SLOTS | TTL
	| EVICT | VALID | MAP | ENUM | COUNT | REPEATS | FOR_IN | EVERY
	;

%%

static int yyreport_syntax_error(const yypcontext_t *ctx, Lex *lx)
{
	enum { EXPECTED_MAX = 64 };
	yysymbol_kind_t want[EXPECTED_MAX];
	const char *name[EXPECTED_MAX];
	int n = yypcontext_expected_tokens(ctx, want, EXPECTED_MAX);
	if (n < 0)
		return n;
	int kept = 0;
	for (int i = 0; i < n; i++)
		name[kept++] = yysymbol_name(want[i]);
	gram_report_syntax(lx, *yypcontext_location(ctx), yysymbol_name(yypcontext_token(ctx)), name, (size_t)kept);
	return 0;
}

const char *gram_token_name(int token)
{
	return yysymbol_name(YYTRANSLATE(token));
}

static void gramerror(Span *at, Lex *lx, const char *msg)
{
	gram_report_exhausted(lx, *at, msg);
}
