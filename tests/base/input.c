#include "base/input.h"

#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 600001 };

static uint8_t data[SIZE], back[SIZE + 8];
static char dir[64];
static char *old_tmpdir;

/* Each test has an empty folder, which is also where temporary files go. */
static int setup(void **state)
{
	const char *t = getenv("TMPDIR");

	(void)state;
	for (uint32_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)((i * 2654435761u) >> 29 | (i >> 9 & 0xf8));
	old_tmpdir = t ? strdup(t) : NULL;
	strcpy(dir, "/tmp/peltier-test.XXXXXX");
	return mkdtemp(dir) ? setenv("TMPDIR", dir, 1) : -1;
}

static unsigned empty_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;

	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			unlinkat(dirfd(d), e->d_name, 0);
			n++;
		}
	closedir(d);
	return n;
}

static int teardown(void **state)
{
	(void)state;
	empty_dir();
	if (old_tmpdir)
		setenv("TMPDIR", old_tmpdir, 1);
	else
		unsetenv("TMPDIR");
	free(old_tmpdir);
	return rmdir(dir);
}

static const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Bytes of a file of the folder; to be freed. */
static uint8_t *get(const char *name, size_t *n)
{
	FILE *f = fopen(in_dir(name), "r");
	uint8_t *bytes = malloc(SIZE * 2);

	assert_non_null(f);
	assert_non_null(bytes);
	*n = fread(bytes, 1, SIZE * 2, f);
	fclose(f);
	return bytes;
}

static void shell(const char *command)
{
	char line[512];

	snprintf(line, sizeof line, "cd %s && %s", dir, command);
	assert_int_equal(system(line), 0);
}

static struct input *opened(const char *path)
{
	struct err e = {0};
	struct input *in = input_open(path, NULL, &e);

	if (!in)
		fail_msg("%s", e.msg);
	assert_int_equal(e.kind, ERR_NONE);
	return in;
}

static void check_bytes(const struct input *in, const uint8_t *want, size_t n)
{
	static const size_t offs[] = {0, 1, 4095, 262143, 262144, 600000};

	assert_int_equal(input_size(in), n);
	memset(back, 0xa5, sizeof back);
	assert_int_equal(input_read(in, 0, back, n + 8), n);
	assert_memory_equal(back, want, n);
	assert_int_equal(back[n], 0xa5);
	for (size_t i = 0; i < sizeof offs / sizeof *offs && offs[i] < n; i++) {
		assert_int_equal(input_read(in, offs[i], back, 1), 1);
		assert_int_equal(back[0], want[offs[i]]);
	}
	assert_int_equal(input_read(in, n, back, 1), 0);
	assert_int_equal(input_read(in, UINT64_MAX, back, 1), 0);
}

static void plain_file(void **state)
{
	struct input *in;

	(void)state;
	put("plain", data, SIZE);
	in = opened(in_dir("plain"));
	assert_string_equal(input_name(in), in_dir("plain"));
	assert_null(input_wrapper(in));
	assert_false(input_cut(in));
	check_bytes(in, data, SIZE);
	input_close(in);
}

static void short_files_are_plain(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = {{"", 0}, {"\x1f", 1}, {"\x28\xb5\x2f", 3}, {"\x1f\x8a\x08\x00\x00", 5}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct input *in;

		put("short", cases[i].bytes, cases[i].n);
		in = opened(in_dir("short"));
		assert_null(input_wrapper(in));
		assert_false(input_cut(in));
		check_bytes(in, (const uint8_t *)cases[i].bytes, cases[i].n);
		input_close(in);
	}
}

static void wrapped_file(void **state)
{
	static const struct {
		const char *command, *wrapper;
	} cases[] = {
	        {"gzip -c plain >w", "gzip"},
	        {"gzip -1c plain >w", "gzip"},
	        {"zstd -qc plain >w", "zstd"},
	        {"zstd -qc --no-check --long=27 plain >w", "zstd"},
	        /* files put one behind the other are one file */
	        {"head -c 300000 plain | gzip -c >w && tail -c +300001 plain | gzip -c >>w",
	         "gzip"},
	        {"head -c 300000 plain | zstd -qc >w && tail -c +300001 plain | zstd -qc >>w",
	         "zstd"},
	};

	(void)state;
	put("plain", data, SIZE);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct input *in;

		shell(cases[i].command);
		in = opened(in_dir("w"));
		assert_string_equal(input_wrapper(in), cases[i].wrapper);
		assert_false(input_cut(in));
		check_bytes(in, data, SIZE);
		input_close(in);
	}
}

