// Timeout sources of GLib: a list of sources. Each iteration of the loop checks all of them. A tick is a
// millisecond.
#include "clock.h"
#include "slots.h"
#include <glib.h>

static GMainContext *context;
static GSource **sources;
static uint64_t pending;

static gboolean fires(gpointer slot) {
	pending--;
	tb_fired(GPOINTER_TO_UINT(slot));
	return G_SOURCE_REMOVE;
}

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "GLib %u.%u.%u, timeout sources",
		glib_major_version, glib_minor_version, glib_micro_version);
	a->flags = TB_VIRTUAL | TB_POP_ONE;
	a->limit = 1000;
	a->language = "C";
	a->version = version;
	a->note = "its clock is virtual, and it polls without a system call";
}

static void tb_new(uint32_t slots) {
	(void)slots;
	if (context) g_main_context_unref(context);
	set_clock(0);
	context = g_main_context_new();
	sources = (GSource **)new_slots(sources, sizeof *sources);
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; }

static void tb_reschedule(uint32_t slot, int64_t at) {
	g_source_set_ready_time(sources[slot], 1000000000 + at * 1000);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	GSource *s = g_timeout_source_new((guint)(at - tb.now));
	g_source_set_callback(s, fires, GUINT_TO_POINTER(slot), NULL);
	sources[slot] = s;
	tb_reschedule(slot, at);
	g_source_attach(s, context);
	g_source_unref(s); // the context holds a reference
	pending++;
}

static void tb_cancel(uint32_t slot) {
	pending--;
	g_source_destroy(sources[slot]);
}

static void tb_pop(int64_t now) {
	set_clock(now * 1000000);
	g_main_context_iteration(context, FALSE);
}

static uint64_t tb_len(void) { return pending; }
