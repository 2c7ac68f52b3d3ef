// The table of an answer, of whichever tool, and what is told beside it.

import { element } from "./dom.js";

const shown = (value) => (value === null || value === undefined ? "null" : typeof value === "object" ? JSON.stringify(value) : String(value));

function cell(value) {
  return element("td", { class: value === null || value === undefined ? "null" : undefined }, shown(value));
}

function table(caption, columns, rows) {
  return element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...columns.map((c) => element("th", { scope: "col" }, c)))),
    element("tbody", {}, ...rows));
}

// tables shows an answer as tables: a list of elements. expand is what happens
// where a node is to be expanded.
export function tables(answer, expand) {
  if (answer.rows) {
    const names = answer.columns.map((c) => c.name);
    return [table(count(answer.rows.length, "row"), names, answer.rows.map((row) => element("tr", {}, ...names.map((n) => cell(row[n])))))];
  }
  if (answer.node_types) return schemaTables(answer);
  const out = [];
  if (answer.paths) {
    out.push(table(count(answer.paths.length, "path"), ["length", "weight", "nodes"], answer.paths.map((p) => element("tr", {},
      cell(p.length), cell(p.weight ?? ""), cell(p.nodes.map((n) => `${n.label} ${n.id}`).join(" → "))))));
  }
  for (const [label, nodes] of Map.groupBy(answer.nodes ?? [], (n) => n.label)) {
    const names = [...new Set(nodes.flatMap((n) => Object.keys(n.properties ?? {})))];
    out.push(table(`${label}: ${nodes.length}`, ["id", ...names, ""], nodes.map((n) => element("tr", {},
      element("th", { scope: "row" }, n.id), ...names.map((p) => cell(n.properties?.[p])),
      element("td", {}, element("button", { type: "button", onclick: () => expand(n), "aria-label": `expand ${n.label} ${n.id}` }, "expand"))))));
  }
  for (const [type, list] of Map.groupBy(answer.relationships ?? [], (r) => r.type)) {
    const names = [...new Set(list.flatMap((r) => Object.keys(r.properties ?? {})))];
    out.push(table(`${type}: ${list.length}`, ["from", "to", ...names], list.map((r) => element("tr", {},
      cell(`${r.from.label} ${r.from.id}`), cell(`${r.to.label} ${r.to.id}`), ...names.map((p) => cell(r.properties?.[p]))))));
  }
  return out;
}

function schemaTables(answer) {
  return answer.node_types.filter((t) => t.properties).map((t) => table(`${t.name}${t.description ? ": " + t.description : ""}`, ["property", "type", "description"],
    t.properties.map((p) => element("tr", {}, element("th", { scope: "row" }, p.name),
      cell(p.type + (p.values ? " " + p.values.join(" | ") : "") + (p.nullable === false ? "" : ", may be null")), cell(p.description ?? "")))));
}

// summary says in a line what there is.
export function summary(answer) {
  const parts = [];
  if (answer.returned !== undefined) parts.push(count(answer.returned, answer.paths ? "path" : answer.rows ? "row" : "node") + " asked for");
  if (answer.nodes) parts.push(`${count(answer.nodes.length, "node")} and ${count(answer.relationships?.length ?? 0, "relationship")} in all`);
  if (answer.node_types) parts.push(`${count(answer.node_types.length, "label")}, ${count(answer.relationship_types.length, "relationship type")}`);
  if (answer.truncated) parts.push(`cut off: by ${answer.truncated_by}`);
  return parts.join(" · ");
}

export const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

// notices lists mistakes and warnings; fix is what happens where one is to be mended.
export function notices(list, kind, fix) {
  return list.map((e) => element("li", { class: kind },
    element("strong", {}, e.code), " ", element("code", {}, e.path || "the whole call"), " ", e.message,
    e.hint ? element("div", { class: "hint" }, e.hint) : null,
    e.allowed?.length ? element("div", { class: "hint" }, "allowed: " + e.allowed.join(", ") + (e.allowed_total > e.allowed.length ? ", …" : "")) : null,
    e.fix?.length ? element("button", { type: "button", onclick: () => fix(e.fix) }, "Fix it") : null));
}
