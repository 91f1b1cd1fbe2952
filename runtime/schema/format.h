/* The formats that `format` names and SCHEMA_FORMATS checks. */
#ifndef SEED_SCHEMA_FORMAT_H
#define SEED_SCHEMA_FORMAT_H

#include "runtime/base/str.h"

typedef enum FormatAnswer { FORMAT_OK, FORMAT_BAD, FORMAT_UNKNOWN } FormatAnswer;

/* date, time, date-time (RFC 3339), email (RFC 5321 mailbox), uri (RFC 3986), uuid (RFC 9562), ipv4,
 * ipv6 (RFC 4291). */
FormatAnswer format_check(Str format, Str value);

#endif
