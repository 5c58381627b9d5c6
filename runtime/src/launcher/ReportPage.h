// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a report. Its data stands between the two parts; the script draws it, and asks no network.

#ifndef WEFT_RUNTIME_LAUNCHER_REPORTPAGE_H
#define WEFT_RUNTIME_LAUNCHER_REPORTPAGE_H

namespace weft::runtime {

inline constexpr char reportPageBeforeData[] = R"html(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft report</title>
<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 25%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
p { max-width: 50rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .9rem .15rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { font-weight: 600; border-bottom: 1px solid var(--line); }
i { display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: 2px; }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 12px; fill: currentColor; }
.axis { stroke: var(--line); } .roof { stroke: currentColor; fill: none; stroke-width: 1.5; }
#detail { min-height: 3em; }
.scroll { overflow-x: auto; }
</style>
<h1 id="title"></h1>
<p id="summary"></p>
<h2>Steps in the order of a run</h2>
<svg id="timeline" viewBox="0 0 1200 70" preserveAspectRatio="none" style="height: 70px" role="img" aria-label="steps by time"></svg>
<p id="detail">A step is as wide as it takes time. Point at one to see what it is.</p>
<h2>Kernels</h2>
<div class="scroll"><table id="kernels"></table></div>
<h2>Roofline</h2>
<p>Each kernel by how many operations it does for a byte that it has to move, and how many a second. The line is what this
machine did beside the runs: reads of memory on the left, f32 multiply-adds on the right. Above it are kernels whose bytes
lie in caches, or which multiply in fewer bits. A circle's area is the kernel's time.</p>
<svg id="roofline" viewBox="0 0 1000 460" role="img" aria-label="roofline"></svg>
<script id="data" type="application/json">)html";

inline constexpr char reportPageBehindData[] = R"html(</script>
<script type="module">
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const sum = values => values.reduce((a, b) => a + b, 0);
const median = values => { const v = [...values].sort((a, b) => a - b), n = v.length; return n ? (v[(n - 1) >> 1] + v[n >> 1]) / 2 : 0; };
const ms = seconds => (seconds * 1e3).toPrecision(4) + " ms";
const size = bytes => bytes >= 1e9 ? (bytes / 1e9).toFixed(2) + " GB" : bytes >= 1e6 ? (bytes / 1e6).toFixed(1) + " MB" : (bytes / 1e3).toFixed(1) + " KB";
const rate = (work, seconds) => work > 0 && seconds > 0 ? work / seconds : 0;
const inGiga = value => value ? (value / 1e9).toFixed(1) : "";
const part = (value, most) => value && most ? (value / most * 100).toFixed(0) + " %" : "";
function add(parent, tag, attributes = {}, text = "") {
  const isDrawing = parent.namespaceURI.endsWith("svg");
  const made = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return parent.appendChild(made);
}

const total = sum(data.steps.map(step => step.seconds));
const byName = new Map();
for (const step of data.steps) {
  const kernel = byName.get(step.kernel) ?? {name: step.kernel, steps: 0, seconds: 0, flops: 0, bytes: 0};
  kernel.steps += 1;
  for (const what of ["seconds", "flops", "bytes"]) kernel[what] += step[what];
  byName.set(step.kernel, kernel);
}
const kernels = [...byName.values()].sort((a, b) => b.seconds - a.seconds);
kernels.forEach((kernel, i) => kernel.color = `hsl(${(i * 137.5) % 360} 60% ${i % 2 ? 45 : 58}%)`);
const peak = data.machine_flops_per_second, memory = data.machine_bytes_per_second;

document.title = `${data.model} - Weft report`;
$("title").textContent = data.model;
const whole = data.run_seconds.length ? `A run takes ${ms(median(data.run_seconds))} (median of ${data.run_seconds.length}); its` : "The";
$("summary").textContent = `${whole} ${data.steps.length} steps of ${kernels.length} kernels take ${ms(total)} on ` +
  `${data.device ?? `${data.threads} thread${data.threads == 1 ? "" : "s"}`}. Weights ${size(data.weights_bytes)}, code ${size(data.code_bytes)}, arena ${size(data.arena_bytes)}; ` +
  `code for ${data.isa} by ${data.producer}. ` +
  (data.device ? `It, beside the runs: ${inGiga(memory)} GB/s read and written by copies.`
               : `The machine, beside the runs: ${inGiga(peak)} GFLOP/s of f32 multiply-adds, ${inGiga(memory)} GB/s read from memory.`);

