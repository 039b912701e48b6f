/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal. Keys come from the terminal itself, as standard input may be the trace. Signals
 * that end a program are held back while it is in another state, so that it is set back before.
 */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "view/terminal/browser.h"

/* Milliseconds after which the screen is drawn anew without a key, as files may have changed. */
enum { LOOK_AGAIN = 2000 };

struct terminal {
	FILE *file;
	SCREEN *screen;
	struct tl_canvas canvas;
	int signals; /* a file that tells of them */
	sigset_t before;
	bool color;
};

bool tl_browser_has_terminal(void)
{
	return true;
}

/* ---- begin and end ---- */

/* Blocks of functions have the six colors beside black and white. */
static void begin_colors(struct terminal *t)
{
	static const short colors[] = { COLOR_BLUE,    COLOR_GREEN,  COLOR_CYAN,
					COLOR_MAGENTA, COLOR_YELLOW, COLOR_RED };

	t->color = t->color && has_colors() && start_color() == OK;
	if (!t->color)
		return;
	use_default_colors();
	init_pair(TL_STYLE_HOT, COLOR_RED, -1);
	init_pair(TL_STYLE_WARN, COLOR_YELLOW, -1);
	for (int i = 0; i < TL_STYLE_BLOCKS; i++)
		init_pair((short)(TL_STYLE_BLOCK + i), COLOR_BLACK, colors[i]);
}

static void hold_signals(struct terminal *t)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, &t->before);
	t->signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int begin(struct terminal *t, struct tl_error *err)
{
	t->file = fopen("/dev/tty", "r+");
	if (!t->file)
		return tl_error_system(err, "no terminal: /dev/tty");
	t->screen = newterm(NULL, t->file, t->file);
	if (!t->screen) {
		fclose(t->file);
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the terminal cannot be used: TERM is unknown");
	}
	set_term(t->screen);
	hold_signals(t);
	begin_colors(t);
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return 0;
}

static void end(struct terminal *t)
{
	erase();
	refresh();
	endwin();
	delscreen(t->screen);
	fclose(t->file);
	close(t->signals);
	sigprocmask(SIG_SETMASK, &t->before, NULL);
	tl_canvas_free(&t->canvas);
}

/* ---- the screen ---- */

static attr_t look_of(const struct terminal *t, unsigned style)
{
	switch (style) {
	case TL_STYLE_PLAIN:
		return A_NORMAL;
	case TL_STYLE_TITLE:
		return A_BOLD;
	case TL_STYLE_CURSOR:
		return A_REVERSE;
	case TL_STYLE_DIM:
		return A_DIM;
	default:
		break;
	}
	if (t->color)
		return (attr_t)COLOR_PAIR(style);
	if (style < TL_STYLE_BLOCK)
		return A_BOLD;
	return style & 1 ? A_REVERSE : A_REVERSE | A_BOLD;
}

static void show_canvas(const struct terminal *t)
{
	const struct tl_canvas *canvas = &t->canvas;

	erase();
	for (int row = 0; row < canvas->rows; row++)
		for (int column = 0; column < canvas->columns; column++) {
			const struct tl_cell *cell =
				&canvas->cells[(size_t)row * (size_t)canvas->columns +
					       (size_t)column];

			if (!*cell->text)
				continue;
			attrset((int)look_of(t, cell->style));
			mvaddstr(row, column, cell->text);
		}
	attrset((int)A_NORMAL);
	refresh();
}

static int draw_once(struct terminal *t, struct tl_browser *browser, struct tl_error *err)
{
	int rows = tl_max(LINES, 4), columns = tl_max(COLS, 20);

	if (!tl_canvas_begin(&t->canvas, rows, columns))
		return tl_error_memory(err);
	if (tl_browser_is_slow(browser)) {
		tl_canvas_put(&t->canvas, rows - 1, 0, columns, TL_STYLE_WARN,
			      "making the index of calls ...");
		show_canvas(t);
		tl_canvas_begin(&t->canvas, rows, columns);
	}
	if (!tl_browser_draw(browser, &t->canvas))
		return tl_error_memory(err);
	show_canvas(t);
	return 0;
}

/* ---- keys ---- */

static int key_of(int code)
{
	switch (code) {
	case KEY_UP:
		return TL_KEY_UP;
	case KEY_DOWN:
		return TL_KEY_DOWN;
	case KEY_LEFT:
		return TL_KEY_LEFT;
	case KEY_RIGHT:
		return TL_KEY_RIGHT;
	case KEY_PPAGE:
		return TL_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TL_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TL_KEY_HOME;
	case KEY_END:
		return TL_KEY_END;
	case KEY_ENTER:
	case '\r':
		return TL_KEY_ENTER;
	case KEY_BACKSPACE:
	case 0x7f:
		return TL_KEY_BACKSPACE;
	default:
		return code < KEY_MIN ? code : 0;
	}
}

/* All keys that have come. False: one of them ends. */
static bool take_keys(struct tl_browser *browser)
{
	int code;

	while ((code = getch()) != ERR)
		if (!tl_browser_key(browser, key_of(code)))
			return false;
	return true;
}

/*
 * Wait for a key, another size or a signal, not too long: the number of the signal, 0: none, or
 * negative.
 */
static int wait_for_input(struct terminal *t, struct tl_error *err)
{
	struct pollfd files[] = { { .fd = fileno(t->file), .events = POLLIN },
				  { .fd = t->signals, .events = POLLIN } };
	struct signalfd_siginfo about;

	if (poll(files, 2, LOOK_AGAIN) < 0)
		return errno == EINTR ? 0 : tl_error_system(err, "cannot wait for the terminal");
	if (files[1].revents && read(t->signals, &about, sizeof(about)) == sizeof(about))
		return (int)about.ssi_signo;
	return files[0].revents & (POLLHUP | POLLERR) ? SIGHUP : 0;
}

int tl_browser_run(struct tl_browser *browser, bool color, struct tl_error *err)
{
	struct terminal t = { .color = color };
	int status;

	setlocale(LC_CTYPE, "");
	status = begin(&t, err);
	if (status < 0)
		return status;
	do {
		status = draw_once(&t, browser, err);
		if (status == 0)
			status = wait_for_input(&t, err);
	} while (status == 0 && take_keys(browser));
	end(&t);
	return status;
}
