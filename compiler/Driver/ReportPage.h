// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a report on a compile. Its data stands between the two parts; the script draws it, and asks no
// network.

#ifndef WEFT_COMPILER_DRIVER_REPORTPAGE_H
#define WEFT_COMPILER_DRIVER_REPORTPAGE_H

namespace weft {

inline constexpr char reportPageBeforeData[] = R"html(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft report</title>
<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 25%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
p, ul { max-width: 50rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .9rem .15rem 0; text-align: right; white-space: nowrap; vertical-align: top; }
th:first-child, td:first-child, .text { text-align: left; }
.text { white-space: normal; min-width: 10rem; }
td:first-child.text { min-width: 6rem; }
th { font-weight: 600; border-bottom: 1px solid var(--line); }
i { display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: 2px; }
.bar { width: min(20rem, 25vw); min-width: 0; } .bar i { margin: 0; min-width: 1px; background: hsl(215 60% 55%); }
svg { width: 100%; height: auto; display: block; }
svg text { font-size: 12px; fill: currentColor; }
.axis { stroke: var(--line); } .roof { stroke: currentColor; stroke-width: 1.5; }
#dims { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; max-height: 30vh; overflow-y: auto; padding: .5rem 0; position: sticky; top: 0; background: Canvas; }
#dims:empty { display: none; }
#dims input { font: inherit; width: 7rem; margin-left: .3rem; } #dims input:invalid { outline: 2px solid hsl(0 70% 55%); }
#detail { min-height: 3em; }
select { font: inherit; max-width: 100%; }
#legend span { display: inline-block; margin-right: 1.2rem; }
summary { cursor: pointer; }
details > div { max-height: 24rem; overflow-y: auto; }
.scroll { overflow-x: auto; }
</style>
<h1 id="title"></h1>
<p id="summary"></p>
<p id="choice" hidden><label>program <select id="program"></select></label></p>
<div id="dims"></div>
<div class="scroll"><table id="signature"></table></div>
<h2>Memory over time</h2>
<svg id="memory" viewBox="0 0 1200 440" role="img" aria-label="buffers of the arena by step and address"></svg>
<p id="legend"></p>
<p id="detail"></p>
<details><summary>The arena's size as a formula</summary><div><code id="formula"></code></div></details>
<h2>Weights by layer</h2>
<div class="scroll"><table id="weights"></table></div>
<h2>Fusion</h2>
<p id="attention"></p>
<ul id="declined"></ul>
<p>Each kernel by what its steps hold of the model: operators of the first one, and nodes of all of them; of a norm, a GELU
or an attention that was recognised in several nodes, those that it is named for. Operations are those of matrix products, bytes what
a step has to read and write at least once.</p>
<div class="scroll"><table id="kernels"></table></div>
<h2>Steps</h2>
<details><summary id="count"></summary><div><table id="steps"></table></div></details>
<h2>Compile time</h2>
<div class="scroll"><table id="levels"></table></div>
<script id="data" type="application/json">)html";

inline constexpr char reportPageBehindData[] = R"html(</script>
<script type="module">
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const sum = values => values.reduce((a, b) => a + b, 0);
const most = values => values.reduce((a, b) => b > a ? b : a, 0);
const time = seconds => seconds < 1 ? (seconds * 1e3).toPrecision(3) + "\u00a0ms" : seconds.toFixed(2) + "\u00a0s";
const scaled = (value, units) => {
  if (!Number.isFinite(value)) return "–";
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3));
  return (power ? (value / 1e3 ** power).toFixed(power > 2 ? 2 : 1) : value) + (units[power] && "\u00a0" + units[power]);
};
const size = bytes => scaled(bytes, ["B", "KB", "MB", "GB", "TB"]);
const count = value => value === 0 ? "" : scaled(value, ["", "K", "M", "G", "T"]);
const plural = (n, what) => `${n} ${what}${n == 1 ? "" : "s"}`;
const part = (value, whole) => ((whole ? value / whole : 0) * 100).toFixed(1) + " %";
const names = step => step.nodes.map(([name]) => name).filter(name => name).join(" + ");
const operators = step => step.nodes.map(([, operator]) => operator.replace(/-[^-]*$/, "")).filter(type => type).join(" + ");
function add(parent, tag, attributes = {}, text = "") {
  const isDrawing = parent.namespaceURI.endsWith("svg");
  const made = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== "") made.textContent = text;
  return parent.appendChild(made);
}

