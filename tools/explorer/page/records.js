// Records: the tools that list and get them, and what those answer as tables.

import { count } from "./answer.js";
import { element, visible } from "./dom.js";

// recordTools finds the tools of records among those that are offered: by label, the
// names of the tools that list, get and list ids; and by tool, its label and what it
// does.
export function recordTools(offered) {
  const labels = new Map(), tools = new Map();
  const kinds = [["ids", /^List ids of (.+)$/, (l) => `list_${l}_ids`], ["list", /^List (.+)$/, (l) => "list_" + l], ["get", /^Get (.+)$/, (l) => "get_" + l]];
  for (const tool of offered) {
    const takes = (tool.parameters ?? tool.inputSchema)?.properties ?? {};
    for (const [kind, title, name] of kinds) {
      const label = title.exec(tool.title ?? "")?.[1];
      if (!label || tool.name !== name(label) || !(kind === "get" ? takes.id && takes.ids : takes.offset)) continue;
      labels.set(label, { ...labels.get(label), [kind]: tool.name });
      tools.set(tool.name, { label, kind, tool });
      break;
    }
  }
  return { labels, tools };
}

// address is where the page shows a call.
export const address = (tool, args) => "#" + new URLSearchParams({ tool, args: JSON.stringify(args) });

// graphOf is where the page shows a node and what it is connected to.
export const graphOf = (label, id) => address("explore_neighbors", { start_node: { label, node_id: id }, max_hops: 1 });

// recordOf is where the page shows a record, or as a graph what is none.
export function recordOf(known, label, id) {
  const get = known.labels.get(label)?.get;
  return get ? address(get, { id }) : graphOf(label, id);
}

// labelOf is where the page lists the records of a label; undefined where they are not listed.
export function labelOf(known, label) {
  const { list, ids } = known.labels.get(label) ?? {};
  return list || ids ? address(list ?? ids, { filters: {} }) : undefined;
}

// labelLinks are links to the records of all labels that list some.
export function labelLinks(known) {
  return [...known.labels.keys()].filter((l) => labelOf(known, l)).map((l) => element("a", { href: labelOf(known, l) }, l));
}

// heading is the title of a view, which takes the focus when a link has led there.
export const heading = (...text) => element("h3", { id: "record-title", tabindex: "-1" }, ...text);

// about says what records are, in the words of their tool and of their label.
export function about(tool, type) {
  const words = tool.description.split("\n\n");
  const said = [type?.description, words.length > 1 ? words[0] : ""].filter((d) => d);
  return [...new Set(said)].map((d) => element("p", {}, visible(d)));
}

// orders are the properties that a list sorts by, the key first; none where its tool
// does not tell.
function orders(tool) {
  const { properties, definitions } = tool.parameters ?? tool.inputSchema;
  for (const part of properties.sort?.anyOf ?? []) {
    const one = part.$ref ? definitions[part.$ref.split("/").pop()] : part;
    if (one.enum) return one.enum.filter((name) => !name.startsWith("-"));
  }
  return [];
}

// inOrder are the members of records in the order of their label's properties.
export function inOrder(names, type) {
  const order = (type?.properties ?? []).map((p) => p.name);
  const found = new Set(names);
  return [...order.filter((n) => found.has(n)), ...[...found].filter((n) => !order.includes(n))];
}

const mostText = 120;

// short is a value in a cell.
function short(value) {
  if (value === undefined) return element("td");
  if (value === null) return element("td", { class: "null" }, "null");
  const plain = Array.isArray(value) && value.every((v) => typeof v !== "object");
  const text = plain ? value.join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value);
  const cut = text.length > mostText ? [...text.slice(0, mostText)].slice(0, -1).join("") + "…" : text;
  return element("td", { dir: "auto" }, visible(cut));
}

function table(known, label, key, caption, records, type, head) {
  const names = inOrder(records.flatMap((r) => Object.keys(r)), type);
  const columns = [key, ...names.filter((n) => n !== key)];
  return element("table", { class: "records" }, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...columns.map(head))),
    element("tbody", {}, ...records.map((r) => element("tr", {},
      element("th", { scope: "row" }, element("a", { href: recordOf(known, label, r[key]) }, visible(String(r[key])))),
      ...columns.slice(1).map((n) => short(Object.hasOwn(r, n) ? r[n] : undefined))))));
}

// keyOf is the member that is a record's id.
function keyOf(tool, records, type) {
  return orders(tool)[0] ?? type?.properties?.[0]?.name ?? Object.keys(records[0] ?? {})[0] ?? "id";
}

// listing shows the answer of a list: elements, and a line that sums it up.
export function listing(known, name, args, answer, type) {
  const { label, kind, tool } = known.tools.get(name);
  const records = answer.items ?? answer.ids.map((id) => ({ id }));
  const sorts = orders(tool);
  const key = kind === "ids" ? "id" : keyOf(tool, records, type);
  const offset = Number(args.offset ?? 0), step = Number(args.limit ?? (tool.parameters ?? tool.inputSchema).properties.limit.default ?? 50);
  const sorted = [args.sort ?? []].flat()[0];
  const link = (text, change) => element("a", { href: address(name, { ...args, ...change }) }, text);
  const head = (column) => {
    const by = column === key ? sorts[0] : column;
    if (!sorts.includes(by)) return element("th", { scope: "col" }, visible(column));
    const up = sorted === by || (sorted === undefined && by === sorts[0]), down = sorted === "-" + by;
    return element("th", { scope: "col", "aria-sort": up ? "ascending" : down ? "descending" : undefined },
      link(visible(column) + (up ? " ▲" : down ? " ▼" : ""), { sort: up ? "-" + by : by, offset: 0 }));
  };
  const range = records.length > 0 ? `${offset + 1}–${offset + records.length} of ${answer.total}` : `none of ${answer.total}`;
  const before = offset > 0, after = records.length > 0 && offset + records.length < answer.total;
  const pages = element("nav", { class: "pages", "aria-label": "Pages" },
    before ? link("‹ previous", { offset: Math.max(0, Math.min(offset, answer.total) - step) }) : null,
    element("span", {}, range),
    after ? link("next ›", { offset: offset + records.length }) : null);
  return {
    elements: [heading(label), ...about(tool, type), pages, ...(records.length > 0 ? [table(known, label, key, `${label}: ${range}`, records, type, head)] : [])],
    summary: range,
  };
}

// several shows the records that were got by their ids.
export function several(known, name, answer, type) {
  const { label, tool } = known.tools.get(name);
  const records = answer.entities;
  const list = known.labels.get(label).list;
  const key = keyOf(list ? known.tools.get(list).tool : tool, records, type);
  const missing = answer.not_found ?? [];
  return {
    elements: [heading(label), ...about(tool, type),
      ...(records.length > 0 ? [table(known, label, key, `${label}: ${records.length}`, records, type, (c) => element("th", { scope: "col" }, visible(c)))] : []),
      ...(missing.length > 0 ? [element("p", {}, "not found: " + visible(missing.join(", ")))] : [])],
    summary: count(records.length, "record"),
  };
}
