/*
 * The flat form: an automaton as bytes that are mapped, never parsed. A header, then arrays of these
 * records one behind another, all little-endian, in the order of AutoPart; nothing in them depends on
 * where they lie.
 *
 * The machine reads JSON byte by byte. It has a state, a counter, and a stack of frames: a value inside
 * another one is a call, which names the site that called; when the value is complete it returns a label,
 * and the site says for each label where to go on. Labels are why there is one state and never a set of
 * them: alternatives that begin alike are read as one, and the label tells which of them it has been.
 *
 * Invariant: after automaton_open every state, edge, site and limit named in a record exists.
 */
#ifndef SEED_AUTOMATON_FLAT_H
#define SEED_AUTOMATON_FLAT_H

#include <stdint.h>

#define AUTO_MAGIC "SEEDAUT\x1a"
enum { AUTO_VERSION = 1, AUTO_STATES_MAX = 1 << 20, AUTO_WIDE = 255, AUTO_NARROW_MAX = 4 };
#define AUTO_FAR UINT32_MAX     /* a cost: there is no way to the end */

/* A go word: what a byte does. Its low 28 bits are a state, but in AUTO_RETURN a label. 0: the byte is not taken. */
enum {
	AUTO_DEAD,
	AUTO_GO,       /* to the state */
	AUTO_TICK,     /* the same, and the counter steps */
	AUTO_OPEN,     /* the same, and an object's further name begins */
	AUTO_CLOSE,    /* the same, and that name ends: refused if the object has it */
	AUTO_CALL,     /* a value begins at the state; it returns to this state's site */
	AUTO_RETURN,   /* the value is complete with this byte */
};
enum {
	AUTO_OP_SHIFT = 28,
	AUTO_CLOSE_SPARE = 2,  /* bytes more that a name may need so that it is none of those before; in AUTO_CLOSE's cost */
};
static inline uint32_t auto_go(uint32_t op, uint32_t arg) { return op << AUTO_OP_SHIFT | arg; }
static inline uint32_t auto_op(uint32_t go) { return go >> AUTO_OP_SHIFT; }
static inline uint32_t auto_arg(uint32_t go) { return go & ((1u << AUTO_OP_SHIFT) - 1); }

enum AutoFlag {
	AUTO_ENDS = 1,     /* the value may be complete here without a further byte: label */
	AUTO_HASHES = 2,   /* bytes read here belong to a name */
	AUTO_CALL_TICKS = 4,
	AUTO_PLAIN = 8,    /* every character but '"', '\\' and controls may come, and leads to a plain state again … */
	AUTO_SAME = 64,    /* … which is this one; only such states have a limit */
	AUTO_LAST = 16,    /* the whole text is complete */
	AUTO_SCARCE = 32,  /* tail names at the most may become of what was read: one must be new to the object */
};

typedef struct AutoState {
	uint32_t edge;     /* the first of n_edge, or with AUTO_WIDE the row */
	uint8_t n_edge, flags;
	uint16_t label;
	uint32_t site;     /* of calls made here */
	uint16_t limit, tail;  /* the counter's, and ticks that still must come from here; see AUTO_SCARCE */
	uint32_t cost;     /* bytes of the shortest way to this value's end, without what a limit's min asks for */
	uint32_t need;     /* frames that this way takes */
} AutoState;

typedef struct AutoEdge {
	uint8_t lo, hi, zero[2];
	uint32_t go;
} AutoEdge;

/* Where calls return to: n_next states, by label. */
typedef struct AutoSite { uint32_t next, n_next, cost, need; } AutoSite;

/* min and max ticks; a missing tick costs so many bytes. limit 0 is {0, UINT32_MAX, 0}: none. */
typedef struct AutoLimit { uint32_t min, max, cost; } AutoLimit;

typedef enum AutoPart {
	AUTO_STATE,   /* AutoState[] */
	AUTO_EDGE,    /* AutoEdge[] */
	AUTO_SITE,    /* AutoSite[] */
	AUTO_NEXT,    /* u32[]: states */
	AUTO_LIMIT,   /* AutoLimit[] */
	AUTO_ROW,     /* u32[rows][n_class]: go words */
	AUTO_PART_COUNT
} AutoPart;

typedef struct AutoHeader {
	char magic[8];
	uint32_t version, n_bytes;
	uint32_t start, n_class;
	uint32_t count[AUTO_PART_COUNT];  /* of AUTO_ROW: go words */
	uint8_t class[256];
} AutoHeader;

#endif
