/* Formats: see format.h. Each check takes the whole value. */
#include "runtime/schema/format.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_alpha(char c)
{
	char l = (char)(c | 32);
	return l >= 'a' && l <= 'z';
}

static bool is_hex(char c)
{
	char l = (char)(c | 32);
	return is_digit(c) || (l >= 'a' && l <= 'f');
}

/* n digits at at, or -1. */
static int digits(Str s, size_t at, size_t n)
{
	int v = 0;
	if (at + n > s.n)
		return -1;
	for (size_t i = at; i < at + n; i++) {
		if (!is_digit(s.p[i]))
			return -1;
		v = v * 10 + (s.p[i] - '0');
	}
	return v;
}

static bool is_date(Str s)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-')
		return false;
	int y = digits(s, 0, 4), m = digits(s, 5, 2), d = digits(s, 8, 2);
	if (y < 0 || m < 1 || m > 12 || d < 1)
		return false;
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
	return d <= days[m - 1] + (m == 2 && leap);
}

static bool is_time(Str s)
{
	if (s.n < 9 || s.p[2] != ':' || s.p[5] != ':')
		return false;
	int h = digits(s, 0, 2), m = digits(s, 3, 2), sec = digits(s, 6, 2), off_h = 0, off_m = 0;
	size_t at = 8;
	if (h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 60)
		return false;
	if (s.p[at] == '.') {
		size_t from = ++at;
		while (at < s.n && is_digit(s.p[at]))
			at++;
		if (at == from)
			return false;
	}
	int sign = at < s.n && s.p[at] == '-' ? -1 : 1;
	if (at + 1 == s.n && (s.p[at] | 32) == 'z') {
		;
	} else if (at + 6 == s.n && (s.p[at] == '+' || s.p[at] == '-') && s.p[at + 3] == ':') {
		off_h = digits(s, at + 1, 2);
		off_m = digits(s, at + 4, 2);
		if (off_h < 0 || off_h > 23 || off_m < 0 || off_m > 59)
			return false;
	} else {
		return false;
	}
	/* a leap second ends a UTC day */
	int utc = (h * 60 + m - sign * (off_h * 60 + off_m) + 2 * 1440) % 1440;
	return sec < 60 || utc == 1439;
}

static bool is_date_time(Str s)
{
	return s.n > 11 && (s.p[10] | 32) == 't' && is_date(str_sub(s, 0, 10)) && is_time(str_sub(s, 11, s.n));
}

static bool is_host_name(Str s)
{
	size_t label = 0;
	for (size_t i = 0; i <= s.n; i++) {
		if (i == s.n || s.p[i] == '.') {
			if (!label || label > 63 || s.p[i - 1] == '-')
				return false;
			label = 0;
		} else if (is_alpha(s.p[i]) || is_digit(s.p[i]) || (s.p[i] == '-' && label)) {
			label++;
		} else {
			return false;
		}
	}
	return s.n <= 253;
}

static bool is_ipv4(Str s)
{
	size_t at = 0;
	for (int part = 0; part < 4; part++) {
		size_t end = part < 3 ? str_find(s, STR("."), at) : s.n;
		int v = end > at && end - at <= 3 ? digits(s, at, end - at) : -1;
		if (v < 0 || v > 255 || (end - at > 1 && s.p[at] == '0') || (part < 3 && end == s.n))
			return false;
		at = end + 1;
	}
	return true;
}

static bool is_ipv6(Str s)
{
	int groups = 0;
	bool gap = false;
	size_t at = 0;
	if (str_starts(s, STR("::"))) {
		gap = true;
		at = 2;
	}
	while (at < s.n) {
		size_t end = str_find(s, STR(":"), at);
		if (end == s.n && str_find(s, STR("."), at) < s.n) {
			groups += 2;
			return is_ipv4(str_sub(s, at, s.n)) && (gap ? groups < 8 : groups == 8);
		}
		if (end == at || end - at > 4)
			return false;
		for (; at < end; at++)
			if (!is_hex(s.p[at]))
				return false;
		groups++;
		if (end == s.n)
			break;
		at = end + 1;
		if (at == s.n)
			return false;
		if (s.p[at] == ':') {
			if (gap)
				return false;
			gap = true;
			at++;
		}
	}
	return gap ? groups < 8 : groups == 8;
}

static bool is_email(Str s)
{
	size_t at = 0;
	bool after_dot = true;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '@')
			at = i;
	if (!at || at > 64 || at + 1 >= s.n)
		return false;
	for (size_t i = 0; i < at; i++) {
		char c = s.p[i];
		if (c == '.' ? after_dot || i + 1 == at
			: !is_alpha(c) && !is_digit(c) && !(c && strchr("!#$%&'*+/=?^_`{|}~-", c)))
			return false;
		after_dot = c == '.';
	}
	Str host = str_sub(s, at + 1, s.n);
	if (host.p[0] == '[' && str_starts(host, STR("[IPv6:")) && host.p[host.n - 1] == ']')
		return is_ipv6(str_sub(host, 6, host.n - 1));
	if (host.p[0] == '[' && host.p[host.n - 1] == ']')
		return is_ipv4(str_sub(host, 1, host.n - 1));
	return is_host_name(host);
}

static bool is_uri(Str s)
{
	size_t colon = str_find(s, STR(":"), 0);
	if (colon == s.n || !colon || !is_alpha(s.p[0]))
		return false;
	for (size_t i = 1; i < colon; i++)
		if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && !(s.p[i] && strchr("+-.", s.p[i])))
			return false;
	for (size_t i = colon + 1; i < s.n; i++) {
		char c = s.p[i];
		if (c == '%' && (i + 2 >= s.n || !is_hex(s.p[i + 1]) || !is_hex(s.p[i + 2])))
			return false;
		if (!is_alpha(c) && !is_digit(c) && !(c && strchr("-._~:/?#[]@!$&'()*+,;=%", c)))
			return false;
	}
	return true;
}

static bool is_uuid(Str s)
{
	for (size_t i = 0; s.n == 36 && i < s.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? s.p[i] != '-' : !is_hex(s.p[i]))
			return false;
	}
	return s.n == 36;
}

FormatAnswer format_check(Str format, Str value)
{
	static const struct {
		const char *name;
		bool (*check)(Str);
	} row[] = {
		{ "date", is_date }, { "time", is_time }, { "date-time", is_date_time }, { "email", is_email },
		{ "uri", is_uri }, { "uuid", is_uuid }, { "ipv4", is_ipv4 }, { "ipv6", is_ipv6 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (str_is(format, row[i].name))
			return row[i].check(value) ? FORMAT_OK : FORMAT_BAD;
	return FORMAT_UNKNOWN;
}