// Sizes are postfix programs: constants, dims, and operations on the two values before them.
const mod = (a, b) => (a % b + b) % b; // of zero: not a number, as all that is made of it
const operations = {
  add: (a, b) => a + b, mul: (a, b) => a * b, mod, floordiv: (a, b) => (a - mod(a, b)) / b,
  min: Math.min, max: Math.max, broadcast: (a, b) => a === 1 ? b : a,
};
const dims = new Map(); // as chosen, by name
function value(expression) {
  const stack = [];
  for (const item of expression) {
    if (typeof item === "string") {
      const b = stack.pop(), a = stack.pop();
      stack.push(operations[item](a, b));
    } else stack.push(typeof item === "number" ? item : dims.get(item.dim) ?? NaN);
  }
  return stack.pop();
}

const row = (table, cells, classes = [], tag = "td") => {
  const made = add(table, "tr");
  cells.forEach((cell, i) => add(made, tag, classes[i] ? {class: classes[i]} : {}, cell));
  return made;
};
function bars(table, titles, lines) { // a line: what, its size, and what stands beside them
  table.replaceChildren();
  const classes = ["text", ...titles.slice(1).map(() => ""), "bar text"], largest = most(lines.map(line => line[1]));
  if (lines.length) row(table, [...titles, ""], classes, "th");
  else row(table, ["none"]);
  for (const [what, size, ...cells] of lines) {
    const made = row(table, [what, ...cells, ""], classes);
    add(made.lastChild, "i", {style: `width: ${largest ? size / largest * 100 : 0}%`});
  }
}

// "layers.0" of "layers.0.attention.weight" and of the node "/layers.0/attention/MatMul"
const layerOf = parts => parts.slice(0, parts.findIndex(part => /\d/.test(part)) + 1 || 1).join(".");
const partsOf = name => name.split(/[./]/).filter(part => part);
function layerOfWeight(weight, steps) {
  if (weight.name && !/::|^[^./]*\d$/.test(weight.name)) return layerOf(partsOf(weight.name)); // not a name that an exporter made
  const node = weight.steps.map(step => steps[step]?.nodes[0]?.[0]).find(name => name);
  return node ? layerOf(partsOf(node).slice(0, -1)) || "no layer" : weight.name || "no layer"; // a node's last part is its own
}

let program, colors;
const color = step => colors.get(program.steps[step]?.kernel) ?? "gray";
const hint = "A buffer is as wide as its steps, and as high as its bytes. Point at one to see what it is.";

