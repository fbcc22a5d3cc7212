// Draws the timeline, the list of events and the matrix of messages. The job's own words are shown
// through textContent or a canvas only.
"use strict";
(() => {
    const head = JSON.parse(document.getElementById("head").textContent);
    const LANE = 24, RULER = 22, ROW = 22, SCROLL_MAX = 8e6, ARROWS_MAX = 4000,
          LANES_APART_MAX = 24, PAPER_SHAPE = 1.2;
    const KINDS = [
        ["send", "#3b7dd8", /^(send|isend|send_init|start|startall|buffer)/],
        ["receive", "#2f9e5b", /^(recv|irecv|recv_init|mrecv|imrecv|probe|iprobe|mprobe|improbe)/],
        ["both ways", "#1d9aa0", /^sendrecv/],
        ["wait, test", "#e08a1e", /^(wait|test|cancel|request)/],
        ["collective", "#8a56c9", /^(coll|icoll|comm_)/], ["one-sided", "#c2528b", /^(rma|win)/],
        ["file", "#8c6d46", /^file/], ["other", "#8b949e", /./]
    ];
    // Black or white, whichever is easier to read on the colour: its contrast is 4.5 or more.
    const inkOn = (colour) => {
        const [red, green, blue] = [1, 3, 5].map((at) => {
            const part = parseInt(colour.slice(at, at + 2), 16) / 255;
            return part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4;
        });
        return .2126 * red + .7152 * green + .0722 * blue > .179 ? "#000000" : "#ffffff";
    };
    const INKS = KINDS.map((kind) => inkOn(kind[1]));
    const kindOf = (name) => KINDS.findIndex((kind) => kind[2].test(name));

    // --- data: one stream of variable-length numbers, seven bits a byte, the lowest first
    const text = atob(document.getElementById("stream").textContent.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    let at = 0;
    const number = () => {
        let value = 0, scale = 1, byte;
        do {
            byte = bytes[at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte & 128);
        return value;
    };
    const signed = () => {
        const value = number();
        return value % 2 ? -(value + 1) / 2 : value / 2;
    };

    const shapeName = head.shapes.map((shape) => shape[0]),
          shapeText = head.shapes.map((shape) => shape[2]);
    const shapeSite = head.shapes.map((shape) => shape[3]),
          shapeInner = Uint8Array.from(head.shapes, (shape) => shape[4]);
    const shapeKind = Uint8Array.from(head.shapes, (shape) => kindOf(shape[1]));
    // An entry is a call, or a bundle of successive calls; "more" counts its calls after the
    // first one.
    const lanes = head.lanes.map(([rank, thread, label, count, group]) => {
        const lane = {
            rank,
            thread,
            label,
            count,
            group,
            shape: new Uint32Array(count),
            seq: new Float64Array(count),
            start: new Float64Array(count),
            end: new Float64Array(count),
            pending: new Uint8Array(count),
            more: new Float64Array(count),
            bundle: new Uint8Array(count),
            inside: new Float64Array(count)
        };
        let time = 0, seq = 0;
        for (let i = 0; i < count; i++) {
            lane.shape[i] = number();
            lane.seq[i] = seq += number();
            lane.start[i] = time += signed();
            const stay = number(), more = number();
            lane.pending[i] = stay === 0;
            lane.end[i] = stay ? time + stay - 1 : head.end;
            lane.more[i] = Math.floor(more / 2);
            lane.bundle[i] = more % 2;
            lane.inside[i] = lane.bundle[i] ? number() : lane.end[i] - time;
        }
        return lane;
    });
    // A call that did not return is drawn to the end of the timeline, which is after every rank's
    // last call.
    const hung = lanes.some((lane) => lane.pending.includes(1));
    if (hung) {
        const begun = lanes.reduce(
            (least, lane) => lane.count > 1 ? Math.min(least, lane.start[1]) : least, head.end);
        head.end += Math.max((head.end - begun) * .15, 1000);
        for (const lane of lanes)
            for (let i = 0; i < lane.count; i++)
                if (lane.pending[i]) lane.end[i] = head.end;
    }
    const messages = {
        count: head.drawn,
        source: new Uint32Array(head.drawn),
        dest: new Uint32Array(head.drawn),
        sent: new Float64Array(head.drawn),
        received: new Float64Array(head.drawn),
        inner: new Uint8Array(head.drawn),
        longest: 0
    };
    for (let i = 0, time = 0; i < messages.count; i++) {
        messages.source[i] = number();
        messages.dest[i] = number();
        messages.sent[i] = time += number();
        messages.received[i] = time + signed();
        number();
        messages.inner[i] = number();
        messages.longest = Math.max(messages.longest, messages.received[i] - time);
    }
    const cells = [];
    for (let i = 0, at = 0; i < head.cells; i++)
        cells.push([at += number(), number(), number(), number(), number()]);
    const critical = [];
    for (let i = 0, time = 0; i < head.segments; i++) {
        const rank = number(), start = time += signed();
        critical.push([rank, start, start + number()]);
    }
    // Calls of findings, by rank and number.
    const found = new Map();
    for (const article of document.querySelectorAll("article[data-events]"))
        for (const event of article.dataset.events.split(" "))
            if (event && !found.has(event)) found.set(event, article);
    const laneOfRank = new Map();
    lanes.forEach((lane, i) => {
        if (!laneOfRank.has(lane.rank)) laneOfRank.set(lane.rank, i);
    });
    let events = 0;
    for (const lane of lanes)
        for (let i = 0; i < lane.count; i++) events += lane.bundle[i] ? lane.more[i] + 1 : 1;

    // --- the library's events inside a call are folded into it until the call is opened
    for (const lane of lanes) lane.opened = new Set();
    const callOf = (lane, i) => {
        while (i > 0 && shapeInner[lane.shape[i]]) i--;
        return i;
    };
    const foldsAny = (lane, i) => !shapeInner[lane.shape[i]] && i + 1 < lane.count &&
        shapeInner[lane.shape[i + 1]] === 1;
    const isFolded = (lane, i) =>
        shapeInner[lane.shape[i]] && !lane.opened.has(callOf(lane, i));
    const listed = (lane) => {
        if (!lane.listed) {
            const entries = [];
            for (let i = 0, open = true; i < lane.count; i++) {
                const inner = shapeInner[lane.shape[i]];
                if (!inner) open = lane.opened.has(i);
                if (!inner || open || i === 0) entries.push(i);
            }
            lane.listed = Uint32Array.from(entries);
        }
        return lane.listed;
    };
    const openCall = (lane, i, open) => {
        const call = callOf(lane, i);
        if (open)
            lane.opened.add(call);
        else
            lane.opened.delete(call);
        lane.listed = null;
    };
    // The library's own message has an arrow only if the call in which it was sent is opened.
    const isSentFolded = (i) => {
        if (!messages.inner[i]) return false;
        const lane = lanes[laneOfRank.get(messages.source[i])];
        if (!lane || !lane.opened.size) return true;
        const at = Math.max(0, lower(lane.start, messages.sent[i] + 1) - 1);
        return !lane.opened.has(callOf(lane, at));
    };

    // --- rows: one per lane or, if there are many lanes, one for all that behave alike
    const spans = (numbers) => {
        const parts = [];
        for (let i = 0; i < numbers.length;) {
            let last = i;
            while (numbers[last + 1] === numbers[last] + 1) last++;
            parts.push(last > i ? `${numbers[i]}-${numbers[last]}` : `${numbers[i]}`);
            i = last + 1;
        }
        return parts.join(",");
    };
    const groups = new Map();
    lanes.forEach((lane, i) => {
        const key = `${lane.group}.${lane.thread}`;
        if (!groups.has(key)) groups.set(key, {members: [], open: false, thread: lane.thread});
        groups.get(key).members.push(i);
    });
    for (const group of groups.values())
        group.label = `ranks ${spans(group.members.map((i) => lanes[i].rank))}${
            group.thread ? `, thread ${group.thread}` : ""}`;
    const grouped = lanes.length > LANES_APART_MAX, rows = [],
          rowOfLane = new Int32Array(lanes.length);
    function arrange() {
        rows.length = 0;
        for (const group of groups.values()) {
            const several = grouped && group.members.length > 1;
            if (several) {
                for (const i of group.members) rowOfLane[i] = rows.length;
                rows.push({group});
            }
            if (several && !group.open) continue;
            for (const i of group.members) {
                rowOfLane[i] = rows.length;
                rows.push({lane: i, indent: several});
            }
        }
        if (!grouped)
            rows.sort((a, b) => a.lane - b.lane).forEach((row, i) => {
                rowOfLane[row.lane] = i;
            });
    }
    arrange();

    // --- timeline
    const box = document.getElementById("lanes"), canvas = document.getElementById("canvas"),
          pen = canvas.getContext("2d");
    const tip = document.getElementById("tip"), arrows = document.getElementById("arrows"),
          find = document.getElementById("find");
    let GUTTER = 140;
    const first = lanes.reduce(
        (least, lane) => lane.count ? Math.min(least, lane.start[0]) : least, head.end);
    const whole = [Math.min(first, head.end), Math.max(head.end, first + 1)];
    // The initial view is the time between MPI_Init and MPI_Finalize, which often take longer than
    // the job's work.
    const between = () => {
        const kind = head.shapes.map((shape) => shape[1]);
        let start = Infinity, end = -Infinity;
        for (const lane of lanes)
            for (let i = 0; i < lane.count; i++) {
                if (i === 4 && lane.count > 8) i = lane.count - 4;
                if (kind[lane.shape[i]] === "init") start = Math.min(start, lane.end[i]);
                if (kind[lane.shape[i]] === "finalize") end = Math.max(end, lane.start[i]);
            }
        if (hung || end < start) end = head.end;
        const room = (end - start) / 50;
        return start < end ? [Math.max(whole[0], start - room), Math.min(whole[1], end + room)] :
                             whole.slice();
    };
    let view = between(), picked = {lane: 0, event: -1}, matches = null;
    const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const duration = (ns) => ns >= 1e9 ? `${(ns / 1e9).toFixed(3)} s` :
        ns >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` :
        ns >= 1e3 ? `${(ns / 1e3).toFixed(3)} us` :
                    `${ns.toFixed(0)} ns`;
    const lower = (array, value) => {
        let low = 0, high = array.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (array[middle] < value)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    // Returns the entry at which drawing must begin: the application's entry that was open at that
    // time, before the library's events in it. Polls that took turns overlap.
    const openAt = (lane, time) => {
        let i = lower(lane.start, time);
        do {
            while (i > 0 && shapeInner[lane.shape[i - 1]]) i--;
            if (i > 0) i--;
        } while (i > 0 && lane.more[i] && !lane.bundle[i]);
        return i;
    };
    const place = (time, width) =>
        GUTTER + (time - view[0]) / (view[1] - view[0]) * (width - GUTTER);

    // Entries narrower than a pixel share it; the longest of them gives the colour.
    function drawLane(lane, y, width) {
        const PENDING = KINDS.length,
              colours = [...KINDS.map((kind) => kind[1]), style("--error")],
              inks = [...INKS, style("--back")];
        const shared = [
            {pixel: -1, weight: 0, colour: 0, faint: false},
            {pixel: -1, weight: 0, colour: 0, faint: false}
        ];
        const top = (inner) => inner ? y + 14 : y + 3,
              tall = (inner) => inner ? 7 : LANE - 6 - (head.inner ? 8 : 0);
        const flush = (inner) => {
            if (shared[inner].pixel < 0) return;
            pen.globalAlpha = shared[inner].faint ? .12 : 1;
            pen.fillStyle = colours[shared[inner].colour];
            pen.fillRect(shared[inner].pixel, top(inner), 1, tall(inner));
        };
        const marks = [];
        for (let i = openAt(lane, view[0]); i < lane.count && lane.start[i] <= view[1]; i++) {
            const shape = lane.shape[i], inner = shapeInner[shape],
                  pixels = (width - GUTTER) / (view[1] - view[0]);
            const left = Math.max(GUTTER, GUTTER + (lane.start[i] - view[0]) * pixels),
                  right = Math.min(width, GUTTER + (lane.end[i] - view[0]) * pixels);
            if (right < GUTTER) continue;
            const colour = lane.pending[i] ? PENDING : shapeKind[shape],
                  faint = matches !== null && !matches[shape];
            if (right - left < 1.5 && !lane.pending[i]) {
                const pixel = Math.floor(left), weight = lane.inside[i] + 1;
                if (shared[inner].pixel !== pixel) {
                    flush(inner);
                    shared[inner].pixel = pixel;
                    shared[inner].weight = 0;
                }
                if (weight > shared[inner].weight)
                    Object.assign(shared[inner], {weight, colour, faint});
            } else {
                pen.globalAlpha = faint ?
                    .12 :
                    lane.bundle[i] ?
                    .35 + .5 * Math.min(1, lane.inside[i] / (lane.end[i] - lane.start[i])) :
                    1;
                pen.fillStyle = colours[colour];
                pen.fillRect(left, top(inner), Math.max(1, right - left), tall(inner));
                if (!inner && right - left > 50)
                    label(lane, i, faint ? style("--soft") : inks[colour], left, right, top(inner),
                          tall(inner));
            }
            if (found.size && found.has(`${lane.rank}:${lane.seq[i]}`))
                marks.push([style("--error"), 1.5, left, right, inner]);
            if (lane === lanes[picked.lane] && i === picked.event)
                marks.push([style("--text"), 2, left, right, inner]);
        }
        flush(0);
        flush(1);
        pen.globalAlpha = 1;
        for (const [colour, line, left, right, inner] of marks) {
            pen.strokeStyle = colour;
            pen.lineWidth = line;
            pen.strokeRect(left, top(inner) - 1, Math.max(2, right - left), tall(inner) + 2);
        }
    }
    function label(lane, i, ink, left, right, top, tall) {
        pen.save();
        pen.beginPath();
        pen.rect(left, top, right - left - 3, tall);
        pen.clip();
        pen.fillStyle = lane.bundle[i] ? style("--text") : ink;
        pen.globalAlpha = 1;
        const name = shapeName[lane.shape[i]].replace(/^MPI_/, "");
        pen.fillText(
            lane.bundle[i] ? `${(lane.more[i] + 1).toLocaleString("en")} calls` : name, left + 4,
            top + Math.min(tall, 12) / 2 + 1);
        pen.restore();
    }

    // Draws for ranks that behave alike how many are in which kind of call, pixel by pixel, stacked
    // from below.
    function drawGroup(group, y, width) {
        const kinds = KINDS.length + 1, pixels = Math.max(1, Math.floor(width - GUTTER)),
              share = new Float32Array(pixels * kinds);
        const scale = pixels / (view[1] - view[0]), tall = LANE - 5,
              colours = [...KINDS.map((kind) => kind[1]), style("--error")];
        for (const number of group.members) {
            const lane = lanes[number];
            for (let i = openAt(lane, view[0]); i < lane.count && lane.start[i] <= view[1]; i++) {
                if (shapeInner[lane.shape[i]]) continue;
                const left = (lane.start[i] - view[0]) * scale,
                      right = (lane.end[i] - view[0]) * scale;
                const weight = lane.bundle[i] ? lane.inside[i] / (lane.end[i] - lane.start[i]) : 1,
                      kind = lane.pending[i] ? kinds - 1 : shapeKind[lane.shape[i]];
                const end = Math.min(pixels, right);
                for (let x = Math.max(0, Math.floor(left)); x < end; x++)
                    share[x * kinds + kind] += weight * (Math.min(end, x + 1) - Math.max(left, x));
            }
        }
        for (let x = 0; x < pixels; x++)
            for (let kind = 0, height = 0; kind < kinds; kind++) {
                const part = share[x * kinds + kind] / group.members.length * tall;
                if (part < .05) continue;
                pen.fillStyle = colours[kind];
                pen.fillRect(GUTTER + x, y + LANE - 2 - height - part, 1, part);
                height += part;
            }
    }

    const middle = (rank, scroll) =>
        RULER + rowOfLane[laneOfRank.get(rank)] * LANE + LANE / 2 - scroll;
    function drawArrows(width, height, scroll) {
        const from = lower(messages.sent, view[0] - messages.longest),
              to = lower(messages.sent, view[1]);
        const state = document.getElementById("arrows_state");
        state.textContent = head.drawn < head.messages ?
            `(those that took ${duration(head.flight)} or longer: ${
                head.drawn.toLocaleString("en")} of ` +
                `${head.messages.toLocaleString("en")})` :
            "";
        if (!arrows.checked) return;
        let seen = 0;
        for (let i = from; i < to; i++) seen += !isSentFolded(i);
        if (seen > ARROWS_MAX) {
            state.textContent =
                `${seen.toLocaleString("en")} messages: come closer to see them`;
            return;
        }
        pen.strokeStyle = pen.fillStyle = style("--text");
        pen.lineWidth = 1;
        pen.globalAlpha = .55;
        for (let i = from; i < to; i++) {
            if (messages.received[i] < view[0] || isSentFolded(i)) continue;
            const x0 = place(messages.sent[i], width), x1 = place(messages.received[i], width);
            const y0 = middle(messages.source[i], scroll), y1 = middle(messages.dest[i], scroll);
            if (Math.max(y0, y1) < RULER || Math.min(y0, y1) > height ||
                y0 === y1 && messages.source[i] !== messages.dest[i])
                continue;
            pen.beginPath();
            pen.moveTo(x0, y0);
            pen.lineTo(x1, y1);
            pen.stroke();
            pen.fillRect(x1 - 2, y1 - 2, 4, 4);
        }
        pen.globalAlpha = 1;
    }

    // Draws the critical path: at each time the rank that the others waited for.
    const path = document.getElementById("path");
    function drawPath(width, scroll) {
        if (!path.checked || !critical.length) return;
        pen.fillStyle = style("--path");
        let last = null;
        for (const [rank, start, end] of critical) {
            const y = middle(rank, scroll) + LANE / 2 - 4,
                  x = Math.max(GUTTER, place(start, width)),
                  wide = Math.min(width, place(end, width)) - x;
            if (end < view[0] || start > view[1]) {
                last = null;
                continue;
            }
            pen.fillRect(x, y, Math.max(1, wide), 3);
            // If the path changes ranks all the time, lines between them would hide everything.
            if (last !== null && wide > 3 && last.wide > 3)
                pen.fillRect(x - 1, Math.min(y, last.y), 1.5, Math.abs(y - last.y) + 3);
            last = {y, wide};
        }
    }

    function drawRuler(width) {
        const span = view[1] - view[0], step = 10 ** Math.floor(Math.log10(span / 6)),
              most = Math.max(2, (width - GUTTER) / 80);
        const unit = ([1, 2, 5, 10, 20, 50].find((n) => span / (step * n) <= most) || 100) * step;
        pen.fillStyle = style("--card");
        pen.fillRect(0, 0, width, RULER);
        pen.fillStyle = style("--soft");
        for (let time = Math.ceil(view[0] / unit) * unit; time <= view[1]; time += unit) {
            const x = place(time, width);
            pen.fillRect(x, RULER - 5, 1, 5);
            pen.fillText(duration(time - whole[0]), x + 3, RULER / 2);
        }
    }

    function drawRow(row, y, width) {
        const lane = row.lane,
              words = row.group ? `${row.group.open ? "\u25be" : "\u25b8"} ${row.group.label}` :
                                  lanes[lane].label;
        pen.fillStyle = style("--line");
        pen.fillRect(0, y + LANE - 1, width, 1);
        if (row.group)
            drawGroup(row.group, y, width);
        else
            drawLane(lanes[lane], y, width);
        pen.fillStyle = style("--back");
        pen.fillRect(0, y, GUTTER, LANE - 1);
        pen.fillStyle = style(lane === picked.lane ? "--note" : "--text");
        pen.save();
        pen.beginPath();
        pen.rect(0, y, GUTTER - 4, LANE);
        pen.clip();
        pen.fillText(words, row.indent ? 20 : 6, y + LANE / 2);
        pen.restore();
    }
    function draw() {
        const width = box.clientWidth, height = box.clientHeight,
              ratio = window.devicePixelRatio || 1, scroll = box.scrollTop;
        GUTTER = width < 600 ? 76 : 140;
        if (canvas.width !== Math.round(width * ratio) ||
            canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
            canvas.style.width = `${width}px`;
            canvas.style.height = `${height}px`;
        }
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.fillStyle = style("--back");
        pen.fillRect(0, 0, width, height);
        pen.font = "11px system-ui, sans-serif";
        pen.textBaseline = "middle";
        const from = Math.max(0, Math.floor((scroll - RULER) / LANE)),
              to = Math.min(rows.length, Math.ceil((scroll + height) / LANE));
        for (let i = from; i < to; i++) drawRow(rows[i], RULER + i * LANE - scroll, width);
        drawArrows(width, height, scroll);
        drawPath(width, scroll);
        drawRuler(width);
    }
    let waiting = false;
    const redraw = () => {
        if (!waiting) {
            waiting = true;
            requestAnimationFrame(() => {
                waiting = false;
                draw();
            });
        }
    };

    function look(start, end) {
        const span = Math.min(Math.max(end - start, 20), whole[1] - whole[0]);
        const left = Math.min(Math.max(start, whole[0]), whole[1] - span);
        view = [left, left + span];
        redraw();
    }
    const zoom = (factor, centre = (view[0] + view[1]) / 2) =>
        look(centre - (centre - view[0]) * factor, centre + (view[1] - centre) * factor);
    const timeAt = (x) => view[0] + (x - GUTTER) / (box.clientWidth - GUTTER) * (view[1] - view[0]);

    const rowAt = (y) =>
        y < RULER ? undefined : rows[Math.floor((y - RULER + box.scrollTop) / LANE)];
    function hit(x, y) {
        const row = rowAt(y), number = row ? row.lane : undefined, time = timeAt(x);
        if (number === undefined || x < GUTTER) return null;
        const lane = lanes[number], low = head.inner && (y - RULER + box.scrollTop) % LANE >= 13;
        const slack = 2 / (box.clientWidth - GUTTER) * (view[1] - view[0]);
        for (let i = lower(lane.start, time + slack) - 1, steps = 0; i >= 0 && steps < 20000;
             i--, steps++) {
            const inner = shapeInner[lane.shape[i]], there = lane.end[i] >= time - slack;
            if (inner && low && there) return {lane: number, event: i};
            if (!inner) return there ? {lane: number, event: i} : null;
        }
        return null;
    }
    const explain = (found) => {
        const lane = lanes[found.lane], i = found.event, shape = lane.shape[i],
              calls = (lane.more[i] + 1).toLocaleString("en");
        const what = lane.bundle[i] ?
            `from call ${lane.seq[i]} on, ${calls} calls; most of the time in ${shapeName[shape]}` :
            `call ${lane.seq[i]}: ${shapeText[shape]}${lane.more[i] ? `, ${calls} times` : ""}`;
        const lasted =
            lane.pending[i] ? "did not return" : `for ${duration(lane.end[i] - lane.start[i])}`;
        const inside = lane.bundle[i] ? `, ${duration(lane.inside[i])} of it in these calls` : "";
        return `${lane.label}, ${what}${shapeSite[shape] ? `\nat ${shapeSite[shape]}` : ""}\n${
                   duration(lane.start[i] - whole[0])} after the start, ` +
            `${lasted}${inside}${shapeInner[shape] ? "\ninside the library" : ""}`;
    };
    // Lists what the ranks of a group do at a time, the most frequent first.
    const explainGroup = (group, time) => {
        const doing = new Map();
        for (const number of group.members) {
            const lane = lanes[number];
            let i = lower(lane.start, time) - 1;
            while (i >= 0 && shapeInner[lane.shape[i]]) i--;
            const name = i >= 0 && lane.end[i] >= time ?
                `${shapeName[lane.shape[i]]} ${shapeSite[lane.shape[i]]}` :
                "outside of MPI";
            doing.set(name, (doing.get(name) || 0) + 1);
        }
        const told =
            [...doing]
                .sort((a, b) => b[1] - a[1])
                .slice(0, 4)
                .map(([name, count]) => `${count} in ${name}`.replace("in outside", "outside"));
        return `${group.label}: they make the same calls at the same places\n${
            duration(time - whole[0])} after the start: ${told.join(", ")}`;
    };

    const border = 2;
    function resize() {
        const tall = rows.length * LANE + RULER;
        box.style.height = `${Math.min(tall, Math.max(240, window.innerHeight * .6)) + border}px`;
        document.getElementById("space").style.height = `${Math.max(0, tall - box.clientHeight)}px`;
        redraw();
    }
    function toggle(group) {
        group.open = !group.open;
        arrange();
        resize();
    }
    resize();
    const showTip = (words, x, y) => {
        tip.style.display = words ? "block" : "none";
        if (!words) return;
        const frame = canvas.getBoundingClientRect(),
              row = Math.floor((y - RULER + box.scrollTop) / LANE);
        const below = frame.top + RULER + (row + 1) * LANE - box.scrollTop + 4;
        tip.textContent = words;
        tip.style.left = `${
            Math.max(4, Math.min(frame.left + x + 10, window.innerWidth - tip.offsetWidth - 8))}px`;
        tip.style.top = `${
            below + tip.offsetHeight > window.innerHeight ? below - LANE - tip.offsetHeight - 8 :
                                                            below}px`;
    };
    const wordsAt = (x, y) => {
        const row = rowAt(y), found = hit(x, y);
        return found         ? explain(found) :
            row && row.group ? explainGroup(row.group, timeAt(Math.max(x, GUTTER))) :
                               "";
    };
    // One finger or the mouse moves the view, two fingers zoom; a tap or a click picks a call or
    // opens a group.
    const fingers = new Map();
    let drag = null;
    const grip = () => {
        drag = {
            view: view.slice(),
            points: [...fingers.values()].map((point) => ({...point})),
            moved: drag !== null && drag.moved
        };
    };
    canvas.addEventListener("pointerdown", (event) => {
        fingers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
        if (fingers.size === 1) drag = null;
        grip();
        canvas.setPointerCapture(event.pointerId);
        canvas.classList.add("moving");
    });
    const release = (event, cancelled) => {
        const tapped = !cancelled && drag && !drag.moved && fingers.size === 1,
              row = tapped ? rowAt(event.offsetY) : null;
        fingers.delete(event.pointerId);
        if (fingers.size)
            grip();
        else {
            drag = null;
            canvas.classList.remove("moving");
        }
        if (!tapped) return;
        const found = hit(event.offsetX, event.offsetY);
        if (found) pick(found, true);
        if (event.pointerType !== "mouse")
            showTip(wordsAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
        else if (row && row.group)
            toggle(row.group);
        if (event.pointerType !== "mouse" && row && row.group && event.offsetX < GUTTER)
            toggle(row.group);
    };
    canvas.addEventListener("pointerup", (event) => release(event, false));
    canvas.addEventListener("pointercancel", (event) => release(event, true));
    canvas.addEventListener("pointermove", (event) => {
        if (fingers.has(event.pointerId) && drag) {
            fingers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
            const now = [...fingers.values()], then = drag.points,
                  perPixel = (drag.view[1] - drag.view[0]) / (box.clientWidth - GUTTER);
            drag.moved = drag.moved || Math.abs(now[0].x - then[0].x) > 3;
            if (now.length > 1) {
                const factor = Math.max(1, Math.abs(then[0].x - then[1].x)) /
                    Math.max(1, Math.abs(now[0].x - now[1].x));
                const held = drag.view[0] + ((then[0].x + then[1].x) / 2 - GUTTER) * perPixel,
                      start = held - ((now[0].x + now[1].x) / 2 - GUTTER) * perPixel * factor;
                drag.moved = true;
                look(start, start + (drag.view[1] - drag.view[0]) * factor);
            } else if (drag.moved)
                look(
                    drag.view[0] + (then[0].x - now[0].x) * perPixel,
                    drag.view[1] + (then[0].x - now[0].x) * perPixel);
            return;
        }
        if (event.pointerType === "mouse")
            showTip(wordsAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse") showTip("");
    });
    canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.shiftKey) return;
        event.preventDefault();
        if (event.ctrlKey)
            zoom(event.deltaY > 0 ? 1.25 : .8, timeAt(event.offsetX));
        else
            look(
                view[0] + event.deltaY / 500 * (view[1] - view[0]),
                view[1] + event.deltaY / 500 * (view[1] - view[0]));
    }, {passive: false});
    canvas.addEventListener("dblclick", (event) => zoom(.25, timeAt(event.offsetX)));
    const step = (by) => {
        const lane = lanes[picked.lane], entries = listed(lane),
              at = picked.event < 0 ? 0 : lower(entries, picked.event) + by;
        if (at >= 0 && at < entries.length) pick({lane: picked.lane, event: entries[at]}, true);
    };
    const along = (by) => {
        const lane = lanes[picked.lane], to = picked.lane + by;
        if (to < 0 || to >= lanes.length) return;
        const time = picked.event >= 0 ? lane.start[picked.event] : (view[0] + view[1]) / 2;
        const event = Math.min(lanes[to].count - 1, Math.max(0, lower(lanes[to].start, time)));
        pick({lane: to, event: callOf(lanes[to], event)}, true);
    };
    // Keys work unless the focused element needs them itself; up and down scroll the page outside
    // the timeline.
    document.addEventListener("keydown", (event) => {
        const wide = (view[1] - view[0]) / 5, upright = /^Arrow(Up|Down)$/.test(event.key);
        if (event.ctrlKey || event.altKey || event.metaKey ||
            /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) ||
            upright && !box.contains(event.target))
            return;
        const act = {
            "+": () => zoom(.5),
            "-": () => zoom(2),
            "0": () => look(...whole),
            ArrowLeft: () => look(view[0] - wide, view[1] - wide),
            ArrowRight: () => look(view[0] + wide, view[1] + wide),
            n: () => step(1),
            p: () => step(-1),
            o: () => unfold(picked.event),
            ArrowDown: () => along(1),
            ArrowUp: () => along(-1)
        }[event.key];
        if (act) {
            act();
            event.preventDefault();
        }
    });
    box.addEventListener("scroll", redraw);
    window.addEventListener("resize", resize);
    // Paper cannot scroll: prints all ranks, or as many as fit on a page, in the colours for
    // paper.
    window.addEventListener("beforeprint", () => {
        document.documentElement.classList.add("paper");
        const tall = rows.length * LANE + RULER;
        box.style.height = `${Math.min(tall, box.clientWidth * PAPER_SHAPE) + border}px`;
        box.scrollTop = 0;
        draw();
        matrix();
    });
    window.addEventListener("afterprint", () => {
        document.documentElement.classList.remove("paper");
        resize();
        matrix();
    });
    arrows.addEventListener("change", redraw);
    path.addEventListener("change", redraw);
    document.getElementById("closer").addEventListener("click", () => zoom(.5));
    document.getElementById("farther").addEventListener("click", () => zoom(2));
    document.getElementById("fit").addEventListener("click", () => look(...whole));
    document.getElementById("legend").append(...KINDS.map(([name, colour], kind) => {
        const entry = document.createElement("span"), patch = document.createElement("i");
        patch.style.background = colour;
        patch.style.color = INKS[kind];
        entry.append(patch, name);
        return entry;
    }));

    // --- find: calls and places that contain the words
    find.addEventListener("input", () => {
        const words = find.value.trim().toLowerCase();
        matches = words ?
            Uint8Array.from(
                head.shapes,
                (_, i) => `${shapeText[i]} ${shapeSite[i]}`.toLowerCase().includes(words)) :
            null;
        redraw();
    });
    find.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !matches) return;
        for (let k = 0; k <= lanes.length; k++) {
            const number = (picked.lane + k) % lanes.length, lane = lanes[number];
            for (let i = k ? 0 : picked.event + 1; i < lane.count; i++)
                if (matches[lane.shape[i]]) {
                    pick({lane: number, event: i}, true);
                    return;
                }
        }
    });

    // --- list of one lane's events
    const list = document.getElementById("list"), sheetRows = document.getElementById("rows"),
          choice = document.getElementById("choice");
    const height = () => Math.max(1, listed(lanes[picked.lane]).length) * ROW;
    const scale = () => Math.max(
        1, (height() - list.clientHeight) / (Math.min(height(), SCROLL_MAX) - list.clientHeight));
    const told = (lane, i) => {
        const calls = (lane.more[i] + 1).toLocaleString("en");
        return lane.bundle[i] ? `${calls} calls, most of the time in ${shapeName[lane.shape[i]]}` :
                                shapeText[lane.shape[i]] + (lane.more[i] ? ` x ${calls}` : "");
    };
    function unfold(i) {
        const lane = lanes[picked.lane];
        if (i < 0 || !foldsAny(lane, callOf(lane, i))) return;
        const call = callOf(lane, i);
        openCall(lane, call, !lane.opened.has(call));
        pick({lane: picked.lane, event: call}, false);
    }
    function fill() {
        const lane = lanes[picked.lane], top = list.scrollTop * scale(), entries = listed(lane),
              from = Math.floor(top / ROW), shown = Math.ceil(list.clientHeight / ROW) + 1;
        sheetRows.replaceChildren();
        for (let at = from; at < Math.min(entries.length, from + shown); at++) {
            const row = document.createElement("div"), i = entries[at], shape = lane.shape[i];
            const cells = [
                lane.seq[i], duration(lane.start[i] - whole[0]),
                lane.pending[i] ? "no return" : duration(lane.end[i] - lane.start[i]),
                told(lane, i), shapeSite[shape]
            ];
            row.append(...cells.map((cell, k) => {
                const span = document.createElement("span");
                span.textContent = cell;
                span.className = k < 3 ? "number" : "";
                return span;
            }));
            row.className =
                `${shapeInner[shape] ? "inner" : ""} ${i === picked.event ? "picked" : ""}`;
            row.addEventListener("click", () => pick({lane: picked.lane, event: i}, false));
            if (foldsAny(lane, i)) {
                const open = lane.opened.has(i), button = document.createElement("button");
                button.setAttribute("aria-expanded", String(open));
                button.setAttribute("aria-label", "what the library does inside");
                button.addEventListener("click", (event) => {
                    event.stopPropagation();
                    unfold(i);
                });
                row.children[3].prepend(button);
            }
            sheetRows.append(row);
        }
        sheetRows.style.marginTop = `${- (top % ROW)}px`;
    }
    const scrollTo = (lane, i) => {
        list.scrollTop =
            Math.max(0, lower(listed(lane), i) * ROW - list.clientHeight / 2) / scale();
    };
    function pick(found, scroll) {
        picked = found;
        if (found.event >= 0 && isFolded(lanes[found.lane], found.event))
            openCall(lanes[found.lane], found.event, true);
        choice.value = String(found.lane);
        document.getElementById("list_space").style.height =
            `${Math.max(0, Math.min(height(), SCROLL_MAX) - list.clientHeight)}px`;
        if (found.event >= 0) {
            const lane = lanes[found.lane], start = lane.start[found.event],
                  end = lane.end[found.event], span = view[1] - view[0];
            if (scroll) scrollTo(lane, found.event);
            if (start < view[0] || end > view[1] || (end - start) / span < .002) {
                const room =
                    Math.max((end - start) * 6, Math.min(span, (whole[1] - whole[0]) / 50));
                look((start + end - room) / 2, (start + end + room) / 2);
            }
            const group = [...groups.values()].find((one) => one.members.includes(found.lane));
            if (grouped && !group.open && group.members.length > 1) toggle(group);
            const y = rowOfLane[found.lane] * LANE;
            if (y < box.scrollTop || y + LANE + RULER > box.scrollTop + box.clientHeight)
                box.scrollTop = y - box.clientHeight / 2;
        }
        tie();
        fill();
        redraw();
    }
    // Links the picked call to its finding.
    function tie() {
        const tied = document.getElementById("tied"), lane = lanes[picked.lane];
        const article =
            picked.event >= 0 ? found.get(`${lane.rank}:${lane.seq[picked.event]}`) : null;
        tied.replaceChildren();
        if (!article) return;
        const link = document.createElement("a");
        link.href = `#${article.id}`;
        const words = [...article.querySelector("h3").childNodes];
        link.textContent = words.map((node) => node.textContent.trim()).join(" ");
        tied.append("Finding: ", link);
    }
    const locate = (hash) => {
        const parts = /^#call-(\d+)-(\d+)$/.exec(hash), rank = parts && Number(parts[1]),
              seq = parts && Number(parts[2]);
        for (let number = 0; parts && number < lanes.length; number++) {
            const lane = lanes[number];
            if (lane.rank !== rank || !lane.count) continue;
            let i = lower(lane.seq, seq + 1) - 1;
            while (i > 0 && lane.seq[i] !== seq && !lane.bundle[i]) i--;
            if (i >= 0 && (lane.seq[i] === seq || lane.bundle[i])) return {lane: number, event: i};
        }
        return null;
    };
    // Goes to the call of a link: "#call-3-17" is the 17th event of rank 3.
    function follow() {
        const call = locate(location.hash);
        if (!call) return;
        pick(call, true);
        document.getElementById("timeline").scrollIntoView();
    }
    // Opens the list at the first call of the first finding; the timeline shows all ranks.
    function begin() {
        const link = document.querySelector("article a.event"),
              call = link && locate(link.getAttribute("href"));
        pick({lane: call ? call.lane : 0, event: -1}, false);
        if (!call) return;
        picked = call;
        if (isFolded(lanes[call.lane], call.event)) openCall(lanes[call.lane], call.event, true);
        scrollTo(lanes[call.lane], call.event);
        tie();
        fill();
    }
    window.addEventListener("hashchange", follow);
    choice.append(...lanes.map(
        (lane, i) => new Option(`${lane.label} (${lane.count.toLocaleString("en")})`, String(i))));
    choice.addEventListener("change", () => {
        list.scrollTop = 0;
        pick({lane: Number(choice.value), event: -1}, false);
    });
    list.addEventListener("scroll", fill);
    document.getElementById("folded").hidden = !head.inner;

    // --- who sent how much to whom
    const sheet = document.getElementById("matrix"),
          state = document.getElementById("matrix_state"),
          inside = document.getElementById("matrix_inner");
    const side = head.side, AXIS = 46, size = Math.max(2, Math.min(56, Math.floor(640 / side)));
    const brief = (n) => n < 1000 ? `${n}` :
        n < 1e6 ? `${+ (n / 1e3).toPrecision(3)}k` :
        n < 1e9 ? `${+ (n / 1e6).toPrecision(3)}M` :
                  `${+ (n / 1e9).toPrecision(3)}G`;
    let sums, counts;
    const name = (number) => side === head.ranks ?
        `rank ${number}` :
        `ranks from ${Math.ceil(number * head.ranks / side)} on`;
    const pairText = (k) => `${name(Math.floor(k / side))} to ${name(k % side)}: ${
        counts[k].toLocaleString("en")} messages, ${sums[k].toLocaleString("en")} bytes`;
    const SPOKEN_MAX = 32;
    const spoken = () => {
        const pairs = [...counts.keys()].filter((k) => counts[k]).sort((a, b) => sums[b] - sums[a]);
        return pairs.slice(0, SPOKEN_MAX).map(pairText).join("; ") +
            (pairs.length > SPOKEN_MAX ? `; and ${pairs.length - SPOKEN_MAX} pairs with less` : "");
    };
    function matrix() {
        sums = new Float64Array(side * side);
        counts = new Float64Array(side * side);
        for (const [k, own, ownBytes, library, libraryBytes] of cells) {
            counts[k] = own + (inside.checked ? library : 0);
            sums[k] = ownBytes + (inside.checked ? libraryBytes : 0);
        }
        const most = sums.reduce((a, b) => Math.max(a, b), 0), paint = sheet.getContext("2d"),
              step = Math.ceil(26 / size), least = parseFloat(style("--least")),
              strongest = parseFloat(style("--strongest"));
        sheet.width = sheet.height = side * size + AXIS + 12; // half of the last rank's number
        paint.fillStyle = style("--back");
        paint.fillRect(0, 0, sheet.width, sheet.height);
        paint.font = "11px system-ui, sans-serif";
        paint.textBaseline = "middle";
        paint.fillStyle = style("--soft");
        for (let i = 0; i < side; i += step) {
            const rank = String(Math.ceil(i * head.ranks / side)), middle = AXIS + (i + .5) * size;
            paint.textAlign = "right";
            paint.fillText(rank, AXIS - 6, middle);
            paint.textAlign = "center";
            paint.fillText(rank, middle, AXIS - 10);
        }
        paint.fillText("from \\ to", AXIS / 2, AXIS / 2 - 10);
        for (let k = 0; k < side * side; k++) {
            if (!counts[k]) continue;
            const share = most ? Math.log1p(sums[k]) / Math.log1p(most) : 0,
                  x = AXIS + (k % side) * size, y = AXIS + Math.floor(k / side) * size;
            paint.fillStyle = `hsl(215 70% ${least + (strongest - least) * share}%)`;
            paint.fillRect(x, y, size, size);
            if (size < 34) continue;
            paint.fillStyle = style(share > .6 ? "--back" : "--text");
            paint.fillText(brief(sums[k]), x + size / 2, y + size / 2);
        }
        sheet.hidden = !counts.some((count) => count);
        state.textContent = sheet.hidden ? "None was received." : "";
        sheet.setAttribute("aria-label", `bytes from rank to rank: ${spoken()}`);
    }
    inside.addEventListener("change", matrix);
    inside.parentElement.hidden = !cells.some((cell) => cell[3]);
    if (!cells.some((cell) => cell[1])) inside.checked = true;
    sheet.addEventListener("pointermove", (event) => {
        const scale = sheet.width / sheet.clientWidth, // a narrow page shows it smaller
              source = Math.floor((event.offsetY * scale - AXIS) / size),
              dest = Math.floor((event.offsetX * scale - AXIS) / size), k = source * side + dest;
        state.textContent =
            source < 0 || dest < 0 || source >= side || dest >= side ? "" : pairText(k);
    });

    if (head.apart)
        document.getElementById("bundled").textContent =
            `There are ${events.toLocaleString("en")} calls: those of ${
                duration(head.apart)} or longer, ` +
            "of findings, and those that did not return stand one by one, what lies between them " +
            "together, paler and with their number; the trace has all.";
    draw();
    begin();
    matrix();
    follow();
    document.body.dataset.events = events;
    document.body.dataset.messages = head.messages;
    document.body.dataset.ready = Math.round(performance.now());
})();
