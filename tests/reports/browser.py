"""Drives a page in headless Chromium like a person, over the pipe of the DevTools protocol: one
JSON message after the other, each ended by a 0."""
import base64, json, os, select, subprocess

ANSWER_SECONDS = 60


class Browser:
    def __init__(self, folder):
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()
        self.process = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                (
                    "exec chromium --headless=new --no-sandbox --disable-gpu --disable-quic"
                    " --no-first-run --disable-background-networking --disable-component-update"
                    " --disable-sync --hide-scrollbars --remote-debugging-pipe"
                    f" --user-data-dir='{folder}/chromium' about:blank"
                    f" 3<&{to_browser} 4>&{from_browser}"
                ),
            ],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.out, self.into, self.rest, self.number = ours_out, ours_in, b"", 0
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Performance.enable")

    session = None

    def message(self):
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], ANSWER_SECONDS)[0]:
                self.process.kill()
                raise RuntimeError(f"the browser said nothing for {ANSWER_SECONDS} s")
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError("the browser is gone")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def look(self, width, height=900, dark=False, touch=False, media=""):
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        self.ask(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.ask("Emulation.setTouchEmulationEnabled", enabled=touch)

    def open(self, path):
        """Opens a page and waits until it says that it is ready, if it has anything to prepare."""
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        self.run(
            "new Promise((done) => { const look = () => document.readyState === 'complete' &&"
            " (document.body.dataset.ready || !document.scripts.length) ? done(0) :"
            " setTimeout(look, 20); look(); })"
        )

    def computed(self):
        """Returns the milliseconds of computing of the page's thread, which a busy machine does
        not lengthen."""
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "ThreadTime")

    def run(self, script):
        answer = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def middle(self, selector):
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'}); const b = e.getClientRects()[0]; return"
            " [b.left, b.top, b.width, b.height]; })()"
        )
        return box[0] + box[2] / 2, box[1] + box[3] / 2

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.frame()

    def touch(self, *steps):
        """Plays touches; each step is a list of the fingers' points."""
        kind = "touchStart"
        for step in steps:
            self.ask(
                "Input.dispatchTouchEvent",
                type=kind,
                touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(step)],
            )
            kind = "touchMove"
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.frame()

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frame()

    def frame(self):
        self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>"
            " done(0))))"
        )

    def picture(self, path, whole=False):
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            picture = self.ask(
                "Page.captureScreenshot",
                captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
            )
        else:
            picture = self.ask("Page.captureScreenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def paper(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"]))

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(20)