function drawMemory() {
  const plot = $("memory"), arena = value(program.arena);
  plot.replaceChildren();
  $("detail").textContent = program.buffers.length ? hint : "Nothing lies in the arena.";
  plot.style.display = program.buffers.length ? "" : "none";
  const buffers = program.buffers.map(buffer => ({...buffer, at: value(buffer.offset), size: value(buffer.bytes)}));
  const drawn = buffers.filter(buffer => Number.isFinite(buffer.at + buffer.size));
  const end = most([1, program.steps.length, ...drawn.map(buffer => buffer.last + 1)]);
  const top = most([1, Number.isFinite(arena) ? arena : 0, ...drawn.map(buffer => buffer.at + buffer.size)]);
  const x = step => 80 + step / end * 1110, y = address => 395 - address / top * 370;
  const ticks = (limit, wanted) => {
    const base = 10 ** Math.floor(Math.log10(limit / wanted));
    const each = Math.max(1, [1, 2, 5, 10].find(factor => limit / (base * factor) <= wanted) * base);
    return Array.from({length: Math.floor(limit / each + 1e-9) + 1}, (_, i) => i * each);
  };
  for (const address of ticks(top, 7)) {
    add(plot, "line", {class: "axis", x1: 80, x2: 1190, y1: y(address), y2: y(address)});
    add(plot, "text", {x: 72, y: y(address) + 4, "text-anchor": "end"}, size(address));
  }
  for (const step of ticks(end - 1, 15))
    add(plot, "text", {x: (x(step) + x(step + 1)) / 2, y: 411, "text-anchor": "middle"}, step);
  add(plot, "text", {x: 635, y: 432, "text-anchor": "middle"}, "step");
  for (const buffer of drawn) {
    const width = x(buffer.last + 1) - x(buffer.first), height = Math.max(1, buffer.size / top * 370);
    const steps = buffer.first === buffer.last ? `step ${buffer.first}` : `steps ${buffer.first} to ${buffer.last}`;
    const text = `${buffer.node || "(no node)"}: ${size(buffer.size)} at ${size(buffer.at)}, in ${steps}; written by ${program.steps[buffer.first]?.kernel}`;
    const box = add(plot, "rect", {x: x(buffer.first), y: y(buffer.at) - height, width, height, fill: color(buffer.first),
      ...(Math.min(width, height) > 3 ? {stroke: "Canvas", "stroke-width": 1} : {})});
    add(box, "title", {}, text);
    box.addEventListener("pointerenter", () => $("detail").textContent = text);
  }
  if (Number.isFinite(arena) && drawn.length) {
    add(plot, "line", {class: "roof", x1: 80, x2: 1190, y1: y(arena), y2: y(arena)});
    add(plot, "text", {x: 1190, y: y(arena) - 6, "text-anchor": "end"}, `arena ${size(arena)}`);
  }
}

const opened = new Set(); // kernels whose nodes are shown
function drawKernels(steps) {
  const kernels = new Map();
  for (const step of steps) {
    const kernel = kernels.get(step.kernel) ?? {name: step.kernel, steps: [], flops: 0, bytes: 0, holds: new Set()};
    kernel.steps.push(step);
    for (const what of ["flops", "bytes"]) kernel[what] += step[what];
    if (step.nodes.length) kernel.holds.add(operators(step));
    kernels.set(step.kernel, kernel);
  }
  const table = $("kernels"), classes = ["text", "", "", "", "", "text"];
  table.replaceChildren();
  if (kernels.size) row(table, ["kernel", "steps", "operations", "bytes", "operations for a byte", "holds"], classes, "th");
  for (const kernel of [...kernels.values()].sort((a, b) => (b.flops || 0) - (a.flops || 0) || (b.bytes || 0) - (a.bytes || 0))) {
    const ratio = kernel.flops === 0 ? "" : kernel.bytes > 0 && kernel.flops > 0 ? String(+(kernel.flops / kernel.bytes).toPrecision(3)) : "–";
    const made = row(table, ["", kernel.steps.length, count(kernel.flops), size(kernel.bytes), ratio, ""], classes);
    add(made.firstChild, "i", {style: `background: ${colors.get(kernel.name)}`});
    made.firstChild.append(kernel.name);
    const [first] = kernel.holds, others = kernel.holds.size - 1;
    if (first === undefined) continue;
    const details = add(made.lastChild, "details", opened.has(kernel.name) ? {open: ""} : {});
    add(details, "summary", {}, (first || "(no operator)") + (others > 0 ? `; ${plural(others, "other form")}` : ""));
    const list = add(details, "div");
    for (const step of kernel.steps) if (step.nodes.length) add(list, "div", {}, `${step.number}: ${names(step)}`);
    details.addEventListener("toggle", () => opened[details.open ? "add" : "delete"](kernel.name));
  }
}

