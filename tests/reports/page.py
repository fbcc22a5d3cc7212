"""Uses the page in Chromium like a person: page.py HANG.html LARGE.html. Prints what it sees; with
CROSSWAIT_PICTURES=FOLDER makes pictures."""
import os, sys
from browser import Browser

hang, large = sys.argv[1:]
pictures = os.environ.get("CROSSWAIT_PICTURES")
browser = Browser(os.environ["TMPDIR"])


def say(what, value):
    print(f"{what}: {value}")


def picture(name):
    if pictures:
        browser.picture(os.path.join(pictures, name + ".png"), whole=True)


def open_page(path, **look):
    browser.look(**look)
    browser.open(path)
    browser.frame()


picked = (
    "(() => { const row = document.querySelector('#rows .picked'); return row ?"
    " row.children[3].textContent : 'nothing'; })()"
)
shown = (
    "document.getElementById('canvas').getBoundingClientRect().top < innerHeight &&"
    " document.getElementById('canvas').getBoundingClientRect().bottom > 0"
)

open_page(hang, width=1280)
of = "document.getElementById('choice').selectedOptions[0].textContent.split(' (')[0]"
say("the list is of", browser.run(of))
say("and stands at", browser.run(picked))
canvases = (
    "[...document.querySelectorAll('canvas')].every((e) => e.getAttribute('role') === 'img' &&"
    " e.getAttribute('aria-label').length > 20)"
)
say("canvases have a role and a text", browser.run(canvases))
say("the graph's legend", browser.run("document.querySelector('figcaption').textContent"))
inner = "document.querySelectorAll('#rows .inner').length"
arrows = "document.getElementById('canvas').toDataURL()"
say("calls inside the library, folded", browser.run(inner))
drawn = browser.run(arrows)
browser.key("p")
browser.key("o")
browser.frame()
say("a key opens them, whatever has the focus", browser.run(inner) > 0)
say("and shows their messages", browser.run(arrows) != drawn)
browser.run("document.querySelector('#rows .picked button').click()")
say("a click folds them", browser.run(inner))

open_page(hang, width=1280)
browser.click(*browser.middle("article a.event"))
say("a click on a finding's rank picks", browser.run(picked))
say("the timeline is in sight", browser.run(shown))
browser.key("x")  # a key without a function
browser.click(*browser.middle("#tied a"))
say("and back to", browser.run("location.hash"))
rows = (
    "Math.round((document.getElementById('space').offsetHeight +"
    " document.getElementById('canvas').offsetHeight) / 24)"
)
open_page(hang, width=1280)
before = browser.run(rows)
x, y = browser.middle("#canvas")
top = browser.run("document.getElementById('canvas').getBoundingClientRect().top")
browser.mouse("mouseMoved", x, top + 30)
browser.frame()
say(
    "of ranks that behave alike",
    browser.run("document.getElementById('tip').textContent").split("\n")[0],
)
browser.click(60, top + 30)
opened = browser.run(rows)
say("a click opens them", opened > before)
tall = (
    "(() => { window.dispatchEvent(new Event('beforeprint'));"
    " const tall = document.getElementById('canvas').offsetHeight;"
    " window.dispatchEvent(new Event('afterprint')); return tall; })()"
)
say("on a screen they scroll", browser.run("document.getElementById('space').offsetHeight") > 0)
say("on paper they all stand", browser.run(tall) > (opened - 1) * 24)
say("and scroll again", browser.run("document.getElementById('space').offsetHeight") > 0)
browser.run("document.getElementById('lanes').focus()")
steps = [browser.run(picked)]
for key in ("ArrowDown", "p", "p"):
    browser.key(key)
    steps.append(browser.run("document.querySelector('#rows .picked').textContent"))
say("keys pick one call after the other", len(set(steps)) == len(steps))
browser.run(
    "const find = document.getElementById('find'); find.value = 'barrier'; find.dispatchEvent(new"
    " Event('input'));find.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))"
)
say("searching finds", browser.run(picked))

