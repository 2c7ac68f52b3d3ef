// The page: a call, its answer in three views, and the way that the call goes.

import { Unauthorized, call, explain, list, useToken } from "./api.js";
import { count, notices, summary, tables } from "./answer.js";
import { byId, element } from "./dom.js";
import { form, initial } from "./form.js";
import { Graph } from "./graph.js";
import { apply } from "./patch.js";
import { record } from "./record.js";
import { labelLinks, labelOf, listing, recordOf, recordTools, several } from "./records.js";
import { showCall, showWay } from "./strip.js";

let offered = [];
let known = recordTools([]); // the tools of records
let last = { tool: "", text: "", answer: null };
let turn = 0; // a later call's answer is not overwritten by an earlier one's
const graph = new Graph({ expand, show, open: (label) => { if (labelOf(known, label)) location.hash = labelOf(known, label); } });

// parse reads a document. Integers beyond what JavaScript keeps exactly come as the
// text of their digits.
function parse(text) {
  return JSON.parse(text, (_, v, context) => (Number.isInteger(v) && !Number.isSafeInteger(v) && context?.source ? context.source : v));
}

const exact = (text) => JSON.stringify(parse(text)) === JSON.stringify(JSON.parse(text));

// choose shows the form of a tool, with some arguments or the least ones.
function choose(name, text) {
  const tool = offered.find((t) => t.name === name);
  if (!tool) return;
  byId("tool").value = name;
  byId("tool-description").textContent = tool.description;
  const schema = tool.parameters ?? tool.inputSchema;
  const least = ["list", "ids"].includes(known.tools.get(name)?.kind) ? { filters: {} } : initial({ schema }, schema);
  byId("arguments").value = text ?? JSON.stringify(least, null, 2);
  drawForm();
}

// drawForm shows the text of the arguments as a form, where it is one.
function drawForm() {
  const tool = offered.find((t) => t.name === byId("tool").value);
  const area = byId("arguments");
  let value;
  try {
    value = JSON.parse(area.value);
    if (!exact(area.value)) throw new Error("a number has more digits than a form keeps");
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("arguments are an object");
    area.removeAttribute("aria-invalid");
  } catch (e) {
    area.setAttribute("aria-invalid", "true");
    byId("fields").replaceChildren(element("p", { class: "hint" }, "No form: " + e.message));
    return;
  }
  byId("fields").replaceChildren(form(tool.parameters ?? tool.inputSchema, value, (v) => { area.value = JSON.stringify(v, null, 2); }));
}

// run makes the call that stands in the form.
async function run() {
  const tool = byId("tool").value, text = byId("arguments").value;
  const mine = ++turn;
  document.documentElement.dataset.state = "busy";
  showCall(tool, text);
  history.replaceState(null, "", "#" + new URLSearchParams({ tool, args: text }));
  try {
    const [answer, way] = await Promise.all([call(tool, text), explain(tool, text)]);
    if (mine !== turn) return;
    last = { tool, text, answer: parse(answer.text) };
    byId("json").textContent = JSON.stringify(last.answer, null, 2);
    showWay(way);
    if (!answer.ok) refused(last.answer);
    else if (known.tools.has(tool)) await records(tool, parse(text || "{}"), last.answer, mine);
    else answered(last.answer);
    if (mine !== turn) return;
  } catch (e) {
    if (mine !== turn) return;
    failed(e);
  }
  document.documentElement.dataset.state = "ready";
}

function answered(answer) {
  tell(notices(answer.warnings ?? [], "warning", mend));
  byId("summary").textContent = summary(answer);
  byId("summary").classList.toggle("cut", answer.truncated === true);
  byId("more").hidden = !answer.next_cursor;
  byId("view-table").replaceChildren(...tables(answer, expand));
  const links = answer.node_types ? labelLinks(known) : [];
  byId("labels").replaceChildren("Records: ", ...links);
  byId("labels").hidden = links.length === 0;
  if (answer.node_types) graph.drawSchema(answer);
  else graph.draw(answer);
  if (answer.rows) view("table");
  else if (answer.nodes || answer.node_types) view("graph");
}

// ask makes a call beside the one that is shown, and returns its answer, null where
// it is refused.
async function ask(tool, args) {
  const answer = await call(tool, JSON.stringify(args));
  return answer.ok ? parse(answer.text) : null;
}

const offers = (name) => offered.some((t) => t.name === name);

// records shows the answer of a tool of records. What a single record holds is its
// own: no member of it says anything about the answer.
async function records(tool, args, answer, mine) {
  const { label, kind } = known.tools.get(tool);
  const schema = offers("get_graph_schema") ? await ask("get_graph_schema", { expand_nodes: [label] }) : null;
  const type = schema?.node_types.find((t) => t.name === label);
  const one = kind === "get" && args.ids === undefined;
  const { elements, summary } = one ? await record(known, tool, args.id, answer, type, offers("explore_neighbors") ? ask : null)
    : kind === "get" ? several(known, tool, answer, type) : listing(known, tool, args, answer, type);
  if (mine !== turn) return;
  tell(notices((one ? null : answer.warnings) ?? [], "warning", mend));
  byId("summary").textContent = summary + (!one && answer.truncated_by ? ` · cut off: by ${answer.truncated_by}` : "");
  byId("summary").classList.toggle("cut", !one && Boolean(answer.truncated_by));
  byId("more").hidden = true;
  byId("labels").hidden = true;
  byId("view-table").replaceChildren(...elements);
  byId("view-table").scrollTop = 0;
  graph.draw({});
  view("table");
}

