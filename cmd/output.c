#include "output.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int worse(int a, int b)
{
	static const int rank[] = {
	        [OK] = 0, [PARTIAL] = 1, [REGRESSION] = 2, [USAGE] = 3, [INTERNAL] = 4};

	return rank[a] > rank[b] ? a : b;
}

bool output_open(struct output *out, const char *path)
{
	struct stat st;
	int fd;

	*out = (struct output){.file = stdout, .path = path};
	if (!path)
		return true;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		out->file = fopen(path, "we");
		return out->file != NULL;
	}
	if (snprintf(out->temp, sizeof out->temp, "%s.XXXXXX", path) >= (int)sizeof out->temp) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = mkostemp(out->temp, O_CLOEXEC);
	if (fd < 0)
		return false;
	fchmod(fd, 0644);
	out->file = fdopen(fd, "w");
	return out->file != NULL;
}

int output_close(struct output *out, const char *program, int code)
{
	bool ok = !fflush(out->file) && !ferror(out->file);

	if (out->path && fclose(out->file))
		ok = false;
	if (ok && out->temp[0] && (code == OK || code == PARTIAL))
		ok = !rename(out->temp, out->path);
	else if (out->temp[0])
		unlink(out->temp);
	if (ok)
		return code;
	fprintf(stderr, "%s: %s: %s\n", program, out->path ? out->path : "standard output",
	        strerror(errno));
	return INTERNAL;
}

int output_width(const struct output *out)
{
	struct winsize w;

	if (out->file != stdout || !isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) ||
	    !w.ws_col)
		return 100;
	return w.ws_col < 80 ? 80 : w.ws_col > 120 ? 120 : w.ws_col;
}

void output_complain(const char *program, const char *msg)
{
	char text[1024];

	fprintf(stderr, "%s: %s\n", program, text_escape(text, sizeof text, msg, strlen(msg)));
}
