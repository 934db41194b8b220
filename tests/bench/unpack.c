/* The peer for Perfetto: protobuf-c's unpack and free of every ftrace bundle, with its default
 * allocator, and nothing else. unpack TRACE (not compressed) */
#include "bench/file.h"

#include "ftrace.pb-c.h"

int main(int argc, char **argv)
{
	struct wire file = map_file(argc > 1 ? argv[1] : "");
	unsigned long events = 0;
	struct wire_field packet, f;

	while (wire_next(&file, &packet)) {
		struct wire w = wire_on(packet.p, packet.n);
		Pfb__FtraceEventBundle *b;

		if (!wire_next(&w, &f) || f.num != 1)
			continue;
		b = pfb__ftrace_event_bundle__unpack(NULL, f.n, f.p);
		if (!b)
			return 1;
		events += b->n_event;
		pfb__ftrace_event_bundle__free_unpacked(b, NULL);
	}
	printf("%lu events\n", events);
	return 0;
}
