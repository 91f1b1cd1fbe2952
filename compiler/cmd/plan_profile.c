/* See plan_profile.h. */
#include "compiler/cmd/plan_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/plan/fit.h"

static int profile_find(Invocation *iv, PlanProfile *p)
{
	const char *name = args_value(iv->args, FLAG_PROFILE);
	Str near;
	if (plan_find_profile(str_from(name ? name : "cpu"), p, &near))
		return EXIT_DONE;
	return cmd_usage_error(iv, "no device profile is called `%s`%s%.*s%s; there are %.*s", name, near.n ? "; did you mean `" : "", STR_ARG(near),
	                       near.n ? "`?" : "", STR_ARG(plan_list_profiles(&iv->arena)));
}

static void show_measuring(void)
{
	fputs("measuring this machine with the model, once", stderr);
	fflush(stderr);
}

static void clear_measuring(void)
{
	fputs("\r\033[K", stderr);
	fflush(stderr);
}

int plan_profile_open(Invocation *iv, const ModelUse *use, KvFormat kv, uint32_t n_thread, PlanProfile *p)
{
	PlanFitting f = { .how = args_has(iv->args, FLAG_REFIT) ? FIT_NEW : FIT_KEPT_OR_NEW, .model = &use->model, .kv = kv,
	                  .cpu = { .n_thread = n_thread, .isa = getenv("SEEDC_ISA") }, .begin = isatty(STDERR_FILENO) ? show_measuring : NULL };
	Str why;
	int status = profile_find(iv, p);
	if (status || p->bytes_per_s > 0)
		return status;
	bool ok = plan_fit(&iv->arena, &f, p, &why);
	if (f.begin)
		clear_measuring();
	if (!ok)
		return cmd_io_error(iv, use->path, why);
	if (f.took_s > 0)
		buf_printf(&iv->err, "seedc: note: measured this machine with the model in %.1f s; %s%.*s\n", f.took_s,
		           f.kept_at ? "kept for the next plan" : "not kept: ", STR_ARG(f.kept_at ? STR("") : f.not_kept));
	return EXIT_DONE;
}
