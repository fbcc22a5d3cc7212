// The timeline, the list of events and the matrix of messages. What is shown of the job's own words goes through textContent or a canvas.
"use strict";
(() => {
  const head = JSON.parse(document.getElementById("head").textContent);
  const LANE = 24, GUTTER = 120, RULER = 22, ROW = 22, SCROLL_MAX = 8e6, ARROWS_MAX = 4000;
  const GROUPS = [
    ["send", "#3b7dd8", /^(send|isend|send_init|start|startall|buffer)/],
    ["receive", "#2f9e5b", /^(recv|irecv|recv_init|mrecv|imrecv|probe|iprobe|mprobe|improbe)/],
    ["both ways", "#1d9aa0", /^sendrecv/],
    ["wait, test", "#e08a1e", /^(wait|test|cancel|request)/],
    ["collective", "#8a56c9", /^(coll|icoll|comm_)/],
    ["one-sided", "#c2528b", /^(rma|win)/],
    ["file", "#8c6d46", /^file/],
    ["other", "#8b949e", /./]];
  const groupOf = (kind) => GROUPS.findIndex((group) => group[2].test(kind));

  // --- data: one stream of variable-length numbers, seven bits a byte, the lowest first ----------------------------------------------
  const text = atob(document.getElementById("stream").textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  let at = 0;
  const number = () => {
    let value = 0, scale = 1, byte;
    do { byte = bytes[at++]; value += (byte & 127) * scale; scale *= 128; } while (byte & 128);
    return value;
  };
  const signed = () => { const value = number(); return value % 2 ? -(value + 1) / 2 : value / 2; };

  const shapeName = head.shapes.map((shape) => shape[0]), shapeText = head.shapes.map((shape) => shape[2]);
  const shapeSite = head.shapes.map((shape) => shape[3]), shapeInner = Uint8Array.from(head.shapes, (shape) => shape[4]);
  const shapeColour = head.shapes.map((shape) => GROUPS[groupOf(shape[1])][1]);
  const lanes = head.lanes.map(([rank, thread, label, count]) => {
    const lane = { rank, thread, label, count, shape: new Uint32Array(count), seq: new Float64Array(count), start: new Float64Array(count),
                   end: new Float64Array(count), pending: new Uint8Array(count), more: new Float64Array(count) };
    let time = 0, seq = 0;
    for (let i = 0; i < count; i++) {
      lane.shape[i] = number();
      lane.seq[i] = seq += number();
      lane.start[i] = time += signed();
      const stay = number();
      lane.pending[i] = stay === 0;
      lane.end[i] = stay ? time + stay - 1 : head.end;
      lane.more[i] = number();
    }
    return lane;
  });
  // A call that did not return reaches to the end, which is behind the last call that anybody made.
  const hung = lanes.some((lane) => lane.pending.includes(1));
  if (hung) {
    const begun = lanes.reduce((least, lane) => lane.count > 1 ? Math.min(least, lane.start[1]) : least, head.end);
    head.end += Math.max((head.end - begun) * .15, 1000);
    for (const lane of lanes)
      for (let i = 0; i < lane.count; i++) if (lane.pending[i]) lane.end[i] = head.end;
  }
  const messages = { count: head.messages, source: new Uint32Array(head.messages), dest: new Uint32Array(head.messages),
                     sent: new Float64Array(head.messages), received: new Float64Array(head.messages), bytes: new Float64Array(head.messages),
                     inner: new Uint8Array(head.messages), longest: 0 };
  for (let i = 0, time = 0; i < messages.count; i++) {
    messages.source[i] = number();
    messages.dest[i] = number();
    messages.sent[i] = time += number();
    messages.received[i] = time + signed();
    messages.bytes[i] = number();
    messages.inner[i] = number();
    messages.longest = Math.max(messages.longest, messages.received[i] - time);
  }
  // Calls that findings are about, by rank and number.
  const found = new Map();
  for (const article of document.querySelectorAll("article[data-events]"))
    for (const event of article.dataset.events.split(" ")) if (!found.has(event)) found.set(event, article);
  const laneOfRank = new Map();
  lanes.forEach((lane, i) => { if (!laneOfRank.has(lane.rank)) laneOfRank.set(lane.rank, i); });
  const events = lanes.reduce((sum, lane) => sum + lane.count, 0);

  // --- timeline ------------------------------------------------------------------------------------------------------------------------
  const box = document.getElementById("lanes"), canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
  const tip = document.getElementById("tip"), arrows = document.getElementById("arrows"), find = document.getElementById("find");
  const first = lanes.reduce((least, lane) => lane.count ? Math.min(least, lane.start[0]) : least, head.end);
  const whole = [Math.min(first, head.end), Math.max(head.end, first + 1)];
  // Starting and ending MPI takes longer than what many a job does in between: that is what is shown first.
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
    return start < end ? [Math.max(whole[0], start - room), Math.min(whole[1], end + room)] : whole.slice();
  };
  let view = between(), picked = { lane: 0, event: -1 }, matches = null;
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const duration = (ns) => ns >= 1e9 ? `${(ns / 1e9).toFixed(3)} s` : ns >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` : ns >= 1e3 ? `${(ns / 1e3).toFixed(3)} us`
                                                                                                          : `${ns.toFixed(0)} ns`;
  const lower = (array, value) => {
    let low = 0, high = array.length;
    while (low < high) { const middle = (low + high) >> 1; if (array[middle] < value) low = middle + 1; else high = middle; }
    return low;
  };
  // Where drawing must begin: the application's call that was open at that time, and what the library did in it. Polls that took turns
  // lie over each other.
  const openAt = (lane, time) => {
    let i = lower(lane.start, time);
    do {
      while (i > 0 && shapeInner[lane.shape[i - 1]]) i--;
      if (i > 0) i--;
    } while (i > 0 && lane.more[i]);
    return i;
  };
  const place = (time, width) => GUTTER + (time - view[0]) / (view[1] - view[0]) * (width - GUTTER);

  function drawLane(lane, y, width) {
    let lastOuter = -1, lastInner = -1;
    for (let i = openAt(lane, view[0]); i < lane.count && lane.start[i] <= view[1]; i++) {
      const shape = lane.shape[i], inner = shapeInner[shape];
      const left = Math.max(GUTTER, place(lane.start[i], width)), right = Math.min(width, place(lane.end[i], width));
      if (right < GUTTER) continue;
      const pixel = Math.floor(right);
      if (right - left < 1) {
        if ((inner ? lastInner : lastOuter) === pixel) continue;
      }
      if (inner) lastInner = pixel; else lastOuter = pixel;
      pen.globalAlpha = matches && !matches[shape] ? .12 : 1;
      pen.fillStyle = lane.pending[i] ? style("--error") : shapeColour[shape];
      const top = inner ? y + 14 : y + 3, height = inner ? 7 : LANE - 6 - (lane.deep ? 8 : 0);
      pen.fillRect(left, top, Math.max(1, right - left), height);
      if (!inner && right - left > 50) {
        pen.save();
        pen.beginPath();
        pen.rect(left, top, right - left - 3, height);
        pen.clip();
        pen.fillStyle = "#ffffff";
        pen.fillText(shapeName[shape].replace(/^MPI_/, ""), left + 4, top + Math.min(height, 12) / 2 + 1);
        pen.restore();
      }
      if (found.has(`${lane.rank}:${lane.seq[i]}`)) {
        pen.strokeStyle = style("--error");
        pen.lineWidth = 1.5;
        pen.strokeRect(left, top - 1, Math.max(2, right - left), height + 2);
      }
      if (lane === lanes[picked.lane] && i === picked.event) {
        pen.strokeStyle = style("--text");
        pen.lineWidth = 2;
        pen.strokeRect(left, top, Math.max(2, right - left), height);
      }
    }
    pen.globalAlpha = 1;
  }

  function drawArrows(width, height, scroll) {
    const from = lower(messages.sent, view[0] - messages.longest), to = lower(messages.sent, view[1]);
    const state = document.getElementById("arrows_state");
    state.textContent = "";
    if (!arrows.checked) return;
    if (to - from > ARROWS_MAX) {
      state.textContent = `${(to - from).toLocaleString("en")} messages: zoom in to see them`;
      return;
    }
    pen.strokeStyle = pen.fillStyle = style("--text");
    pen.lineWidth = 1;
    pen.globalAlpha = .55;
    for (let i = from; i < to; i++) {
      if (messages.received[i] < view[0]) continue;
      const y = (rank) => RULER + laneOfRank.get(rank) * LANE + LANE / 2 - scroll;
      const x0 = place(messages.sent[i], width), x1 = place(messages.received[i], width), y0 = y(messages.source[i]), y1 = y(messages.dest[i]);
      if (Math.max(y0, y1) < RULER || Math.min(y0, y1) > height) continue;
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
      pen.fillRect(x1 - 2, y1 - 2, 4, 4);
    }
    pen.globalAlpha = 1;
  }

  // The rank that everybody waited for at that time, from the start to the end.
  const path = document.getElementById("path");
  function drawPath(width, scroll) {
    if (!path.checked || !head.path.length) return;
    pen.strokeStyle = style("--path");
    pen.lineWidth = 3;
    pen.beginPath();
    let last = null;
    for (const [rank, start, end] of head.path) {
      const y = RULER + laneOfRank.get(rank) * LANE + LANE - 3 - scroll;
      if (end < view[0] || start > view[1]) { last = null; continue; }
      const x = Math.max(GUTTER, place(start, width));
      if (last === null) pen.moveTo(x, y); else pen.lineTo(x, y);
      pen.lineTo(place(end, width), y);
      last = y;
    }
    pen.stroke();
  }

  function drawRuler(width) {
    const span = view[1] - view[0], step = 10 ** Math.floor(Math.log10(span / 6)), unit = [1, 2, 5, 10].find((n) => span / (step * n) <= 9) * step;
    pen.fillStyle = style("--card");
    pen.fillRect(0, 0, width, RULER);
    pen.fillStyle = style("--soft");
    for (let time = Math.ceil(view[0] / unit) * unit; time <= view[1]; time += unit) {
      const x = place(time, width);
      pen.fillRect(x, RULER - 5, 1, 5);
      pen.fillText(duration(time - whole[0]), x + 3, RULER / 2);
    }
  }

  function draw() {
    const width = box.clientWidth, height = box.clientHeight, ratio = window.devicePixelRatio || 1, scroll = box.scrollTop;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
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
    const from = Math.max(0, Math.floor(scroll / LANE)), to = Math.min(lanes.length, Math.ceil((scroll + height) / LANE));
    for (let i = from; i < to; i++) {
      const y = RULER + i * LANE - scroll;
      pen.fillStyle = style("--line");
      pen.fillRect(0, y + LANE - 1, width, 1);
      drawLane(lanes[i], y, width);
      pen.fillStyle = style("--back");
      pen.fillRect(0, y, GUTTER, LANE - 1);
      pen.fillStyle = style(i === picked.lane ? "--note" : "--text");
      pen.fillText(lanes[i].label, 8, y + LANE / 2, GUTTER - 12);
    }
    drawArrows(width, height, scroll);
    drawPath(width, scroll);
    drawRuler(width);
  }
  let waiting = false;
  const redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } };

  function look(start, end) {
    const span = Math.min(Math.max(end - start, 20), whole[1] - whole[0]);
    const left = Math.min(Math.max(start, whole[0]), whole[1] - span);
    view = [left, left + span];
    redraw();
  }
  const zoom = (factor, centre = (view[0] + view[1]) / 2) => look(centre - (centre - view[0]) * factor, centre + (view[1] - centre) * factor);
  const timeAt = (x) => view[0] + (x - GUTTER) / (box.clientWidth - GUTTER) * (view[1] - view[0]);

  function hit(x, y) {
    const number = Math.floor((y - RULER + box.scrollTop) / LANE), lane = lanes[number], time = timeAt(x);
    if (!lane || x < GUTTER || y < RULER) return null;
    const slack = 2 / (box.clientWidth - GUTTER) * (view[1] - view[0]), low = lane.deep && (y - RULER + box.scrollTop) % LANE >= 13;
    for (let i = lower(lane.start, time + slack) - 1, steps = 0; i >= 0 && steps < 20000; i--, steps++) {
      const inner = shapeInner[lane.shape[i]];
      if (inner ? low && lane.end[i] >= time - slack : true) {
        if (!inner && lane.end[i] < time - slack) return null;
        if (!inner && low && lane.end[i] >= time - slack) return { lane: number, event: i };
        if (inner || !low) return { lane: number, event: i };
      }
    }
    return null;
  }
  const explain = (found) => {
    const lane = lanes[found.lane], i = found.event, shape = lane.shape[i];
    const times = lane.more[i] ? `, ${(lane.more[i] + 1).toLocaleString("en")} times` : "";
    return `${lane.label}, call ${lane.seq[i]}: ${shapeText[shape]}${times}${shapeSite[shape] ? `\nat ${shapeSite[shape]}` : ""}\n` +
           `${duration(lane.start[i] - whole[0])} after the start, ` + (lane.pending[i] ? "did not return" : `for ${duration(lane.end[i] - lane.start[i])}`) +
           (shapeInner[shape] ? "\ninside the library" : "");
  };

  const tall = lanes.length * LANE + RULER, border = 2;
  box.style.height = `${Math.min(tall, Math.max(240, window.innerHeight * .6)) + border}px`;
  document.getElementById("space").style.height = `${Math.max(0, tall - box.clientHeight)}px`;
  for (const lane of lanes) lane.deep = head.inner;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, view: view.slice(), moved: false };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointerup", (event) => {
    canvas.classList.remove("moving");
    const found = drag && !drag.moved ? hit(event.offsetX, event.offsetY) : null;
    drag = null;
    if (found) pick(found, true);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const shift = (drag.x - event.clientX) / (box.clientWidth - GUTTER) * (drag.view[1] - drag.view[0]);
      drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
      look(drag.view[0] + shift, drag.view[1] + shift);
      return;
    }
    const found = hit(event.offsetX, event.offsetY);
    tip.style.display = found ? "block" : "none";
    if (!found) return;
    tip.textContent = explain(found);
    tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 18 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
  });
  canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.25 : .8, timeAt(event.offsetX));
    else look(view[0] + event.deltaY / 500 * (view[1] - view[0]), view[1] + event.deltaY / 500 * (view[1] - view[0]));
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(.25, timeAt(event.offsetX)));
  box.addEventListener("keydown", (event) => {
    const step = (view[1] - view[0]) / 5;
    const act = { "+": () => zoom(.5), "-": () => zoom(2), "0": () => look(...whole), ArrowLeft: () => look(view[0] - step, view[1] - step),
                  ArrowRight: () => look(view[0] + step, view[1] + step) }[event.key];
    if (act) { act(); event.preventDefault(); }
  });
  box.addEventListener("scroll", redraw);
  window.addEventListener("resize", redraw);
  arrows.addEventListener("change", redraw);
  path.addEventListener("change", redraw);
  document.getElementById("closer").addEventListener("click", () => zoom(.5));
  document.getElementById("farther").addEventListener("click", () => zoom(2));
  document.getElementById("fit").addEventListener("click", () => look(...whole));
  document.getElementById("legend").append(...GROUPS.map(([name, colour]) => {
    const entry = document.createElement("span"), patch = document.createElement("i");
    patch.style.background = colour;
    entry.append(patch, name);
    return entry;
  }));

  // --- find: calls and places that hold the words -----------------------------------------------------------------------------------------
  find.addEventListener("input", () => {
    const words = find.value.trim().toLowerCase();
    matches = words ? Uint8Array.from(head.shapes, (_, i) => `${shapeText[i]} ${shapeSite[i]}`.toLowerCase().includes(words)) : null;
    redraw();
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !matches) return;
    for (let k = 0; k <= lanes.length; k++) {
      const number = (picked.lane + k) % lanes.length, lane = lanes[number];
      for (let i = k ? 0 : picked.event + 1; i < lane.count; i++)
        if (matches[lane.shape[i]]) { pick({ lane: number, event: i }, true); return; }
    }
  });

  // --- list of one lane's events ----------------------------------------------------------------------------------------------------------
  const list = document.getElementById("list"), rows = document.getElementById("rows"), choice = document.getElementById("choice");
  const height = () => Math.max(1, lanes[picked.lane].count) * ROW;
  const scale = () => Math.max(1, (height() - list.clientHeight) / (Math.min(height(), SCROLL_MAX) - list.clientHeight));
  function fill() {
    const lane = lanes[picked.lane], top = list.scrollTop * scale(), from = Math.floor(top / ROW), shown = Math.ceil(list.clientHeight / ROW) + 1;
    rows.replaceChildren();
    for (let i = from; i < Math.min(lane.count, from + shown); i++) {
      const row = document.createElement("div"), shape = lane.shape[i];
      const cells = [lane.seq[i], duration(lane.start[i] - whole[0]), lane.pending[i] ? "no return" : duration(lane.end[i] - lane.start[i]), 
                     shapeText[shape] + (lane.more[i] ? ` x ${(lane.more[i] + 1).toLocaleString("en")}` : ""), shapeSite[shape]];
      row.append(...cells.map((cell, k) => {
        const span = document.createElement("span");
        span.textContent = cell;
        span.className = k < 3 ? "number" : "";
        return span;
      }));
      row.className = `${shapeInner[shape] ? "inner" : ""} ${i === picked.event ? "picked" : ""}`;
      row.addEventListener("click", () => pick({ lane: picked.lane, event: i }, false));
      rows.append(row);
    }
    rows.style.marginTop = `${-(top % ROW)}px`;
  }
  function pick(found, scroll) {
    picked = found;
    choice.value = String(found.lane);
    document.getElementById("list_space").style.height = `${Math.max(0, Math.min(height(), SCROLL_MAX) - list.clientHeight)}px`;
    if (found.event >= 0) {
      const lane = lanes[found.lane], start = lane.start[found.event], end = lane.end[found.event], span = view[1] - view[0];
      if (scroll) list.scrollTop = Math.max(0, found.event * ROW - list.clientHeight / 2) / scale();
      if (start < view[0] || end > view[1] || (end - start) / span < .002) {
        const room = Math.max((end - start) * 6, Math.min(span, (whole[1] - whole[0]) / 50));
        look((start + end - room) / 2, (start + end + room) / 2);
      }
      const y = found.lane * LANE;
      if (y < box.scrollTop || y + LANE + RULER > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
    }
    tie();
    fill();
    redraw();
  }
  // From a finding to its call, and back.
  function tie() {
    const tied = document.getElementById("tied"), lane = lanes[picked.lane];
    const article = picked.event >= 0 ? found.get(`${lane.rank}:${lane.seq[picked.event]}`) : null;
    tied.replaceChildren();
    if (!article) return;
    const link = document.createElement("a");
    link.href = `#${article.id}`;
    link.textContent = article.querySelector("h3").textContent;
    tied.append("The call is part of: ", link);
  }
  // "#call-3-17": the 17th event of rank 3.
  function follow() {
    const parts = /^#call-(\d+)-(\d+)$/.exec(location.hash), rank = parts && Number(parts[1]), seq = parts && Number(parts[2]);
    for (let number = 0; parts && number < lanes.length; number++) {
      const lane = lanes[number], i = lane.rank === rank ? lower(lane.seq, seq) : -1;
      if (i < 0 || lane.seq[i] !== seq) continue;
      pick({ lane: number, event: i }, true);
      document.getElementById("timeline").scrollIntoView();
      return;
    }
  }
  window.addEventListener("hashchange", follow);
  choice.append(...lanes.map((lane, i) => new Option(`${lane.label} (${lane.count.toLocaleString("en")})`, String(i))));
  choice.addEventListener("change", () => { list.scrollTop = 0; pick({ lane: Number(choice.value), event: -1 }, false); });
  list.addEventListener("scroll", fill);

  // --- who sent how much to whom -----------------------------------------------------------------------------------------------------------
  const sheet = document.getElementById("matrix"), state = document.getElementById("matrix_state"), inside = document.getElementById("matrix_inner");
  const side = Math.min(head.ranks, 256), AXIS = 46, size = Math.max(2, Math.min(56, Math.floor(640 / side)));
  const cell = (rank) => Math.floor(rank * side / head.ranks);
  const brief = (n) => n < 1000 ? `${n}` : n < 1e6 ? `${+(n / 1e3).toPrecision(3)}k` : n < 1e9 ? `${+(n / 1e6).toPrecision(3)}M` : `${+(n / 1e9).toPrecision(3)}G`;
  let sums, counts;
  function matrix() {
    sums = new Float64Array(side * side);
    counts = new Float64Array(side * side);
    for (let i = 0; i < messages.count; i++) {
      if (messages.inner[i] && !inside.checked) continue;
      const k = cell(messages.source[i]) * side + cell(messages.dest[i]);
      sums[k] += messages.bytes[i];
      counts[k]++;
    }
    const most = sums.reduce((a, b) => Math.max(a, b), 0), paint = sheet.getContext("2d"), step = Math.ceil(26 / size);
    sheet.width = sheet.height = side * size + AXIS;
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
      const share = most ? Math.log1p(sums[k]) / Math.log1p(most) : 0, x = AXIS + (k % side) * size, y = AXIS + Math.floor(k / side) * size;
      paint.fillStyle = `hsl(215 70% ${88 - 53 * share}%)`;
      paint.fillRect(x, y, size, size);
      if (size < 34) continue;
      paint.fillStyle = share > .6 ? "#ffffff" : "#1c1e21";
      paint.fillText(brief(sums[k]), x + size / 2, y + size / 2);
    }
    sheet.hidden = !counts.some((count) => count);
    state.textContent = sheet.hidden ? "There are none." : "";
  }
  inside.addEventListener("change", matrix);
  inside.parentElement.hidden = !messages.inner.includes(1);
  sheet.addEventListener("pointermove", (event) => {
    const source = Math.floor((event.offsetY - AXIS) / size), dest = Math.floor((event.offsetX - AXIS) / size), k = source * side + dest;
    const name = (number) => side === head.ranks ? `rank ${number}` : `ranks from ${Math.ceil(number * head.ranks / side)} on`;
    state.textContent = source < 0 || dest < 0 || source >= side || dest >= side ? ""
      : `${name(source)} to ${name(dest)}: ${counts[k].toLocaleString("en")} messages, ${sums[k].toLocaleString("en")} bytes`;
  });

  draw();
  pick({ lane: 0, event: -1 }, false);
  matrix();
  follow();
  document.body.dataset.events = events;
  document.body.dataset.messages = messages.count;
  document.body.dataset.ready = Math.round(performance.now());
})();
