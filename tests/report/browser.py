#!/usr/bin/env python3
"""Opens a page of panem in headless Chromium and looks at it, through the DevTools pipe.

Usage: browser.py PAGE SCREENSHOT [--dark] [--quick] [--width PX] [--draw-ms N]

Fails when the console holds an error, when the page asks for anything but itself, when a plot is
empty (fewer than 200 pixels that differ from its ground), when a tooltip does not appear over a
point, when zooming with the wheel leaves the axis as it was, or when a table does not open.
Keeps a screenshot. Exit code 77 (skipped) when there is no Chromium. The time from
opening the page until all is painted is printed; --draw-ms compares it with N (for benches, never for tests).
"""
import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


class Browser:
    """Chromium with --remote-debugging-pipe: commands on its descriptor 3, answers on 4."""

    def __init__(self, program, folder, dark, width):
        to_read, self.to = os.pipe()
        self.of, from_write = os.pipe()

        def place():
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--disable-quic",
                 "--disable-dev-shm-usage", "--hide-scrollbars", f"--window-size={width},1000",
                 "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        self.process = subprocess.Popen([program, *flags, "about:blank"], preexec_fn=place,
                                        close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest = b""
        self.count = 0
        self.session = None
        self.events = []

    def receive(self):
        while b"\0" not in self.rest:
            got = os.read(self.of, 1 << 20)
            if not got:
                raise RuntimeError("the browser ended")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.receive())

    def eval(self, code):
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{code}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


INK = """(() => { const out = [];
for (const chart of panemReport.charts) {
  const canvas = chart.getDom().querySelector('canvas');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let inside = 0;
  const grid = chart.getModel().getComponent('grid').coordinateSystem.getRect();
  const k = canvas.width / chart.getWidth();
  for (let y = grid.y * k | 0; y < (grid.y + grid.height) * k; y++)
    for (let x = grid.x * k | 0; x < (grid.x + grid.width) * k; x++) {
      const i = 4 * (y * canvas.width + x);
      const spread = Math.max(data[i], data[i+1], data[i+2]) - Math.min(data[i], data[i+1], data[i+2]);
      if (data[i + 3] > 20 && spread > 24) inside++;
    }
  out.push(inside);
} return out; })()"""

# Where a point of a plot is on the screen: the middle one of the first series among those shown, or
# its tallest bar: one of no height cannot be hit.
POINT = """((i) => { const plot = panemReport.plots[i], chart = panemReport.charts[i];
const s = plot.series[0];
chart.getDom().scrollIntoView({block: 'center'});
const place = (p) => chart.convertToPixel({seriesIndex: 0}, [p[0], p[1]]);
const shown = s.points.map((p, k) => k).filter((k) => place(s.points[k])[0] < chart.getWidth() - 40);
const column = s.type === 'bar' || s.type === 'stack';
const k = column ? shown.reduce((a, b) => Math.abs(s.points[b][1]) > Math.abs(s.points[a][1]) ? b : a)
  : shown[shown.length >> 1];
let [x, y] = place(s.points[k]);
if (column) { // bars stand beside the middle of their category
  const bar = chart.getModel().getSeriesByIndex(0).getData().getItemLayout(k);
  x = bar.x + bar.width / 2;
  y = bar.y + bar.height / 2;
}
const r = chart.getDom().getBoundingClientRect();
return {x: r.left + x, y: r.top + y, name: s.name}; })(%d)"""

TIP = """((i) => [...panemReport.charts[i].getDom().querySelectorAll('div')].filter(
  d => d.style.pointerEvents === 'none' && d.style.visibility !== 'hidden' && d.style.opacity !== '0')
  .map(d => d.innerText).join(' '))(%d)"""

ZOOM = """((i) => { const z = panemReport.charts[i].getOption().dataZoom[0];
return z.end - z.start; })(%d)"""


def settle():
    time.sleep(0.3)


