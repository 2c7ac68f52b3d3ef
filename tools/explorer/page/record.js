// One record: its members, where its references lead, and what refers to it.

import { element, visible } from "./dom.js";
import { about, graphOf, heading, inOrder, labelOf, recordOf } from "./records.js";

// mostPages is how many pages of what a record refers to are asked for; references
// beyond them are texts.
const mostPages = 10;

// neighbours asks for a page of what a node is connected to, in one direction: each
// with its relationship's type, and the cursor of the next page. ask makes a call and
// returns its answer, null where it is refused.
async function neighbours(ask, label, id, direction, cursor) {
  const answer = await ask("explore_neighbors", { start_node: { label, node_id: id }, max_hops: 1, direction, ...(cursor ? { cursor } : {}) });
  if (!answer) return { list: [], next: null };
  const nodes = new Map(answer.nodes.map((n) => [JSON.stringify([n.label, n.id]), n]));
  const [here, there] = direction === "outgoing" ? ["from", "to"] : ["to", "from"];
  const list = answer.relationships.filter((r) => r[here].label === label && r[here].id === String(id))
    .map((r) => ({ type: r.type, ...r[there], properties: nodes.get(JSON.stringify([r[there].label, r[there].id]))?.properties ?? {} }));
  return { list, next: answer.next_cursor };
}

// references are all that a record refers to.
export async function references(ask, label, id) {
  const all = [];
  let cursor;
  for (let page = 0; page < mostPages; page++) {
    const { list, next } = await neighbours(ask, label, id, "outgoing", cursor);
    all.push(...list);
    if (!next) break;
    cursor = next;
  }
  return all;
}

const letters = (name) => name.toUpperCase().replace(/[^A-Z0-9]/g, "");

// targets are what a value of a member refers to. A member that has the name of a
// relationship, as those of bundles have, refers by that one, to an id or to another
// property. Other texts are references where they are the id of what the record is
// related to, and of nothing else.
function targets(refs, member, value) {
  const name = letters(member);
  const own = refs.filter((r) => [name, name.replace(/IDS?$/, "")].includes(letters(r.type)));
  let found = own.filter((r) => r.id === String(value));
  if (found.length === 0) found = own.filter((r) => Object.values(r.properties).includes(value));
  if (own.length === 0 && typeof value === "string") found = refs.filter((r) => r.id === value);
  const distinct = [...new Map(found.map((r) => [JSON.stringify([r.label, r.id]), r])).values()];
  return own.length > 0 || distinct.length === 1 ? distinct : [];
}

// shown is a value to read. Texts are texts, whatever their content type is said to be.
function shown(known, refs, member, value, type) {
  if (value === null) return element("span", { class: "null" }, "null");
  if (Array.isArray(value)) {
    if (value.length === 0) return element("span", { class: "null" }, "none");
    return element("ul", {}, ...value.map((v) => element("li", {}, shown(known, refs, member, v))));
  }
  if (typeof value === "object") return members(known, refs, value, type);
  const text = element("span", { class: "text", dir: "auto" }, visible(String(value)));
  const found = typeof value === "boolean" ? [] : targets(refs, member, value);
  if (found.length === 0) return text;
  if (found.length === 1) return element("a", { href: recordOf(known, found[0].label, found[0].id), title: `${found[0].label} ${found[0].id}` }, text);
  return element("span", {}, text, ...found.flatMap((r) => [" → ", element("a", { href: recordOf(known, r.label, r.id) }, visible(r.id))]));
}

function members(known, refs, value, type) {
  const told = new Map((type?.properties ?? []).map((p) => [p.name, p.description]));
  return element("dl", { class: "members" }, ...inOrder(Object.keys(value), type).flatMap((name) => [
    element("dt", { title: told.get(name) }, visible(name)), element("dd", {}, shown(known, refs, name, value[name]))]));
}

// nameOf is what people read beside an id.
function nameOf(node) {
  const text = Object.values(node.properties).find((v) => typeof v === "string" && v !== "" && v !== node.id && v.length <= 80);
  return text ? " " + visible(text) : "";
}

// referrers lists what refers to a record, by relationship type; a button brings more.
async function referrers(ask, known, label, id) {
  const title = element("h4", {}, "Referred to by");
  const lists = new Map();
  const box = element("div", { class: "referrers" });
  const more = element("button", { type: "button", hidden: true }, "More");
  let cursor;
  const load = async () => {
    more.disabled = true;
    const { list, next } = await neighbours(ask, label, id, "incoming", cursor);
    let first = null;
    for (const r of list) {
      const key = JSON.stringify([r.type, r.label]);
      if (!lists.has(key)) {
        lists.set(key, element("ul"));
        box.append(element("h5", {}, `${r.label}, by ${r.type}`), lists.get(key));
      }
      const link = element("a", { href: recordOf(known, r.label, r.id) }, visible(r.id));
      first ??= link;
      lists.get(key).append(element("li", {}, link, element("span", { class: "hint" }, nameOf(r))));
    }
    cursor = next;
    more.hidden = !next;
    more.disabled = false;
    return first;
  };
  more.addEventListener("click", async () => {
    try {
      (await load())?.focus();
    } catch (e) {
      more.disabled = false;
      more.textContent = "More: " + e.message;
    }
  });
  await load();
  if (lists.size === 0) box.append(element("p", { class: "hint" }, "nothing that is visible here"));
  return element("section", { class: "plain", "aria-label": "Referred to by" }, title, box, more);
}

// record shows the answer of a call that gets one record: elements, and a line that
// sums it up. ask is null where what is connected is not offered.
export async function record(known, name, id, answer, type, ask) {
  const { label, tool } = known.tools.get(name);
  const list = labelOf(known, label);
  const links = element("p", { class: "row" },
    list ? element("a", { href: list }, `all of ${label}`) : null, " ",
    ask && answer !== null ? element("button", { type: "button", onclick: () => { location.hash = graphOf(label, id); } }, "As a graph") : null);
  if (answer === null) {
    return { elements: [heading(`${label} ${visible(String(id))}`), element("p", {}, "There is no such record."), links], summary: "no such record" };
  }
  const [refs, referred] = ask ? await Promise.all([references(ask, label, id), referrers(ask, known, label, id)]) : [[], null];
  return {
    elements: [heading(`${label} ${visible(String(id))}`), ...about(tool, type), links, members(known, refs, answer, type), ...(referred ? [referred] : [])],
    summary: `${label} ${visible(String(id))}`,
  };
}
