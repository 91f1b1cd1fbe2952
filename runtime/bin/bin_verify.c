/*
 * bin_verify: what bin_open leaves out because readers do not depend on it, namely that the checksum
 * is that of the file, that the hashes are those of the content and that the bytes between sections
 * are zero.
 */
#include "runtime/bin/bin_check.h"

static BinStatus check_gap(const Bin *b, uint64_t from, uint64_t to, BinError *err)
{
	for (uint64_t i = from; i < to; i++)
		if (b->bytes[i])
			return bin_fault(b, b->bytes + i, "a byte between sections is not zero", err);
	return BIN_OK;
}

static BinStatus check_gaps(const Bin *b, BinError *err)
{
	const BinHeader *h = b->header;
	const BinSection *s = (const BinSection *)(b->bytes + h->section_off);
	uint64_t end = h->section_off + (uint64_t)h->n_section * sizeof *s;
	BinStatus status = check_gap(b, sizeof *h, h->section_off, err);
	for (uint32_t i = 0; i < h->n_section && !status; i++) {
		status = check_gap(b, end, s[i].off, err);
		end = s[i].off + s[i].size;
	}
	return status ? status : check_gap(b, end, b->n_bytes, err);
}

BinStatus bin_verify(const Bin *b, BinError *err)
{
	uint8_t hash[BIN_HASH_BYTES];
	if (bin_checksum(b->bytes, b->n_bytes) != b->header->checksum)
		return bin_fault(b, &b->header->checksum, "the file is damaged: its checksum is not that of its bytes", err);
	for (uint32_t i = 0; i < b->n_prompt; i++) {
		bin_hash_prompt(b, i, hash);
		if (memcmp(hash, b->prompt[i].hash, sizeof hash))
			return bin_fault(b, b->prompt[i].hash, "a prompt's hash is not that of its content", err);
	}
	bin_hash_file(b, hash);
	if (memcmp(hash, b->header->hash, sizeof hash))
		return bin_fault(b, b->header->hash, "the file's hash is not that of its prompts and routes", err);
	return check_gaps(b, err);
}