function draw() { // all that depends on dims
  const chosen = program.dims.map(dim => `${dim.name} ${dims.get(dim.name)}`).join(", ");
  const parts = sum(data.programs.map(program => program.steps.length)), kinds = new Set(data.programs.flatMap(program => program.steps.map(step => step.kernel))).size;
  const types = ["precision", "weights"].filter(what => data[what] && data[what] !== "f32").map(what => `, ${what} ${data[what]}`).join("");
  $("summary").textContent = `${data.operations === null ? "There are" : plural(data.operations, "operation") + " became"} ${plural(parts, "step")} of ${plural(kinds, "kernel")}` +
    (data.attentions ? `, ${data.attentions} of which are attentions` : "") +
    `. Code ${size(data.code_bytes)}, weights ${size(data.weights_bytes)}, arena ${size(value(program.arena))}${chosen ? " at " + chosen : ""}. ` +
    `Compiled${data.machines.length ? " for " + data.machines.join(", ") : ""} by ${data.producer} in ${time(sum(data.seconds.map(level => level[1])))}${types}.`;
  const steps = program.steps.map((step, number) => ({...step, number, flops: value(step.flops), bytes: value(step.bytes)}));
  drawMemory();
  drawKernels(steps);
  $("steps").replaceChildren();
  row($("steps"), ["step", "kernel", "nodes", "operations", "bytes"], ["", "text", "text"], "th");
  for (const step of steps) row($("steps"), [step.number, step.kernel, names(step) + (step.note ? ` (${step.note})` : ""), count(step.flops), size(step.bytes)], ["", "text", "text"]);
}

function show(shown) { // what is the same at all dims
  program = shown;
  colors = new Map();
  for (const {kernel} of program.steps)
    if (!colors.has(kernel)) colors.set(kernel, `hsl(${(colors.size * 137.5) % 360} 60% ${colors.size % 2 ? 45 : 58}%)`);
  $("dims").replaceChildren();
  for (const {name, low, high, start} of program.dims) {
    const min = low ?? 0;
    dims.set(name, Math.min(high ?? Infinity, Math.max(min, dims.get(name) ?? start)));
    const input = add(add($("dims"), "label", {}, name), "input", {type: "number", required: "", step: 1, min, ...(high === null ? {} : {max: high}), value: dims.get(name),
      title: high === null ? `at least ${min}` : `from ${min} to ${high}`});
    input.addEventListener("input", () => {
      if (!input.validity.valid) return;
      dims.set(name, input.valueAsNumber);
      draw();
    });
  }
  $("signature").replaceChildren();
  for (const [what, values] of [["input", program.inputs], ["output", program.outputs], ["state", program.states]])
    for (const [name, type] of values) row($("signature"), [what, name, type], ["", "text", "text"]);
  $("legend").replaceChildren();
  for (const kernel of new Set(program.buffers.map(buffer => program.steps[buffer.first]?.kernel).filter(kernel => kernel !== undefined))) {
    const entry = add($("legend"), "span");
    add(entry, "i", {style: `background: ${colors.get(kernel)}`});
    entry.append(kernel);
  }
  $("formula").textContent = program.arena_formula;
  const layers = new Map(), total = sum(program.weights.map(weight => weight.bytes));
  const firstUse = weight => Math.min(...weight.steps);
  for (const weight of [...program.weights].sort((a, b) => firstUse(a) < firstUse(b) ? -1 : firstUse(a) > firstUse(b) ? 1 : 0)) {
    const name = layerOfWeight(weight, program.steps), layer = layers.get(name) ?? {name, bytes: 0, count: 0};
    layer.bytes += weight.bytes;
    layer.count += 1;
    layers.set(name, layer);
  }
  bars($("weights"), ["layer", "weights", "bytes", "share"], [...layers.values()].map(layer => [layer.name, layer.bytes, layer.count, size(layer.bytes), part(layer.bytes, total)]));
  $("count").textContent = `${plural(program.steps.length, "step")} in the order of a run`;
  draw();
}

document.title = `${data.model} - Weft report`;
$("title").textContent = data.model;
$("attention").textContent = data.attentions === null ? "" : `Attentions that were given or fused: ${data.attentions}.`;
if (data.declined.length) $("attention").textContent += " These softmaxes are part of none:";
for (const {node, why} of data.declined) add($("declined"), "li", {}, `${node || "(no node)"}: ${why}`);
const seconds = sum(data.seconds.map(level => level[1]));
bars($("levels"), ["level", "time", "share"], data.seconds.map(([level, took]) => [level, took, time(took), part(took, seconds)]));
$("choice").hidden = data.programs.length < 2;
data.programs.forEach((program, i) => add($("program"), "option", {value: i}, program.name));
$("program").addEventListener("change", () => show(data.programs[$("program").value]));
if (data.programs.length) show(data.programs[0]);
</script>
</html>
)html";

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_REPORTPAGE_H