static void empty_wrapped_file(void **state)
{
	static const char *const commands[] = {"gzip -c plain >w", "zstd -qc plain >w"};

	(void)state;
	put("plain", "", 0);
	for (size_t i = 0; i < 2; i++) {
		struct input *in;

		shell(commands[i]);
		in = opened(in_dir("w"));
		assert_int_equal(input_size(in), 0);
		assert_false(input_cut(in));
		input_close(in);
	}
}

/* The input is cut and holds a beginning of what was wrapped; how much is not told. */
static void check_cut(const uint8_t *wrapped, size_t n)
{
	struct input *in;
	size_t got;

	put("cut", wrapped, n);
	in = opened(in_dir("cut"));
	assert_true(input_cut(in));
	got = (size_t)input_size(in);
	assert_true(got <= SIZE);
	assert_int_equal(input_read(in, 0, back, SIZE), got);
	assert_memory_equal(back, data, got);
	input_close(in);
}

static void cut_or_damaged_wrapper(void **state)
{
	static const char *const commands[] = {"gzip -c plain >w", "zstd -qc plain >w"};

	(void)state;
	put("plain", data, SIZE);
	for (size_t i = 0; i < 2; i++) {
		uint8_t *w;
		size_t n;

		shell(commands[i]);
		w = get("w", &n);
		check_cut(w, 4);
		check_cut(w, 9);
		check_cut(w, n / 2);
		check_cut(w, n - 1);
		w[n - 5] ^= 1; /* in the checksum of gzip, in the last block of zstd */
		check_cut(w, n);
		free(w);
	}
}

static void half_of_a_wrapper_is_kept(void **state)
{
	struct input *in;
	uint8_t *w;
	size_t n;

	(void)state;
	put("plain", data, SIZE);
	shell("gzip -c plain >w");
	w = get("w", &n);
	put("cut", w, n / 2);
	free(w);
	in = opened(in_dir("cut"));
	assert_true(input_size(in) > SIZE / 10);
	assert_true(input_size(in) < SIZE);
	input_close(in);
}

static void what_cannot_be_opened_is_named(void **state)
{
	struct err e = {0};

	(void)state;
	assert_null(input_open(in_dir("no such file"), NULL, &e));
	assert_int_equal(e.kind, ERR_INPUT);
	assert_ptr_equal(strstr(e.msg, in_dir("no such file")), e.msg);
	assert_non_null(strstr(e.msg, "No such file or directory"));
	e = (struct err){0};
	assert_null(input_open(dir, NULL, &e));
	assert_int_equal(e.kind, ERR_INPUT);
	assert_ptr_equal(strstr(e.msg, dir), e.msg);
	assert_non_null(strstr(e.msg, "directory"));
}

static void fifo_is_copied(void **state)
{
	struct input *in;
	int status;
	pid_t child;

	(void)state;
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	child = fork();
	if (!child) {
		FILE *f = fopen(in_dir("fifo"), "w");

		_exit(!f || fwrite(data, 1, SIZE, f) != SIZE || fclose(f));
	}
	in = opened(in_dir("fifo"));
	check_bytes(in, data, SIZE);
	assert_false(input_cut(in));
	input_close(in);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Open "-" with `fd` as standard input; fd is closed. */
static struct input *open_stdin(int fd)
{
	int old = dup(STDIN_FILENO);
	struct input *in;

	dup2(fd, STDIN_FILENO);
	close(fd);
	in = opened("-");
	if (old >= 0) {
		dup2(old, STDIN_FILENO);
		close(old);
	} else {
		close(STDIN_FILENO);
	}
	assert_string_equal(input_name(in), "(standard input)");
	return in;
}

static void standard_input_from_a_pipe(void **state)
{
	struct input *in;
	size_t n = 50000;
	uint8_t *w;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], data, n), n);
	close(fd[1]);
	in = open_stdin(fd[0]);
	check_bytes(in, data, n);
	input_close(in);

	put("plain", data, 3000);
	shell("zstd -qc plain >w");
	w = get("w", &n);
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], w, n), n);
	close(fd[1]);
	free(w);
	in = open_stdin(fd[0]);
	assert_string_equal(input_wrapper(in), "zstd");
	check_bytes(in, data, 3000);
	input_close(in);
}

