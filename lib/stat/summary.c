/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary: what the slots of a cell say, by the definitions of METHOD.md, 3. */
#include "stat/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With fewer ratios the outer percentiles would say nothing. */
#define RATIO_MIN_VALUES 20

_Static_assert(sizeof(double) == sizeof(int64_t), "both share the scratch");

static int64_t not_negative(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* Correctly rounded for small numbers, and 100 only if nothing is missing. */
static double percent(uint64_t part, uint64_t whole)
{
	return part == whole ? 100 : 100.0 * (double)part / (double)whole;
}

/* A value that was cut off matters if it is larger than all complete ones. */
static void raise_bound(struct dist *dist, int64_t at_least_ns)
{
	if (at_least_ns > dist->max_ns)
		dist->bound_ns = at_least_ns;
}

/* Woken early enough to burn, whatever came of it. */
static bool is_started(const struct cell *cell, uint64_t k)
{
	const struct slot *slot = &cell->slots[k];

	return slot->woke_ns && slot->woke_ns <= cell_due(cell, k);
}

enum slot_outcome summary_outcome(const struct cell *cell, uint64_t k)
{
	const struct slot *slot = &cell->slots[k];

	if (slot->done_ns)
		return slot->done_ns <= cell_due(cell, k) ? SLOT_MET :
							    SLOT_LATE;
	return is_started(cell, k) ? SLOT_LATE : SLOT_DROPPED;
}

static void count_outcome(struct summary *sum, enum slot_outcome outcome)
{
	switch (outcome) {
	case SLOT_MET:
		sum->met++;
		break;
	case SLOT_LATE:
		sum->late++;
		break;
	case SLOT_DROPPED:
		sum->dropped++;
		break;
	}
}

static void sum_outcomes(struct summary *sum, const struct cell *cell)
{
	uint64_t asked = 0, got = 0, run = 0;

	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		enum slot_outcome outcome = summary_outcome(cell, k);
		uint64_t demand = (uint64_t)cell->slots[k].demand_ns;

		count_outcome(sum, outcome);
		asked += demand;
		got += outcome == SLOT_DROPPED ? 0 : demand;
		run = outcome == SLOT_MET ? 0 : run + 1;
		if (run > sum->longest_miss)
			sum->longest_miss = run;
	}
	sum->total = cell->nr_slots;
	sum->has_deadlines = sum->total > 0;
	if (sum->has_deadlines)
		sum->deadlines_met_pct = percent(sum->met, sum->total);
	sum->has_desired = asked > 0;
	if (sum->has_desired)
		sum->desired_cpu_pct = percent(got, asked);
}

static size_t list_latencies(const struct cell *cell, int64_t *values)
{
	size_t n = 0;

	for (uint64_t k = 0; k < cell->nr_slots; k++) {
		const struct slot *slot = &cell->slots[k];

		if (slot->woke_ns)
			values[n++] = not_negative(slot->woke_ns -
						   slot->release_ns);
	}
	return n;
}

/* Of the first nr slots, those that were finished. */
static size_t list_responses(const struct cell *cell, uint64_t nr,
			     int64_t *values)
{
	size_t n = 0;

	for (uint64_t k = 0; k < nr; k++) {
		const struct slot *slot = &cell->slots[k];

		if (slot->done_ns)
			values[n++] = slot->done_ns - slot->release_ns;
	}
	return n;
}

/* Backwards: the next start of a slot is its own or that of the next one. */
static size_t list_delays(const struct cell *cell, int64_t *values)
{
	int64_t next_start = cell->seen_ns;

	for (uint64_t k = cell->nr_slots; k-- > 0;) {
		const struct slot *slot = &cell->slots[k];

		if (is_started(cell, k))
			next_start = slot->woke_ns;
		values[k] = not_negative(next_start - slot->release_ns);
	}
	return cell->nr_slots;
}

