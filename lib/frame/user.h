/* Frames that the user defines, and loops of rt-app (reference frames.md 4.1, 4.9).
 *
 *   begin=REGEX end=REGEX   markers (POSIX extended, on the text of a marker); what the first group
 *                           in brackets matches is the key that joins the two, else the thread is
 *   begin=REGEX             each frame goes from one such marker to the next
 *   slice=NAME              slices of atrace or of track events with that name or first word
 *   event=NAME[,NAME]       from one event of that name to the next; or from the first kind to the
 *                           second of the same thread
 *   rtapp                   rt-app's loops; they are late when their slack is negative
 *
 * and behind them task=NAME|PID (only what it writes), deadline=MS (from the start of each), and
 * nest=innermost|first|replace: what a second begin means while a frame of the same key is open:
 * another frame within it (default), nothing, or that the first was none. */
#ifndef PELTIER_FRAME_USER_H
#define PELTIER_FRAME_USER_H

#include "base/err.h"
#include "frame/frame.h"

struct frame_user;

/* Whether the text is a definition; false with the error set. */
bool frame_user_check(const char *text, struct err *e);
/* A definition that was checked; frames and hearer as for other sources. */
struct frame_user *frame_user_new(const char *text, struct frames *frames,
                                  struct frame_hearer hearer);
void frame_user_free(struct frame_user *u);
/* Whether it is about events other than markers. */
bool frame_user_of_events(const struct frame_user *u);
/* Whether an event of that name begins or ends frames. */
bool frame_user_wants(const struct frame_user *u, const char *event);
/* The name of the event's type, and of the task that wrote it ("" when not known). */
void frame_user_event(struct frame_user *u, const struct event *ev, const char *type,
                      const char *comm);
/* Events of the CPU are missing: what is open there cannot be trusted. */
void frame_user_gap(struct frame_user *u, uint32_t cpu);
/* Begins that were no frame after all (nest=replace). */
uint64_t frame_user_replaced(const struct frame_user *u);
/* Mean of rt-app's performance index of a thread, slack / (period - run), over n loops; NAN: none.
 */
double frame_user_index(const struct frame_user *u, int32_t pid, uint64_t *n);

#endif
