// The subset of Markdown for exercises: headings, lists, tables, code, emphasis. The text is untrusted: it becomes text
// nodes, never HTML; a link is shown as text with its address, a picture as its description.

import { make } from "./dom.js";

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const INLINE = new RegExp(
  [
    /(`+)(.+?)\1/, // code
    /!?\[([^\]]*)\]\(((?:[^()\s]|\([^()\s]*\))*)[^)]*\)/, // a link or a picture
    /(\*\*|__)(?=\S)(.+?)\5/, // strong
    /(\*|\b_)(?=\S)(.+?)\7/, // emphasis
    /\\([^\w\s])/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** Render a text as elements. */
export function renderMarkdown(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = document.createDocumentFragment();
  while (lines.length) {
    const block = takeBlock(lines);
    if (block) blocks.append(block);
  }
  return blocks;
}

/** Remove and render the first block; null for an empty line. */
function takeBlock(lines) {
  const first = lines[0];
  if (!first.trim()) return lines.shift() && null;
  if (FENCE.test(first)) return takeCode(lines);
  if (RULE.test(first)) return lines.shift() && make("hr");
  const heading = HEADING.exec(first);
  if (heading) {
    lines.shift();
    const level = Math.min(6, heading[1].length + 2); // below the panel's own headings
    return make(`h${level}`, "", { dir: "auto" }, ...inline(heading[2]));
  }
  if (ITEM.test(first)) return takeList(lines);
  if (first.includes("|") && TABLE_RULE.test(lines[1] ?? "") && lines[1].includes("-")) return takeTable(lines);
  if (/^\s*>/.test(first)) {
    const quoted = takeWhile(lines, (line) => /^\s*>/.test(line)).map((line) => line.replace(/^\s*> ?/, ""));
    return make("blockquote", "", {}, renderMarkdown(quoted.join("\n")));
  }
  const words = takeWhile(lines, (line, i) => i === 0 || isPlain(line));
  return make("p", "", { dir: "auto" }, ...inline(words.map((line) => line.trim()).join(" ")));
}

/** Whether a line continues a paragraph. */
function isPlain(line) {
  return line.trim() && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line);
}

function takeCode(lines) {
  const fence = FENCE.exec(lines.shift())[1];
  const code = takeWhile(lines, (line) => !line.trim().startsWith(fence));
  lines.shift(); // the closing fence
  return make("pre", "", { tabIndex: 0 }, make("code", "", { textContent: code.join("\n") }));
}

/** Render a list; indented lines below an entry belong to it. */
function takeList(lines) {
  const [, indent, bullet] = ITEM.exec(lines[0]);
  const isNumbered = /\d/.test(bullet);
  const list = make(isNumbered ? "ol" : "ul", "", isNumbered ? { start: parseInt(bullet, 10) } : {});
  const isBelow = (line) => line.startsWith(`${indent} `) && line.trim();
  const isNext = (item) => item && item[1].length === indent.length && /\d/.test(item[2]) === isNumbered;
  for (let item; isNext((item = ITEM.exec(lines[0] ?? ""))); ) {
    lines.shift();
    const rest = takeWhile(lines, (line, i) => {
      if (!line.trim()) return isBelow(lines[i + 1] ?? "");
      return isBelow(line) || (isPlain(line) && (i === 0 || lines[i - 1].trim()));
    });
    const words = takeWhile(rest, isPlain).map((line) => line.trim());
    const below = rest.map((line) => line.replace(new RegExp(`^\\s{0,${indent.length + bullet.length + 1}}`), ""));
    const text = inline([item[3], ...words].join(" "));
    list.append(make("li", "", { dir: "auto" }, ...text, renderMarkdown(below.join("\n"))));
    while (lines.length > 1 && !lines[0].trim() && ITEM.test(lines[1])) lines.shift();
  }
  return list;
}

function takeTable(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const box = (tag) => (cell) => make(tag, "", { dir: "auto" }, ...inline(cell));
  const row = (line, tag) => make("tr", "", {}, ...cells(line).map(box(tag)));
  const head = row(lines.shift(), "th");
  lines.shift();
  const rows = takeWhile(lines, (line) => line.includes("|")).map((line) => row(line, "td"));
  return make("table", "", {}, make("thead", "", {}, head), make("tbody", "", {}, ...rows));
}

/** Render emphasis, code and links within a line. */
function inline(text) {
  const parts = [];
  for (let found; (found = INLINE.exec(text)); text = text.slice(found.index + found[0].length)) {
    const [, tick, code, label, address, strong, strongText, , emphasis, escaped] = found;
    parts.push(text.slice(0, found.index));
    if (tick) parts.push(make("code", "", { textContent: code.trim() }));
    else if (label !== undefined) parts.push(...inline(label), found[0].startsWith("!") ? "" : ` (${address})`);
    else if (strong) parts.push(make("strong", "", {}, ...inline(strongText)));
    else if (emphasis) parts.push(make("em", "", {}, ...inline(emphasis)));
    else parts.push(escaped);
  }
  return [...parts, text].filter((part) => part !== "");
}

/** Remove and return the first lines that satisfy `fits`. */
function takeWhile(lines, fits) {
  let count = 0;
  while (count < lines.length && fits(lines[count], count)) count += 1;
  return lines.splice(0, count);
}