/* One more than the number of the last slot that was woken; 0: none was. */
static uint64_t woken_end(const struct cell *cell)
{
	uint64_t end = cell->nr_slots;

	while (end && !cell->slots[end - 1].woke_ns)
		end--;
	return end;
}

/* The slot after the last that was handled, as the slot loop goes on to it. */
static uint64_t next_slot(const struct cell *cell, uint64_t end)
{
	const struct slot *last = &cell->slots[end - 1];
	int64_t t = last->done_ns ? last->done_ns : last->woke_ns;

	if (summary_outcome(cell, end - 1) == SLOT_MET)
		return end;
	while (end < cell->nr_slots && cell->slots[end].release_ns <= t)
		end++;
	return end;
}

/* The task was ended at seen_ns: in the middle of a burn or before a wake. */
static void bound_paced(struct summary *sum, const struct cell *cell)
{
	uint64_t end = woken_end(cell), next = 0;
	const struct slot *slot;

	if (end) {
		slot = &cell->slots[end - 1];
		if (!slot->done_ns && is_started(cell, end - 1)) {
			raise_bound(&sum->response,
				    cell->seen_ns - slot->release_ns);
			return;
		}
		next = next_slot(cell, end);
	}
	if (next < cell->nr_slots)
		raise_bound(&sum->latency,
			    cell->seen_ns - cell->slots[next].release_ns);
}

static void sum_paced(struct summary *sum, const struct cell *cell,
		      int64_t *values)
{
	sum->paced = true;
	sum_outcomes(sum, cell);
	dist_of(&sum->latency, values, list_latencies(cell, values));
	dist_of(&sum->response, values,
		list_responses(cell, cell->nr_slots, values));
	dist_of(&sum->delay, values, list_delays(cell, values));
	if (cell->censored)
		bound_paced(sum, cell);
}

/* The frames of an unpaced task: started, complete, and until when. */
struct frames {
	uint64_t started;
	uint64_t complete;	/* all of them, or all but the last */
	int64_t end_ns;		/* of the last one, or when it was cut off */
};

static void find_frames(struct frames *frames, const struct cell *cell)
{
	uint64_t n = 0;

	while (n < cell->nr_slots && cell->slots[n].woke_ns)
		n++;
	frames->started = n;
	if (n && !cell->slots[n - 1].done_ns)
		n--;
	frames->complete = n;
	frames->end_ns = n ? cell->slots[n - 1].done_ns : 0;
	if (cell->censored)
		frames->end_ns = cell->seen_ns;
}

/* What jobs took longer than their CPU; one that was cut off is a bound. */
static void sum_jobs(struct summary *sum, const struct cell *cell,
		     const struct frames *frames, int64_t *values)
{
	uint64_t len = cell->job_frames, first = 0;
	size_t n = 0;

	for (; len && first + len <= frames->complete; first += len) {
		int64_t end_ns = cell->slots[first + len - 1].done_ns;

		values[n++] = not_negative(end_ns - cell->slots[first].woke_ns -
					   cell->job_ns);
	}
	dist_of(&sum->latency, values, n);
	if (len && first < frames->started)
		raise_bound(&sum->latency,
			    frames->end_ns - cell->slots[first].woke_ns -
			    cell->job_ns);
}

/* Mean of the slowest hundredth, as frames a second. 0 if they took no time. */
static double low1_fps(const int64_t *sorted, size_t n)
{
	size_t slow = (n + 99) / 100;
	double wall_ns = 0;

	for (size_t i = n - slow; i < n; i++)
		wall_ns += (double)sorted[i];
	return wall_ns > 0 ? 1e9 * (double)slow / wall_ns : 0;
}

static void sum_frame_walls(struct summary *sum, const struct cell *cell,
			    const struct frames *frames, int64_t *values)
{
	size_t n = list_responses(cell, frames->complete, values);

	dist_of(&sum->response, values, n);
	if (cell->censored && frames->started > frames->complete)
		raise_bound(&sum->response, cell->seen_ns -
			    cell->slots[frames->started - 1].release_ns);
	if (n)
		sum->low1_fps = low1_fps(values, n);
}

