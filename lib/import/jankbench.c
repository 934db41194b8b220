#include "import/jankbench.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

bool jankbench_is(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof magic];
	FILE *in = fopen(path, "re");
	bool is = in && fread(head, sizeof head, 1, in) == 1 && !memcmp(head, magic, sizeof magic);

	if (in)
		fclose(in);
	return is;
}

static const char query[] = "SELECT run_id, name, iteration, total_duration, jank_frame FROM "
                            "ui_results ORDER BY run_id, _id";

static bool fail(sqlite3 *db, const char *path, struct err *e)
{
	return err_input(e, "%s: not a database of Jankbench: %s", path, sqlite3_errmsg(db));
}

static bool rows(sqlite3 *db, const char *path, sqlite3_stmt *s,
                 void (*frame)(void *arg, const struct jankbench_frame *f), void *arg,
                 uint64_t *rejected, struct err *e)
{
	int code;

	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 1);
		bool told = sqlite3_column_type(s, 4) != SQLITE_NULL;
		struct jankbench_frame f = {.run_id = sqlite3_column_int64(s, 0),
		                            .name = name ? name : "",
		                            .iteration = sqlite3_column_int64(s, 2),
		                            .total_ms = sqlite3_column_double(s, 3),
		                            .jank = told ? sqlite3_column_int(s, 4) != 0 : -1};

		if (isfinite(f.total_ms) && f.total_ms > 0)
			frame(arg, &f);
		else
			++*rejected;
	}
	return code == SQLITE_DONE || fail(db, path, e);
}

bool jankbench_read(const char *path, void (*frame)(void *arg, const struct jankbench_frame *f),
                    void *arg, uint64_t *rejected, struct err *e)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	bool good;

	*rejected = 0;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, query, -1, &s, NULL) != SQLITE_OK)
		good = fail(db, path, e);
	else
		good = rows(db, path, s, frame, arg, rejected, e);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return good;
}
