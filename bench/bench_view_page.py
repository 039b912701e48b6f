# SPDX-License-Identifier: Apache-2.0
"""The page of `tracelathe view` in headless Chromium, for bench_view.py: until it can be used, from a key to the frame that shows the picture
moved and to that with all that can be told apart, and frames while the timeline is moved. Skipped where there is no Chromium."""
import os
import random
import time

import browser
from viewing import View

# What a user sees of each key: the browser's own time from the key to the frame that was presented behind it (Event Timing; in steps of 8 ms,
# and without those below 16 ms), whether that frame had the picture moved, and when all that can be told apart was drawn.
WATCH = """(() => {
const { dataset } = document.documentElement, keys = window.benchKeys = [];
let key = null;
addEventListener('keydown', event => { keys.push(key = { begin: event.timeStamp, view: dataset.view, moved: null, whole: null }); }, true);
new MutationObserver(() => {
	if (!key || dataset.view === key.view) return;
	if (key.moved === null) key.moved = performance.now() - key.begin;
	if (key.whole !== null || dataset.picture !== 'whole') return;
	const of = key;
	of.whole = 0;
	requestAnimationFrame(() => { of.whole = performance.now() - of.begin; });
}).observe(document.documentElement, { attributes: true });
new PerformanceObserver(list => {
	for (const entry of list.getEntries()) if (entry.name === 'keydown') for (const of of keys) if (of.begin === entry.startTime) of.presented = entry.duration;
}).observe({ type: 'event', durationThreshold: 16 });
})()"""
KEYED = "new Promise(done => { const at = performance.now(), look = () => { const of = benchKeys[benchKeys.length - 1]; " \
        "if (of && of.whole || performance.now() - at > 1000) done(1); else setTimeout(look, 5); }; look(); })"
LEAST_PRESENTED = 16  # ms: what takes less is not told


def press_keys(chromium, count):
    """Keys as a user presses them, at any time of a frame; each waits for the whole picture of the one before. @return what WATCH keeps of those
    that changed the view"""
    rng = random.Random(14)
    chromium.run(WATCH)
    for i in range(count):
        key = rng.choice("wwwwad" if i % 40 < 20 else "sssdaa")
        time.sleep(rng.uniform(0.02, 0.04))
        for kind in ("keyDown", "keyUp"):
            chromium.call("Input.dispatchKeyEvent", type=kind, key=key, code="Key" + key.upper(), windowsVirtualKeyCode=ord(key.upper()),
                          **({"text": key} if kind == "keyDown" else {}))
        chromium.run(KEYED)
    chromium.settle()
    return [key for key in chromium.run("benchKeys") if key["moved"] is not None]


def tell_keys(tell, what, keys):
    for name, times, goal in (("to the frame with the picture moved", sorted(key.get("presented", LEAST_PRESENTED) for key in keys), 33),
                              ("until the picture is moved", sorted(key["moved"] for key in keys), None),
                              ("to the frame with all that can be told apart", sorted(key["whole"] for key in keys), 33)):
        tell("%s: from a key %s, median" % (what, name), times[len(times) // 2], "ms")
        tell("%s: from a key %s, p99" % (what, name), times[len(times) * 99 // 100], "ms", goal)


# A drag with the shift key held, a few pixels a frame.
FRAMES = """(async () => {
const canvas = document.querySelector('.stage canvas'), box = canvas.getBoundingClientRect(), y = box.y + 60;
const at = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, buttons: 1, shiftKey: true, pointerId: 1, bubbles: true }));
canvas.setPointerCapture = () => {};
const frame = () => new Promise(done => requestAnimationFrame(done)), times = [];
at('pointerdown', box.x + box.width / 2);
let last = await frame();
for (let i = 0; i < %d; i++) {
	at('pointermove', box.x + box.width / 2 + 200 * Math.sin(i / 20));
	const now = await frame();
	times.push(now - last);
	last = now;
}
at('pointerup', box.x + box.width / 2);
return times.sort((a, b) => a - b);
})()"""


def bench_page(tell, inputs, program, static):
    found = browser.find()
    if not found:
        print("page: no Chromium here")
        return
    chromium = browser.Browser(found)
    try:
        for shape in ("regular", "random200"):
            path = inputs.shape(shape)
            with View(program, "--no-index", path) as view:
                chromium.call("Page.navigate", url="about:blank")
                chromium.call("Emulation.setDeviceMetricsOverride", width=1600, height=900, deviceScaleFactor=1, mobile=False)
                chromium.call("Page.navigate", url=view.url)
                chromium.until("document.documentElement && document.documentElement.dataset.drawn")
                tell("page of %s: until its first picture" % shape, float(chromium.run("document.documentElement.dataset.drawn")) / 1000, "s", 1)
                view.ready()
                chromium.until("document.documentElement.dataset.ready === 'true'")
                keys = press_keys(chromium, 300)
                tell_keys(tell, "page of %s" % shape, keys)
                times = chromium.run(FRAMES % 300)
                tell("page of %s: frames a second while it is moved" % shape, 1000 * len(times) / sum(times), "", 58, least=True)
                tell("page of %s: longest of %d frames but three" % (shape, len(times)), times[-4], "ms", 34)
        if static:
            chromium.call("Page.navigate", url="about:blank")
            chromium.call("Page.navigate", url="file://" + os.path.realpath(static))
            chromium.until("document.documentElement && document.documentElement.dataset.drawn")
            tell("page without a server: until its first picture", float(chromium.run("document.documentElement.dataset.drawn")) / 1000, "s")
    finally:
        chromium.close()