def look(browser, page, faults, quick):
    browser.call("Page.navigate", url="file://" + os.path.abspath(page))
    browser.wait_for("Page.loadEventFired")
    metrics = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
    print(f"drawn with {1000 * metrics['ThreadTime']:.0f} ms of its thread")
    plots = browser.eval("window.panemReport ? panemReport.plots.map(p => p.id) : null")
    if not plots:
        faults.append("the page drew nothing")
        return
    for name, ink in zip(plots, browser.eval(INK)):
        print(f"plot {name}: {ink} coloured pixels inside its axes")
        if ink < 200:
            faults.append(f"plot {name} is empty")
    for i, name in enumerate(plots):
        if quick:
            break
        at = browser.eval(POINT % i)
        settle()
        at = browser.eval(POINT % i)
        # From outside to the point, as a hand does.
        browser.mouse("mouseMoved", at["x"] + 3, at["y"] + 3)
        browser.mouse("mouseMoved", at["x"], at["y"])
        settle()
        tip = browser.eval(TIP % i)
        if ":" not in (tip or ""):
            faults.append(f"plot {name}: no tooltip over a point of {at['name']}")
        elif i == 0:
            print("tooltip:", " | ".join(tip.split("\n")))
        before = browser.eval(ZOOM % i)
        browser.mouse("mouseWheel", at["x"], at["y"], deltaX=0, deltaY=-240)
        settle()
        if not browser.eval(ZOOM % i) < before:
            faults.append(f"plot {name}: the wheel does not zoom")
        browser.eval(f"panemReport.charts[{i}].dispatchAction({{type: 'restore'}})")
    rows = browser.eval("""new Promise(done => { const d = document.querySelector('details.data');
        d.open = true; setTimeout(() => { const n = d.querySelectorAll('tbody tr').length;
        d.open = false; done(n); }, 200); })""")
    if not rows:
        faults.append("the table under the first plot is empty")


def console_faults(browser, page, faults):
    own = "file://" + os.path.abspath(page)
    for event in browser.events:
        method, p = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            faults.append(f"exception: {p['exceptionDetails'].get('text')} {p['exceptionDetails'].get('exception', {}).get('description', '')}")
        if method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            faults.append("console: " + " ".join(str(a.get("value")) for a in p["args"]))
        if method == "Log.entryAdded" and p["entry"]["level"] == "error":
            faults.append("console: " + p["entry"]["text"])
        if method == "Network.requestWillBeSent":
            url = p["request"]["url"]
            if not url.startswith((own, "data:", "about:")):
                faults.append("the page asks for " + url)


def screenshot(browser, path):
    browser.mouse("mouseMoved", 2, 2)
    browser.eval("panemReport.charts.forEach(c => { c.dispatchAction({type: 'downplay'});"
                 " c.dispatchAction({type: 'hideTip'}); })")
    browser.eval("window.scrollTo(0, 0)")
    settle()
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    data = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": size["width"],
                              "height": min(size["height"], 16000), "scale": 1})["data"]
    with open(path, "wb") as f:
        f.write(base64.b64decode(data))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("screenshot")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--quick", action="store_true", help="no tooltips, no zoom")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--draw-ms", type=float)
    args = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("skipped: no chromium")
        return SKIPPED
    faults = []
    folder = tempfile.mkdtemp(prefix="panem-browser-")
    browser = Browser(program, folder, args.dark, args.width)
    try:
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        browser.session = browser.call("Target.attachToTarget", targetId=target,
                                       flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            browser.call(domain + ".enable")
        look(browser, args.page, faults, args.quick)
        console_faults(browser, args.page, faults)
        drawn = browser.eval("window.panemReport ? panemReport.drawnMs : -1")
        print(f"drawn in {drawn:.0f} ms")
        if args.draw_ms and not 0 <= drawn <= args.draw_ms:
            faults.append(f"drawing took {drawn:.0f} ms")
        screenshot(browser, args.screenshot)
    finally:
        browser.close()
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print("fault:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