function refused(problem) {
  byId("summary").textContent = "refused";
  byId("more").hidden = true;
  tell(notices(problem.errors ?? [], "wrong", mend));
}

function failed(e) {
  byId("login").hidden = !(e instanceof Unauthorized);
  if (e instanceof Unauthorized) byId("token").focus();
  byId("summary").textContent = e.message;
}

function tell(items) {
  byId("notices").replaceChildren(...items);
  byId("notices").hidden = items.length === 0;
}

// mend applies the fix of a mistake to the arguments and calls again.
function mend(fix) {
  choose(last.tool, JSON.stringify(apply(JSON.parse(last.text), fix), null, 2));
  run();
}

// expand adds the neighbours of a node to the picture.
async function expand(node) {
  if (!offers("explore_neighbors")) return;
  document.documentElement.dataset.state = "busy";
  const text = JSON.stringify({ start_node: { label: node.label, node_id: node.id }, max_hops: 1 });
  showCall("explore_neighbors", text);
  try {
    const [answer, way] = await Promise.all([call("explore_neighbors", text), explain("explore_neighbors", text)]);
    const document = parse(answer.text);
    if (answer.ok) {
      const fresh = graph.add(document, node);
      view("graph");
      byId("summary").textContent = `${count(fresh, "more node")} around ${node.label} ${node.id}` + (document.truncated ? ` · cut off: by ${document.truncated_by}` : "");
      byId("summary").classList.toggle("cut", document.truncated === true);
    } else {
      refused(document);
    }
    showWay(way);
  } catch (e) {
    failed(e);
  }
  document.documentElement.dataset.state = "ready";
}

// show tells what a node holds, beside the picture.
function show(looked) {
  const box = byId("detail");
  box.hidden = !looked;
  if (!looked) return;
  const { node, type } = looked;
  const list = type && labelOf(known, type.name);
  const whole = node && known.labels.get(node.label)?.get;
  const pairs = node ? Object.entries(node.properties ?? {}) : (type.properties ?? []).map((p) => [p.name, p.type]);
  box.replaceChildren(element("strong", {}, node ? `${node.label} ${node.id}` : type.name), type?.description ? element("p", {}, type.description) : "",
    list ? element("p", {}, element("a", { href: list }, "Records of " + type.name)) : "",
    whole ? element("p", {}, element("a", { href: recordOf(known, node.label, node.id) }, "The whole record")) : "",
    element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value === null ? "null" : typeof value === "object" ? JSON.stringify(value) : String(value))])));
}

const views = ["graph", "table", "json"];

function view(name) {
  for (const v of views) {
    const tab = byId("tab-" + v);
    tab.setAttribute("aria-selected", String(v === name));
    tab.tabIndex = v === name ? 0 : -1;
    byId("view-" + v).hidden = v !== name;
  }
  if (name === "graph") graph.cy.resize();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
  graph.restyle();
}

async function start() {
  try {
    offered = await list();
  } catch (e) {
    failed(e);
    return;
  }
  known = recordTools(offered);
  byId("login").hidden = true;
  byId("tool").replaceChildren(...offered.map((t) => element("option", { value: t.name }, t.name)));
  await follow();
  if (last.answer?.revision && !known.tools.has(last.tool)) byId("revision").textContent = "schema " + last.answer.revision;
}

// follow shows the call that the address names, or the schema.
async function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (offers(asked.get("tool"))) choose(asked.get("tool"), asked.get("args") ?? undefined);
  else choose("get_graph_schema", '{"expand_schema": true}');
  await run();
}

byId("request").addEventListener("submit", (e) => { e.preventDefault(); run(); });
byId("request").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); } });
byId("login").addEventListener("submit", (e) => { e.preventDefault(); useToken(byId("token").value); byId("token").value = ""; start(); });
byId("tool").addEventListener("change", (e) => choose(e.target.value));
byId("arguments").addEventListener("change", drawForm);
byId("show-schema").addEventListener("click", () => { choose("get_graph_schema", '{"expand_schema": true}'); run(); });
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
byId("more").addEventListener("click", () => { choose(last.tool, JSON.stringify({ ...JSON.parse(last.text), cursor: last.answer.next_cursor }, null, 2)); run(); });
for (const v of views) byId("tab-" + v).addEventListener("click", () => view(v));
byId("tabs").addEventListener("keydown", (e) => {
  const at = views.indexOf(document.activeElement?.id.replace("tab-", ""));
  if (at < 0 || (e.key !== "ArrowRight" && e.key !== "ArrowLeft")) return;
  const next = views[(at + (e.key === "ArrowRight" ? 1 : 2)) % 3];
  view(next);
  byId("tab-" + next).focus();
});
// A link has led here, and is gone: what it led to takes the focus, and comes into view.
addEventListener("hashchange", async () => {
  if (offered.length === 0) return;
  const mine = turn + 1;
  await follow();
  if (mine === turn) (byId("record-title") ?? byId("tab-graph")).focus();
});
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
start();
