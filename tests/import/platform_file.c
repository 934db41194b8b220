#include "import/platform_file.h"

#include "test.h"

#include <unistd.h>

static char path[64];

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/peltier-test.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static struct platform_file *load(const char *yaml)
{
	struct platform_file *f;
	struct err e = {0};

	put(yaml, strlen(yaml));
	f = platform_file_load(path, &e);
	if (!f)
		fail_msg("%s", e.msg);
	assert_int_equal(e.kind, ERR_NONE);
	return f;
}

static void long_form(void **state)
{
	struct platform_file *f = load("# a board\n"
	                               "name: board\n"
	                               "cpus:\n"
	                               "  - {capacity: 283, model: little}\n"
	                               "  - {capacity: 283}\n"
	                               "  - capacity: 1024\n"
	                               "domains:\n"
	                               "  - {cpus: [0, 1], freqs_khz: [300000, 930000, 1803000]}\n"
	                               "  - cpus: [2]\n"
	                               "unknown key: [1, {a: b}]\n");
	const struct platform *p = platform_file_data(f);

	(void)state;
	assert_string_equal(p->name, "board");
	assert_int_equal(p->n_cpus, 3);
	assert_int_equal(p->capacity[0], 283);
	assert_int_equal(p->capacity[1], 283);
	assert_int_equal(p->capacity[2], 1024);
	assert_int_equal(p->n_domains, 2);
	assert_int_equal(p->domains[0].n_cpus, 2);
	assert_int_equal(p->domains[0].cpus[0], 0);
	assert_int_equal(p->domains[0].cpus[1], 1);
	assert_int_equal(p->domains[0].n_khz, 3);
	assert_int_equal(p->domains[0].khz[0], 300000);
	assert_int_equal(p->domains[0].khz[2], 1803000);
	assert_int_equal(p->domains[1].n_cpus, 1);
	assert_int_equal(p->domains[1].cpus[0], 2);
	assert_int_equal(p->domains[1].n_khz, 0);
	platform_file_free(f);
}

static void short_form(void **state)
{
	struct platform_file *f = load("cpus: 3\n"
	                               "cpu_capacity: [1, 716, 1024]\n"
	                               "freq_domains: [[0, 1], [2]]\n");
	const struct platform *p = platform_file_data(f);

	(void)state;
	assert_null(p->name);
	assert_int_equal(p->n_cpus, 3);
	assert_int_equal(platform_capacity(p, 0), 1);
	assert_int_equal(platform_capacity(p, 1), 716);
	assert_int_equal(platform_capacity(p, 2), 1024);
	assert_int_equal(platform_capacity(p, 3), 0);
	assert_int_equal(p->n_domains, 2);
	assert_ptr_equal(platform_domain_of(p, 0), &p->domains[0]);
	assert_ptr_equal(platform_domain_of(p, 1), &p->domains[0]);
	assert_ptr_equal(platform_domain_of(p, 2), &p->domains[1]);
	assert_null(platform_domain_of(p, 3));
	assert_int_equal(p->domains[0].n_khz, 0);
	platform_file_free(f);
}

static void either_part_is_enough(void **state)
{
	struct platform_file *f = load("cpu_capacity: [512]\n");

	(void)state;
	assert_int_equal(platform_file_data(f)->n_cpus, 1);
	assert_int_equal(platform_file_data(f)->n_domains, 0);
	platform_file_free(f);
	f = load("freq_domains:\n- [4, 5]\n- [65535]\n");
	assert_int_equal(platform_file_data(f)->n_cpus, 0);
	assert_int_equal(platform_file_data(f)->n_domains, 2);
	assert_int_equal(platform_file_data(f)->domains[1].cpus[0], 65535);
	platform_file_free(f);
	f = load("cpus: [283, 1024]\n"); /* a list of numbers is good under this key, too */
	assert_int_equal(platform_capacity(platform_file_data(f), 1), 1024);
	platform_file_free(f);
}

/* Load must fail, with a message that begins with path + `place` and says `what`. */
static void check_error(const char *yaml, size_t n, const char *place, const char *what)
{
	char want[128];
	struct err e = {0};

	put(yaml, n);
	if (platform_file_load(path, &e))
		fail_msg("this is no error: %s", yaml);
	assert_int_equal(e.kind, ERR_INPUT);
	snprintf(want, sizeof want, "%s:%s: ", path, place);
	if (strncmp(e.msg, want, strlen(want)) || !strstr(e.msg + strlen(want), what))
		fail_msg("'%s' is not %s...%s for: %s", e.msg, want, what, yaml);
}