static void standard_input_from_a_file(void **state)
{
	static const char *const names[] = {"plain", "plain.gz"};

	(void)state;
	put("plain", data, 5000);
	shell("gzip -k plain");
	for (size_t i = 0; i < 2; i++) {
		int fd = open(in_dir(names[i]), O_RDONLY);
		struct input *in;

		assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
		in = open_stdin(fd);
		check_bytes(in, data, 5000); /* all of it, not from where it stood */
		input_close(in);
	}
}

static void temporary_file_leaves_nothing(void **state)
{
	struct input *in;

	(void)state;
	put("plain", data, SIZE);
	shell("gzip plain");
	in = opened(in_dir("plain.gz"));
	assert_int_equal(empty_dir(), 1);
	check_bytes(in, data, SIZE);
	input_close(in);
	assert_int_equal(empty_dir(), 0);
}

static void no_room_for_temporary_files(void **state)
{
	struct err e = {0};

	(void)state;
	put("plain", data, 1000);
	shell("gzip plain");
	setenv("TMPDIR", in_dir("nowhere"), 1);
	assert_null(input_open(in_dir("plain.gz"), NULL, &e));
	assert_int_equal(e.kind, ERR_INTERNAL);
	assert_non_null(strstr(e.msg, in_dir("nowhere")));
	assert_non_null(strstr(e.msg, "TMPDIR"));
}

static void memory(void **state)
{
	struct input *in = input_open_mem(data, 1000, "bytes");

	(void)state;
	assert_string_equal(input_name(in), "bytes");
	assert_null(input_wrapper(in));
	assert_false(input_cut(in));
	check_bytes(in, data, 1000);
	input_close(in);
	input_close(NULL);
}

#define with_dir(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* Output that fills the copy block exactly, and a frame that ends with it: nothing is missing. */
static void whole_blocks_are_not_cut(void **state)
{
	static const char *const commands[] = {"gzip -c plain >w", "zstd -qc plain >w"};
	static uint8_t zeroes[524288];

	(void)state;
	for (size_t n = 262144; n <= sizeof zeroes; n += 262144)
		for (size_t i = 0; i < 2; i++) {
			struct input *in;

			put("plain", zeroes, n);
			shell(commands[i]);
			in = opened(in_dir("w"));
			assert_int_equal(input_size(in), n);
			assert_false(input_cut(in));
			input_close(in);
		}
}

/* The check sum is wrong, the bytes before it are there. */
static void good_bytes_of_a_damaged_wrapper(void **state)
{
	static uint8_t bytes[1000];
	struct input *in;

	(void)state;
	memset(bytes, 'x', sizeof bytes);
	put("plain", bytes, sizeof bytes);
	shell("gzip -c plain >w && printf '\\377\\377\\377\\377\\377\\377\\377\\377' | "
	      "dd of=w bs=1 seek=$(($(wc -c <w) - 8)) conv=notrunc 2>/dev/null");
	in = opened(in_dir("w"));
	assert_int_equal(input_size(in), sizeof bytes);
	assert_true(input_cut(in));
	input_close(in);
}

static bool never(const uint8_t *head, size_t n)
{
	(void)head;
	return n == 0;
}

/* An endless input that nobody wants is not copied. */
static void unwanted_input_is_not_copied(void **state)
{
	struct err e = {0};
	struct input *in = input_open("/dev/zero", never, &e);

	(void)state;
	assert_non_null(in);
	assert_true(input_size(in) < 1000000);
	assert_false(input_cut(in));
	input_close(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        with_dir(plain_file),
	        with_dir(short_files_are_plain),
	        with_dir(wrapped_file),
	        with_dir(empty_wrapped_file),
	        with_dir(cut_or_damaged_wrapper),
	        with_dir(half_of_a_wrapper_is_kept),
	        with_dir(what_cannot_be_opened_is_named),
	        with_dir(fifo_is_copied),
	        with_dir(standard_input_from_a_pipe),
	        with_dir(standard_input_from_a_file),
	        with_dir(temporary_file_leaves_nothing),
	        with_dir(no_room_for_temporary_files),
	        with_dir(memory),
	        with_dir(whole_blocks_are_not_cut),
	        with_dir(unwanted_input_is_not_copied),
	        with_dir(good_bytes_of_a_damaged_wrapper),
	};

	return run(tests);
}