let at = 0;
for (const step of data.steps) {
  const width = total ? step.seconds / total * 1200 : 0, kernel = byName.get(step.kernel);
  const bar = add($("timeline"), "rect", {x: at, y: 0, width, height: 70, fill: kernel.color});
  const text = `${step.kernel}: ${step.node} - ${ms(step.seconds)}, ${part(step.seconds, total)} of the run` +
    (step.flops ? `, ${inGiga(rate(step.flops, step.seconds))} GFLOP/s` : "") +
    (step.bytes ? `, ${inGiga(rate(step.bytes, step.seconds))} GB/s` : "");
  add(bar, "title", {}, text);
  bar.addEventListener("pointerenter", () => $("detail").textContent = text);
  at += width;
}

const head = add($("kernels"), "tr");
for (const title of ["kernel", "steps", "time", "share", "GFLOP/s", "of peak", "GB/s", "of memory"]) add(head, "th", {}, title);
for (const kernel of kernels) {
  const row = add($("kernels"), "tr"), flops = rate(kernel.flops, kernel.seconds), bytes = rate(kernel.bytes, kernel.seconds);
  const name = add(row, "td");
  add(name, "i", {style: `background: ${kernel.color}`});
  name.append(kernel.name);
  for (const cell of [kernel.steps, ms(kernel.seconds), (total ? kernel.seconds / total * 100 : 0).toFixed(1) + " %", inGiga(flops), part(flops, peak), inGiga(bytes), part(bytes, memory)])
    add(row, "td", {}, cell);
}

const drawn = kernels.filter(kernel => kernel.flops > 0 && kernel.bytes > 0 && kernel.seconds > 0);
const intensity = kernel => kernel.flops / kernel.bytes, speed = kernel => kernel.flops / kernel.seconds;
const ridge = peak && memory ? peak / memory : 1;
const decade = Math.log10;
const low = Math.floor(decade(Math.min(ridge / 10, ...drawn.map(intensity)))), high = Math.ceil(decade(Math.max(ridge * 10, ...drawn.map(intensity))));
const top = Math.ceil(decade(Math.max(peak || 1e9, ...drawn.map(speed)))), bottom = Math.floor(decade(Math.min((peak || 1e9) / 100, ...drawn.map(speed))));
const x = value => 70 + (decade(value) - low) / (high - low) * 900, y = value => 410 - (decade(value) - bottom) / (top - bottom) * 390;
const plot = $("roofline");
for (let power = low; power <= high; ++power) {
  add(plot, "line", {class: "axis", x1: x(10 ** power), x2: x(10 ** power), y1: 20, y2: 410});
  add(plot, "text", {x: x(10 ** power), y: 428, "text-anchor": "middle"}, String(+(10 ** power).toPrecision(1)));
}
for (let power = bottom; power <= top; ++power) {
  add(plot, "line", {class: "axis", x1: 70, x2: 970, y1: y(10 ** power), y2: y(10 ** power)});
  add(plot, "text", {x: 62, y: y(10 ** power) + 4, "text-anchor": "end"}, String(+(10 ** (power - 9)).toPrecision(1)));
}
add(plot, "text", {x: 520, y: 450, "text-anchor": "middle"}, "operations for a byte");
add(plot, "text", {x: 16, y: 215, "text-anchor": "middle", transform: "rotate(-90 16 215)"}, "GFLOP/s");
if (peak && memory) {
  const first = Math.max(10 ** low, 10 ** bottom / memory);
  add(plot, "polyline", {class: "roof", points: `${x(first)},${y(first * memory)} ${x(ridge)},${y(peak)} ${x(10 ** high)},${y(peak)}`});
}
const named = [];
for (const kernel of drawn) {
  const radius = Math.max(4, Math.sqrt(kernel.seconds / total) * 34), cx = x(intensity(kernel)), cy = y(speed(kernel));
  const dot = add(plot, "circle", {cx, cy, r: radius, fill: kernel.color, "fill-opacity": .75});
  add(dot, "title", {}, `${kernel.name}: ${inGiga(speed(kernel))} GFLOP/s, ${intensity(kernel).toPrecision(3)} operations for a byte, ${ms(kernel.seconds)}`);
  const place = {x: cx + radius + 5, y: cy + 4}; // those that take the longest are named first
  if (named.every(other => Math.abs(other.y - place.y) > 13 || Math.abs(other.x - place.x) > 110)) {
    add(plot, "text", place, kernel.name);
    named.push(place);
  }
}
</script>
</html>
)html";

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_REPORTPAGE_H
