# SPDX-License-Identifier: Apache-2.0
"""The page of `tracelathe view` in headless Chromium, for bench_view.py: until it can be used, from a key to the picture that has all
that can be told apart, and frames while the timeline is moved. Skipped where there is no Chromium."""
import os

import browser
from viewing import View

# Keys as a user presses them: each waits for the whole picture of the one before.
KEYS = """(async () => {
const { dataset } = document.documentElement, frame = () => new Promise(done => requestAnimationFrame(done)), times = [];
let seed = 14;
const draw = n => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 8 & 0xffff, pick = list => list[draw() %% list.length];
for (let i = 0; i < %d; i++) {
	const begin = performance.now();
	document.body.dispatchEvent(new KeyboardEvent('keydown', { key: pick(i %% 40 < 20 ? 'wwwwad' : 'sssdaa'), bubbles: true }));
	do await frame(); while (dataset.picture !== 'whole' && performance.now() - begin < 5000);
	times.push(performance.now() - begin);
}
return times.sort((a, b) => a - b);
})()"""

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
                times = chromium.run(KEYS % 300)
                tell("page of %s: from a key to the whole picture, median" % shape, times[len(times) // 2], "ms")
                tell("page of %s: from a key to the whole picture, p99" % shape, times[len(times) * 99 // 100], "ms", 33)
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
