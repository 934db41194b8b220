/* The peer: libtracecmd's merged walk over every record, which is what a reader of trace.dat in C
 * would write today. peer TRACE */
#include <trace-cmd/trace-cmd.h>

#include <stdio.h>

static unsigned long n;

static int count(struct tracecmd_input *in, struct tep_record *r, int cpu, void *data)
{
	(void)in;
	(void)r;
	(void)cpu;
	(void)data;
	n++;
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *in =
	        argc > 1 ? tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS) : NULL;

	if (!in)
		return 2;
	tracecmd_iterate_events(in, NULL, 0, count, NULL);
	printf("%lu events\n", n);
	tracecmd_close(in);
	return 0;
}