static void sum_unpaced(struct summary *sum, const struct cell *cell,
			int64_t *values)
{
	struct frames frames;
	uint64_t got = 0;
	int64_t wall_ns;

	find_frames(&frames, cell);
	sum->total = frames.complete;
	sum_jobs(sum, cell, &frames, values);
	sum_frame_walls(sum, cell, &frames, values);
	dist_of(&sum->delay, values, 0);
	wall_ns = frames.started ? frames.end_ns - cell->slots[0].woke_ns : 0;
	if (wall_ns <= 0)
		return;
	for (uint64_t k = 0; k < frames.complete; k++)
		got += (uint64_t)cell->slots[k].demand_ns;
	sum->has_desired = true;
	sum->desired_cpu_pct = percent(got, (uint64_t)wall_ns);
	sum->has_frames = sum->low1_fps > 0;
	sum->fps = 1e9 * (double)frames.complete / (double)wall_ns;
}

static int compare_ratios(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * From the wake of a slot to the next wake the task does nothing but the
 * slot's burn, so the CPU of that time ought to be what the slot asked for.
 */
static size_t list_ratios(const struct cell *cell, double *ratios)
{
	const uint64_t *cpu = cell_cpu_const(cell);
	uint64_t a = cell->nr_slots; /* none yet */
	size_t n = 0;

	for (uint64_t b = 0; b < cell->nr_slots; b++) {
		if (!cell->slots[b].woke_ns)
			continue;
		if (a < b && cpu[a] && cpu[b] && cell->slots[a].done_ns &&
		    cell->slots[a].demand_ns > 0)
			ratios[n++] = (double)(int64_t)(cpu[b] - cpu[a]) /
				      (double)cell->slots[a].demand_ns;
		a = b;
	}
	return n;
}

static double ratio_rank(const double *sorted, size_t n, unsigned int q)
{
	return sorted[((uint64_t)q * n + 999) / 1000 - 1];
}

static void sum_ratios(struct summary *sum, const struct cell *cell,
		       double *ratios)
{
	size_t n = list_ratios(cell, ratios);

	sum->has_ratio = n >= RATIO_MIN_VALUES;
	if (!sum->has_ratio)
		return;
	qsort(ratios, n, sizeof(*ratios), compare_ratios);
	sum->ratio_p5 = ratio_rank(ratios, n, 50);
	sum->ratio_p50 = ratio_rank(ratios, n, 500);
	sum->ratio_p95 = ratio_rank(ratios, n, 950);
}

static uint64_t count_started(const struct cell *cell)
{
	uint64_t n = 0;

	for (uint64_t k = 0; k < cell->nr_slots; k++)
		n += cell->rate_num ? is_started(cell, k) :
				      cell->slots[k].woke_ns != 0;
	return n;
}

static void sum_burn(struct summary *sum, const struct cell *cell)
{
	uint64_t started = count_started(cell);

	sum->has_speed = cell->burn.burnt_ns > 0;
	if (sum->has_speed)
		sum->speed = (double)cell->burn.loops /
			     ((double)cell->burn.burnt_ns / 1000);
	if (started)
		sum->nivcsw_per_slot = (double)cell->nivcsw / (double)started;
}

int summary_of(struct summary *sum, const struct cell *cell)
{
	/* Used for one list after the other; one more, so that 0 is no size. */
	void *scratch = malloc((cell->nr_slots + 1) * sizeof(int64_t));

	memset(sum, 0, sizeof(*sum));
	if (!scratch)
		return -ENOMEM;
	sum->lost = cell->lost;
	if (cell->rate_num)
		sum_paced(sum, cell, scratch);
	else
		sum_unpaced(sum, cell, scratch);
	if (cell->has_cpu)
		sum_ratios(sum, cell, scratch);
	sum_burn(sum, cell);
	free(scratch);
	return 0;
}
