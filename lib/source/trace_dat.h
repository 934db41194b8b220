/* Inside of the trace.dat reader, shared by its files:
 *
 *   trace_dat.c          header, choice of the buffer, what is known of the trace
 *   trace_dat_v6.c, _v7.c  the containers
 *   trace_dat_meta.c     blobs (formats, names, printk) and options
 *   trace_dat_recover.c  sections of a cut file, .cpuN leftovers
 *   trace_dat_lane.c     one CPU: pages to events (the hot path), time correction */
#ifndef PELTIER_SOURCE_TRACE_DAT_H
#define PELTIER_SOURCE_TRACE_DAT_H

#include "source/format.h"
#include "source/pages.h"
#include "source/reader.h"
#include "source/ring.h"
#include "source/source_impl.h"
#include "source/state_bits.h"

/* Option ids; in version 7 the same numbers are section ids. */
enum dat_option {
	OPT_DONE = 0,
	OPT_DATE = 1,
	OPT_CPUSTAT = 2,
	OPT_BUFFER = 3,
	OPT_TRACECLOCK = 4,
	OPT_UNAME = 5,
	OPT_OFFSET = 7,
	OPT_CPUCOUNT = 8,
	OPT_TIME_SHIFT = 12,
	OPT_TSC2NSEC = 14,
	OPT_STRINGS = 15,
	OPT_HEADER_INFO = 16,
	OPT_FTRACE_EVENTS = 17,
	OPT_EVENT_FORMATS = 18,
	OPT_KALLSYMS = 19,
	OPT_PRINTK = 20,
	OPT_CMDLINES = 21,
	OPT_BUFFER_TEXT = 22,
	OPT_MODULES = 25, /* the last one known */
};

enum { DAT_CPUS_MAX = 65536, DAT_BUFFERS_MAX = 1024, DAT_LINKS_MAX = 65536 };

/* Where the data of one CPU lies. */
struct dat_extent {
	uint32_t cpu;
	uint64_t off, size;
	struct input *in; /* a .cpuN file, or NULL: the trace file */
};

struct dat_stat {
	const char *buffer;
	struct trace_cpu cpu;
	int64_t read_events; /* -1: not told */
};

struct dat_buffer {
	const char *name, *clock;
	uint32_t page_size; /* as the file says; 0: does not */
	bool compressed;
	uint64_t limit; /* no data of this buffer at or beyond it */
	VEC(struct dat_extent) cpus;
	uint64_t v6_table; /* v6: where its CPU table is */
	uint32_t v6_cpus;
};

/* Time correction between two samples of a guest's clock. */
struct dat_shift_sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, fraction;
};

struct dat_shift_cpu {
	struct dat_shift_sample *sample;
	uint32_t n;
};

/* How an event of one id is decoded. */
struct dat_type {
	uint16_t kind; /* enum event_kind */
	uint16_t type; /* index into source.types */
	struct load_plan plan;
	uint16_t
	        fmt_off; /* bprint: the pointer to the format, and the arguments; bputs: the text */
	uint16_t args_off; /* 0: not a bprint */
	bool is_bputs;
	bool incomplete; /* its plan's ints and arrays are not all fields of the kind */
	bool needs_more; /* loading its fields takes more than the plan's ints and arrays */
};

struct dat_printk {
	uint64_t address;
	const char *text;
};

struct dat {
	struct source s;
	int version;
	bool big;
	unsigned long_size; /* of the recorder, as the header says */
	uint32_t page_size; /* of the header */
	const struct inflate_codec *codec;
	uint64_t options_off;
	bool has_ring; /* header_page was read */
	struct ring_layout ring;
	char *ring_text;
	size_t ring_text_len;

	bool has_common;
	struct common_fields common;
	struct dat_type **by_id; /* 65536 entries, NULL: id not seen */
	struct state_bits states;
	VEC(struct dat_printk) printk; /* sorted by address */
	VEC(struct trace_name) names;

	VEC(struct dat_buffer) buffers;
	VEC(struct dat_stat) stats;
	const char *stat_buffer; /* the CPUSTAT options that follow are of this one */
	const char *clock;       /* of option TRACECLOCK */
	bool has_clock_option;
	bool has_text;                     /* a text (latency) buffer is in the file */
	uint64_t section[OPT_MODULES + 1]; /* v7: where each metadata section is; 0: not told */

	/* time: raw -> shift -> mult/shift -> + add */
	bool raw_is_time; /* no correction but add */
	uint32_t mult, mult_shift;
	uint64_t ticks_hz;
	int64_t offset_ns, date_ns, add_ns;
	bool has_earliest;
	int64_t earliest; /* no event can be before; see SPAN_LIMIT */
	bool shift_interpolate;
	VEC(struct dat_shift_cpu) shift;

	VEC(struct input *) extra; /* .cpuN files and a head, closed with the source */
	char text[4096];           /* the last rendered bprint */
};

/* ---- meta ---- */
/* Each reads one blob at the reader, false when it is cut (what was read stays). */
bool dat_read_header_info(struct dat *d, struct reader *r);
bool dat_read_ftrace_formats(struct dat *d, struct reader *r);
bool dat_read_event_formats(struct dat *d, struct reader *r);
bool dat_read_kallsyms(struct dat *d, struct reader *r);
bool dat_read_printk(struct dat *d, struct reader *r);
bool dat_read_cmdlines(struct dat *d, struct reader *r);
/* One option; the payload is good only during the call. */
void dat_option(struct dat *d, unsigned id, const uint8_t *p, size_t n);
/* The word in [ ] of a trace_clock text, or the whole text without. NULL when empty. */
const char *dat_clock_word(struct dat *d, const char *p, size_t n);
/* The type of an id without format, made on first sight. */
const struct dat_type *dat_unknown_type(struct dat *d, uint32_t id);

/* ---- containers ---- */
bool dat_v6(struct dat *d, struct reader *r, struct err *e);
bool dat_v7(struct dat *d, struct reader *r, struct err *e);
struct dat_buffer *dat_add_buffer(struct dat *d, const char *name);

/* A section of version 7. */
struct dat_section {
	unsigned id, flags;       /* flags & 1: compressed */
	uint64_t off, body, size; /* header, first byte behind it, size as claimed */
};

/* Read the header at off; false when the file ends in it. */
bool dat_section_at(const struct dat *d, uint64_t off, struct dat_section *s);
/* Version 7: the options, or the page header, in the section at off; quietly nothing if damaged. */
void dat_read_options_at(struct dat *d, uint64_t off);
void dat_read_header_info_at(struct dat *d, uint64_t off);

/* ---- recovery ---- */
/* Walk the sections of a v7 file from `off`. Finds out where the file really ends and, with
 * `rescue`, takes metadata and buffers from what is there. */
void dat_walk_sections(struct dat *d, uint64_t off, bool rescue);
/* Use the .cpuN files of `stem` as the data; false when there are none. */
bool dat_attach_cpu_files(struct dat *d, const char *stem);

/* ---- lanes ---- */
struct lane *dat_lane_new(struct dat *d, const struct dat_buffer *b, const struct dat_extent *x,
                          uint32_t page_size, size_t window);

/* ---- bprint ---- */
/* Render printk format `fmt` with the packed arguments into out; the length. */
size_t dat_bprint(const char *fmt, const uint8_t *args, size_t n, const struct dat *d, char *out,
                  size_t room);
const char *dat_printk_find(const struct dat *d, uint64_t address);

#endif
