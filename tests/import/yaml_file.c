/* YAML as plain data: shapes, places, shared values. What errors say is tested with the files that
 * are read (platform_file.c). */
#include "import/yaml_file.h"

#include "test.h"

#include <unistd.h>

static struct yaml_file *load(const char *yaml, struct err *e)
{
	char path[] = "/tmp/peltier-test.XXXXXX";
	int fd = mkstemp(path);
	struct yaml_file *f;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
	close(fd);
	f = yaml_file_load(path, "a test", e);
	unlink(path);
	return f;
}

static void a_tree(void **state)
{
	struct err e = {0};
	struct yaml_file *f = load("a: 7\nb:\n  - x\n  - {c: 3}\nd: &d [1]\ne: *d\n", &e);
	const struct yaml_value *b;
	uint64_t v = 0;

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->root->kind, YAML_MAP);
	assert_int_equal(f->root->n, 4);
	assert_true(yaml_number(f, yaml_find(f->root, "a"), 7, 7, "", &v, &e));
	assert_int_equal(v, 7);
	b = yaml_find(f->root, "b");
	assert_int_equal(b->n, 2);
	assert_int_equal(b->line, 3);
	assert_int_equal(b->column, 3);
	assert_string_equal(b->item[0]->text, "x");
	assert_string_equal(yaml_find(b->item[1], "c")->text, "3");
	assert_null(yaml_find(b->item[1], "x"));
	assert_null(yaml_find(b, "c"));
	assert_ptr_equal(yaml_find(f->root, "d"), yaml_find(f->root, "e"));
	assert_false(yaml_number(f, yaml_find(f->root, "a"), 8, 9, "too small", &v, &e));
	assert_non_null(strstr(e.msg, ":1:4: too small"));
	assert_false(yaml_is_list(f, yaml_find(f->root, "a"), "no list", &e));
	yaml_file_free(f);
}

static void one_document(void **state)
{
	struct err e = {0};

	(void)state;
	assert_null(load("", &e));
	assert_non_null(strstr(e.msg, ":1:1: the file is empty"));
	assert_null(load("a: 1\n---\nb: 2\n", &e));
	assert_non_null(strstr(e.msg, ":3:1: a second document"));
	assert_null(load("a: [1\n", &e));
	assert_non_null(strstr(e.msg, ":2:1: "));
	yaml_file_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_tree),
	        cmocka_unit_test(one_document),
	};

	return run(tests);
}