static void errors_in_capacities(void **state)
{
	static const struct {
		const char *yaml, *place, *what;
	} cases[] = {
	        {"cpu_capacity: [283, 0]\n", "1:21", "from 1 to 1024"},
	        {"cpu_capacity: [1025]\n", "1:16", "from 1 to 1024"},
	        {"cpu_capacity: [283, -1]\n", "1:21", "from 1 to 1024"},
	        {"cpu_capacity: [28.3]\n", "1:16", "from 1 to 1024"},
	        {"cpu_capacity: [99999999999999999999]\n", "1:16", "from 1 to 1024"},
	        {"cpu_capacity: [283, [1]]\n", "1:21", "from 1 to 1024"},
	        {"# x\n\ncpu_capacity:\n  - 283\n  - 2000\n", "5:5", "from 1 to 1024"},
	        {"cpus: [{capacity: 283}, {capacity: 2000}]\n", "1:36", "from 1 to 1024"},
	        {"cpus: [{capacity: 0}]\n", "1:19", "from 1 to 1024"},
	        {"cpus: [{capacity: [1]}]\n", "1:19", "from 1 to 1024"},
	        {"cpus: [{capacity: 283}, {util: 1}]\n", "1:25", "no capacity"},
	        {"cpu_capacity: big\n", "1:15", "list"},
	        {"cpu_capacity: []\n", "1:15", "list"},
	        {"cpu_capacity: {0: 283}\n", "1:15", "list"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_error(cases[i].yaml, strlen(cases[i].yaml), cases[i].place, cases[i].what);
}

static void errors_in_domains(void **state)
{
	static const struct {
		const char *yaml, *place, *what;
	} cases[] = {
	        {"domains: [{cpus: [0, 1]}, {cpus: [1]}]\n", "1:35", "two domains"},
	        {"domains: [{cpus: [0, 0]}]\n", "1:22", "two domains"},
	        {"freq_domains:\n  - [0, 1]\n  - [2, 0]\n", "3:9", "two domains"},
	        {"freq_domains: [[-1]]\n", "1:17", "a CPU is a number"},
	        {"freq_domains: [[65536]]\n", "1:17", "a CPU is a number"},
	        {"freq_domains: [[a]]\n", "1:17", "a CPU is a number"},
	        {"freq_domains: [[[0]]]\n", "1:17", "a CPU is a number"},
	        {"freq_domains: [[0], 1]\n", "1:21", "list of CPUs"},
	        {"freq_domains: [[]]\n", "1:16", "list of CPUs"},
	        {"freq_domains: 0\n", "1:15", "list"},
	        {"domains: []\n", "1:10", "list"},
	        {"domains: [{freqs_khz: [1]}]\n", "1:11", "no cpus"},
	        {"domains: [{cpus: [0], freqs_khz: 300}]\n", "1:34", "list of clocks"},
	        {"domains: [{cpus: [0], freqs_khz: [0]}]\n", "1:35", "number of kHz"},
	        {"domains: [{cpus: [0], freqs_khz: [1.8 GHz]}]\n", "1:35", "number of kHz"},
	        {"domains: [{cpus: [0], freqs_khz: [300, 300]}]\n", "1:40", "ascend"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_error(cases[i].yaml, strlen(cases[i].yaml), cases[i].place, cases[i].what);
}

static void not_a_platform(void **state)
{
	static const struct {
		const char *yaml, *place, *what;
	} cases[] = {
	        {"", "1:1", "empty"},
	        {"\n\n- 1\n", "3:1", "mapping"},
	        {"cpu_capacity: [1]\n---\nfoo: 1\n", "3:1", "second document"},
	        {"hello\n", "1:1", "mapping"},
	        {"- 1\n- 2\n", "1:1", "mapping"},
	        {"name: x\ncpus: 6\n", "1:1", "neither"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_error(cases[i].yaml, strlen(cases[i].yaml), cases[i].place, cases[i].what);
}

/* Where libyaml finds the fault; the words are its own. */
static void not_yaml(void **state)
{
	static const struct {
		const char *yaml, *place;
	} cases[] = {
	        {"a: b: c\n", "1:5"},
	        {"a: 1\n\tb: 2\n", "2:1"},
	        {"a: [1, 2\n", "2:1"},
	        {"a: *nobody\n", "1:4"},
	        {"\x01\x02", "1:1"},
	        {"name: a\nb: c\nd: \xff\n", "3:4"},
	        {"cpu_capacity: [1]\n---\nfoo: [", "4:1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_error(cases[i].yaml, strlen(cases[i].yaml), cases[i].place, "");
	check_error("\0\0\0\0", 4, "1:1", "");
}

static void list_in_itself(void **state)
{
	static const char yaml[] = "freq_domains: &x [*x]\n";

	(void)state;
	check_error(yaml, strlen(yaml), "1:15", "a CPU is a number");
}

static void what_cannot_be_read_is_named(void **state)
{
	struct err e = {0};

	(void)state;
	assert_null(platform_file_load("/nonexistent/platform.yaml", &e));
	assert_int_equal(e.kind, ERR_INPUT);
	assert_string_equal(e.msg, "/nonexistent/platform.yaml: No such file or directory");
	e = (struct err){0};
	assert_null(platform_file_load("/tmp", &e));
	assert_int_equal(e.kind, ERR_INPUT);
	assert_ptr_equal(strstr(e.msg, "/tmp: "), e.msg);
	platform_file_free(NULL);
}

static void nothing_is_known_without_a_platform(void **state)
{
	(void)state;
	assert_int_equal(platform_capacity(NULL, 0), 0);
	assert_null(platform_domain_of(NULL, 0));
}

#define with_file(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void clocks_of_opps(void **state)
{
	static const char yaml[] = "freq_domains: [[0, 1], [2]]\nopps:\n  0-1: {300000: 5, 200000: "
	                           "4}\n  2: {900000: 7}\n";
	struct err e;
	struct platform_file *f;

	(void)state;
	put(yaml, strlen(yaml));
	f = platform_file_load(path, &e);
	assert_non_null(f);
	assert_int_equal(platform_file_data(f)->domains[0].n_khz, 2);
	assert_int_equal(platform_file_data(f)->domains[0].khz[1], 300000);
	assert_int_equal(platform_file_data(f)->domains[1].khz[0], 900000);
	platform_file_free(f);
	check_error("freq_domains: [[0]]\nopps: {3: {1: 1}}\n", 38, "2:8", "no domain");
	check_error("freq_domains: [[0]]\nopps: {0: {x: 1}}\n", 38, "2:12", "kHz");
}

#define wrong(yaml, place, what) check_error(yaml, sizeof(yaml) - 1, place, what)

static void powers(void **state)
{
	struct platform_file *f = load("source: a data sheet\n"
	                               "domains:\n"
	                               "  - {name: little, cpus: [0, 1], freqs_khz: [1000, 2000],\n"
	                               "     power_uw: [5, 9], idle_uw: [2, 0], cluster_uw: 3}\n"
	                               "  - {cpus: [2], freqs_khz: [1000]}\n");
	const struct platform *p = platform_file_data(f);

	(void)state;
	assert_string_equal(p->source, "a data sheet");
	assert_string_equal(p->domains[0].name, "little");
	assert_int_equal(p->domains[0].power_uw[1], 9);
	assert_int_equal(p->domains[0].n_idle, 2);
	assert_int_equal(p->domains[0].idle_uw[0], 2);
	assert_int_equal(p->domains[0].cluster_uw, 3);
	assert_null(p->domains[1].power_uw);
	assert_int_equal(p->domains[1].n_idle, 0);
	platform_file_free(f);
	f = load("freq_domains: [[0], [1]]\nopps:\n  0: {2000: 9, 1000: 5}\n  1: {1000: ~}\n");
	p = platform_file_data(f);
	assert_int_equal(p->domains[0].power_uw[0], 5);
	assert_int_equal(p->domains[0].power_uw[1], 9);
	assert_null(p->domains[1].power_uw);
	platform_file_free(f);
	wrong("domains: [{cpus: [0], freqs_khz: [1, 2], power_uw: [1]}]", "1:52",
	      "different lengths");
	wrong("domains: [{cpus: [0], freqs_khz: [1], power_uw: [x]}]", "1:50",
	      "a power is a number of uW");
	wrong("freq_domains: [[0]]\nopps: {0: {1: 1, 1: 2}}\n", "2:11", "twice");
}

/* LISA's files: keys of freqs are CPUs, or (in some) domains; YAML tags and aliases. */
static void lisa(void **state)
{
	struct platform_file *f = load("platform-info:\n"
	                               "  conf:\n"
	                               "    name: juno\n"
	                               "    cpu-capacities: {orig: {0: 446, 1: 1024, 2: 446}}\n"
	                               "    freq-domains: [[0, 2], [1]]\n"
	                               "    freqs: {0: &a [450000, 850000], 1: [450000], 2: *a}\n"
	                               "    kernel: {version: !call:devlib.Version [4, 19]}\n");
	const struct platform *p = platform_file_data(f);

	(void)state;
	assert_string_equal(p->name, "juno");
	assert_null(p->kernel); /* numbers alone are not one */
	assert_int_equal(p->n_cpus, 3);
	assert_int_equal(platform_capacity(p, 1), 1024);
	assert_int_equal(p->domains[0].khz[1], 850000);
	assert_int_equal(p->domains[1].n_khz, 1);
	platform_file_free(f);
	f = load("platform-info:\n  conf:\n    freq-domains: [[0, 1], [2, 3]]\n"
	         "    freqs: {0: [1, 2], 1: [1, 2, 3]}\n"
	         "    kernel: {version: {parts: [4, 19, 0], rc: null}}\n");
	p = platform_file_data(f);
	assert_string_equal(p->kernel, "4.19");
	assert_int_equal(p->domains[0].n_khz, 2);
	assert_int_equal(p->domains[1].n_khz, 3);
	platform_file_free(f);
	wrong("platform-info: {x: 1}", "1:16", "no conf");
	wrong("platform-info: {conf: {cpu-capacities: {a: 1}}}", "1:41", "a CPU");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        with_file(long_form),
	        with_file(short_form),
	        with_file(either_part_is_enough),
	        with_file(errors_in_capacities),
	        with_file(errors_in_domains),
	        with_file(not_a_platform),
	        with_file(not_yaml),
	        with_file(list_in_itself),
	        cmocka_unit_test(what_cannot_be_read_is_named),
	        cmocka_unit_test(nothing_is_known_without_a_platform),
	        with_file(clocks_of_opps),
	        with_file(powers),
	        with_file(lisa),
	};

	return run(tests);
}