for width, dark in ((1280, False), (1280, True), (360, False)):
    open_page(hang, width=width, dark=dark, touch=width == 360)
    say(f"{width} wide, the page is", browser.run("document.documentElement.scrollWidth"))
    wide = "[...document.querySelectorAll('.wide')].filter((e) => e.scrollWidth > e.clientWidth)"
    say("tables that scroll sideways", browser.run(f"{wide}.length"))
    picture(f"hang-{width}{'-dark' if dark else ''}")
open_page(hang, width=1280, dark=True)
on_red = (
    "(() => { const canvas = document.getElementById('canvas'), all = canvas.getContext('2d')"
    ".getImageData(0, 0, canvas.width, canvas.height).data; let red = 0, white = 0;"
    " for (let i = 0; i < all.length; i += 4) {"
    " if (all[i] === 255 && all[i + 1] === 107) red = i;"
    " if (all[i + 1] > 240 && all[i + 2] > 240 && red && i - red < 16) white++; }"
    " return red ? white : 'there is no red'; })()"
)
say("white on light red", browser.run(on_red))
back = (
    "(() => { window.dispatchEvent(new Event('beforeprint')); const back ="
    " document.getElementById('canvas').getContext('2d').getImageData(2, 2, 1, 1).data[0];"
    " window.dispatchEvent(new Event('afterprint')); return back; })()"
)
contrast = """(() => {
    const light = (colour) => colour.match(/[0-9]+/g).slice(0, 3).map((part) => part / 255)
        .map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [.2126, .7152, .0722][i], 0);
    return Math.min(...[...document.querySelectorAll('#legend i')].map((patch) => {
        const of = getComputedStyle(patch), pair = [light(of.color), light(of.backgroundColor)];
        return (Math.max(...pair) + .05) / (Math.min(...pair) + .05);
    }));
})()"""
say("names of calls have a contrast of 4.5", browser.run(contrast) >= 4.5)
say("paper is white, whatever the screen", browser.run(back) > 200)
open_page(hang, width=360, touch=True)
ruler = "document.getElementById('canvas').toDataURL()"
x, y = browser.middle("#canvas")
drawn = browser.run(ruler)
browser.touch([(x - 20, y), (x + 20, y)], [(x - 40, y), (x + 40, y)], [(x - 80, y), (x + 80, y)])
say("two fingers come closer", browser.run(ruler) != drawn)
drawn = browser.run(ruler)
browser.touch([(x, y)], [(x - 30, y)], [(x - 60, y)])
say("one finger moves", browser.run(ruler) != drawn)
browser.look(width=760, media="print")
browser.open(hang)
say(
    "on paper there are tools",
    browser.run(
        "[...document.querySelectorAll('button, input, #list')].some((e) => e.offsetHeight > 0)"
    ),
)
picture("hang-print")

browser.look(width=1280)
before = browser.computed()
browser.open(large)
say("a large page is open within 2 s of computing", browser.computed() - before < 2000)
say("events that it tells of", browser.run("document.body.dataset.events"))
before = browser.computed()
frames = 60
browser.run(
    """(async () => {
    const canvas = document.getElementById('canvas');
    const box = canvas.getBoundingClientRect();
    document.getElementById('fit').click();
    const wheel = (more) => canvas.dispatchEvent(
        new WheelEvent('wheel', {clientX: box.left + 600, clientY: box.top + 60, ...more}));
    for (let i = 0; i < %d; i++) {
        wheel(i < 40 ? {ctrlKey: true, deltaY: i < 25 ? -1 : 1} : {shiftKey: true, deltaY: 100});
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    }
})()"""
    % frames
)
frame = (browser.computed() - before) / frames
say("a frame takes less than 100 ms of computing", frame < 100)
if pictures:
    print(f"a frame: {frame:.0f} ms of computing", file=sys.stderr)
picture("large")
browser.close()
