/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_clk: a wake or a burn takes what the script says, nothing else does. */
#include "fake_clk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fault(struct fake_clk *fake, const char *what)
{
	if (!fake->fault)
		fake->fault = what;
}

static void kill_task(struct fake_clk *fake)
{
	fake->now_ns = fake->kill_ns;
	fake->killed = true;
	longjmp(fake->end, 1);
}

/* What happens exactly at kill_ns still happens. */
static void go_to(struct fake_clk *fake, int64_t t_ns)
{
	if (t_ns > fake->kill_ns)
		kill_task(fake);
	fake->now_ns = t_ns;
}

static int64_t fake_now(struct clk *clk)
{
	const struct fake_clk *fake = (const struct fake_clk *)(void *)clk;

	return fake->now_ns;
}

static int wake_before(struct fake_clk *fake, int64_t t_ns, int ret)
{
	go_to(fake, fake->now_ns + (t_ns - fake->now_ns) / 2);
	return ret;
}

static int fake_sleep_until(struct clk *clk, int64_t t_ns)
{
	struct fake_clk *fake = (struct fake_clk *)(void *)clk;
	const struct fake_event *event = &fake->events[fake->next];

	fake->nr_sleeps++;
	if (fake->next == fake->nr_events) {
		fault(fake, "a sleep after the last event");
		kill_task(fake);
	}
	if (t_ns > fake->now_ns && fake->nr_early < event->nr_early) {
		fake->nr_early++;
		return wake_before(fake, t_ns, 0);
	}
	if (t_ns > fake->now_ns && fake->nr_eintr < event->nr_eintr) {
		fake->nr_eintr++;
		return wake_before(fake, t_ns, -EINTR);
	}
	fake->next++;
	fake->nr_early = 0;
	fake->nr_eintr = 0;
	go_to(fake, (t_ns > fake->now_ns ? t_ns : fake->now_ns) +
		    event->late_ns);
	return 0;
}

void fake_burn(void *arg, int64_t demand_ns)
{
	struct fake_clk *fake = arg;
	int64_t wall_ns;

	fake->nr_burns++;
	fake->demand_ns += demand_ns;
	if (!fake->next) {
		fault(fake, "a burn before the first wake");
		return;
	}
	wall_ns = fake->events[fake->next - 1].wall_ns;
	if (wall_ns < 0)
		fault(fake, "a burn where there must be none");
	else
		go_to(fake, fake->now_ns + wall_ns);
}

static int64_t read_us(const char **s)
{
	char *end;
	long long us = strtoll(*s, &end, 10);

	if (end == *s)
		abort();
	*s = end;
	return us * NSEC_PER_USEC;
}

static void read_event(struct fake_event *event, const char **s)
{
	memset(event, 0, sizeof(*event));
	for (; **s == 'e' || **s == 'i'; (*s)++) {
		if (**s == 'e')
			event->nr_early++;
		else
			event->nr_eintr++;
	}
	event->late_ns = read_us(s);
	if (*(*s)++ != ',')
		abort();
	if (**s == '-') {
		event->wall_ns = -1;
		(*s)++;
	} else {
		event->wall_ns = read_us(s);
	}
}

/* A script that cannot be read is a mistake in the test itself: abort(). */
void fake_clk_init(struct fake_clk *fake, const char *script)
{
	memset(fake, 0, sizeof(*fake));
	fake->clk.now = fake_now;
	fake->clk.sleep_until = fake_sleep_until;
	fake->now_ns = FAKE_START_NS / 2;
	fake->kill_ns = INT64_MAX;
	for (;;) {
		script += strspn(script, " ");
		if (!*script)
			return;
		if (fake->nr_events == FAKE_EVENTS_MAX)
			abort();
		read_event(&fake->events[fake->nr_events++], &script);
	}
}

void fake_run(struct fake_clk *fake, struct periodic *p, struct cell *cell)
{
	p->clk = &fake->clk;
	p->burn = fake_burn;
	p->burn_arg = fake;
	fake->kill_ns = cell->end_ns + FAKE_GRACE_NS;
	if (!setjmp(fake->end))
		periodic_run(p, cell);
	cell->censored = fake->killed;
	cell->seen_ns = fake->now_ns;
}

struct cell *fake_cell(int64_t period_us, uint64_t nr, uint64_t per_segment,
		       int64_t demand_us)
{
	struct cell *cell = aligned_alloc(_Alignof(struct cell), cell_size(nr));

	if (!cell)
		abort();
	memset(cell, 0, cell_size(nr));
	cell->rate_num = 1000000;
	cell->rate_den = (uint32_t)period_us;
	cell->per_segment = (uint32_t)per_segment;
	cell->nr_segments = (uint32_t)((nr + per_segment - 1) / per_segment);
	cell->nr_slots = nr;
	for (uint64_t k = 0; k < nr; k++) {
		cell->slots[k].release_ns = FAKE_START_NS + (int64_t)k *
					    period_us * NSEC_PER_USEC;
		cell->slots[k].demand_ns = demand_us * NSEC_PER_USEC;
	}
	cell->start_ns = FAKE_START_NS;
	cell->end_ns = cell_due(cell, nr - 1);
	return cell;
}

void fake_cell_shift(struct cell *cell, uint64_t k, int64_t by_us)
{
	for (; k < cell->nr_slots; k++)
		cell->slots[k].release_ns += by_us * NSEC_PER_USEC;
	cell->end_ns = cell_due(cell, cell->nr_slots - 1);
}
