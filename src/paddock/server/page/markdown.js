// Markdown in the part that exercises use: headings, lists, tables, code, emphasis. The text is foreign: it becomes text
// nodes of elements made here and never HTML; a link is shown as text with its address, a picture as its description.

import { make } from "./dom.js";

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const INLINE = /(`+)(.+?)\1|!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)|(\*\*|__)(?=\S)(.+?)\5|(\*|\b_)(?=\S)(.+?)\7|\\([^\w\s])/;

/** The elements of a text. */
export function renderMarkdown(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = document.createDocumentFragment();
  while (lines.length) {
    const block = takeBlock(lines);
    if (block) blocks.append(block);
  }
  return blocks;
}

/** Take the first block off the lines; null for an empty line. */
function takeBlock(lines) {
  const first = lines[0];
  if (!first.trim()) return lines.shift() && null;
  if (FENCE.test(first)) return takeCode(lines);
  if (RULE.test(first)) return lines.shift() && make("hr");
  const heading = HEADING.exec(first);
  if (heading) {
    lines.shift();
    return make(`h${Math.min(6, heading[1].length + 2)}`, "", { dir: "auto" }, ...inline(heading[2])); // below the panel's own
  }
  if (ITEM.test(first)) return takeList(lines);
  if (first.includes("|") && TABLE_RULE.test(lines[1] ?? "") && lines[1].includes("-")) return takeTable(lines);
  if (/^\s*>/.test(first)) {
    const quoted = takeWhile(lines, (line) => /^\s*>/.test(line)).map((line) => line.replace(/^\s*> ?/, ""));
    return make("blockquote", "", {}, renderMarkdown(quoted.join("\n")));
  }
  const isPlain = (line, i) => i === 0 || (line.trim() && !(FENCE.test(line) || HEADING.test(line) || ITEM.test(line)));
  return make("p", "", { dir: "auto" }, ...inline(takeWhile(lines, isPlain).map((line) => line.trim()).join(" ")));
}

function takeCode(lines) {
  const fence = FENCE.exec(lines.shift())[1];
  const code = takeWhile(lines, (line) => !line.trim().startsWith(fence));
  lines.shift(); // its end
  return make("pre", "", { tabIndex: 0 }, make("code", "", { textContent: code.join("\n") }));
}

/** A list; what is indented below an entry belongs to it. */
function takeList(lines) {
  const [, indent, bullet] = ITEM.exec(lines[0]);
  const isNumbered = /\d/.test(bullet);
  const list = make(isNumbered ? "ol" : "ul", "", isNumbered ? { start: parseInt(bullet, 10) } : {});
  for (let item; (item = ITEM.exec(lines[0] ?? "")) && item[1].length === indent.length && /\d/.test(item[2]) === isNumbered; ) {
    lines.shift();
    const belongs = (line) => (line.startsWith(`${indent} `) && line.trim()) || (line.trim() && !ITEM.test(line) && !HEADING.test(line) && !FENCE.test(line));
    const rest = takeWhile(lines, belongs);
    const isText = (line) => !ITEM.test(line) && !FENCE.test(line);
    const words = takeWhile(rest, isText).map((line) => line.trim());
    const below = rest.map((line) => line.replace(new RegExp(`^\\s{0,${indent.length + bullet.length + 1}}`), ""));
    list.append(make("li", "", { dir: "auto" }, ...inline([item[3], ...words].join(" ")), renderMarkdown(below.join("\n"))));
    while (lines.length > 1 && !lines[0].trim() && ITEM.test(lines[1])) lines.shift();
  }
  return list;
}

function takeTable(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const row = (line, tag) => make("tr", "", {}, ...cells(line).map((cell) => make(tag, "", { dir: "auto" }, ...inline(cell))));
  const head = row(lines.shift(), "th");
  lines.shift();
  const rows = takeWhile(lines, (line) => line.includes("|")).map((line) => row(line, "td"));
  return make("table", "", {}, make("thead", "", {}, head), make("tbody", "", {}, ...rows));
}

/** Emphasis, code and links within a line. */
function inline(text) {
  const parts = [];
  for (let found; (found = INLINE.exec(text)); text = text.slice(found.index + found[0].length)) {
    const [, tick, code, label, address, strong, strongText, , emphasis, escaped] = found;
    parts.push(text.slice(0, found.index));
    if (tick) parts.push(make("code", "", { textContent: code.trim() }));
    else if (label !== undefined) parts.push(...inline(label), address && !found[0].startsWith("!") && address !== label ? ` (${address})` : "");
    else if (strong) parts.push(make("strong", "", {}, ...inline(strongText)));
    else if (emphasis) parts.push(make("em", "", {}, ...inline(emphasis)));
    else parts.push(escaped);
  }
  return [...parts, text].filter((part) => part !== "");
}

/** Take lines off the front as long as they fit. */
function takeWhile(lines, fits) {
  let count = 0;
  while (count < lines.length && fits(lines[count], count)) count += 1;
  return lines.splice(0, count);
}
