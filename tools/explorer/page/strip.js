// The strip: the way of a call, from its text to the database's own plan.

import { byId, element } from "./dom.js";

export function showCall(tool, text) {
  byId("strip-call").textContent = tool + "\n" + text;
  byId("strip-plan").textContent = byId("strip-database").textContent = "…";
  byId("strip-sql").replaceChildren("…");
}

// showWay shows an explanation; null stands for a call that has none.
export function showWay(way) {
  if (!way) {
    byId("strip-plan").textContent = "A refused call has no plan: nothing was asked of the store.";
    byId("strip-sql").replaceChildren("No statement.");
    byId("strip-database").textContent = "";
    return;
  }
  byId("strip-plan").textContent = way.plan;
  const statements = way.statements ?? [];
  const none = way.plan === "describe" ? "No statement: the schema answers." : "The server hides its statements; --show-statements shows them.";
  byId("strip-sql").replaceChildren(...(statements.length === 0 ? [none] : statements.map(statement)));
  byId("strip-database").textContent = statements.length === 0 ? "" : database(way);
}

function statement(s) {
  const parameters = (s.parameters ?? []).map((p) => `${p.position}: ${JSON.stringify(p.value) ?? "hidden"} (${p.type})`).join(", ");
  return element("div", {}, element("code", {}, s.sql),
    element("div", { class: "parameters" }, (parameters || "no parameters") + (s.executions > 1 ? ` · ${s.executions} times` : "")));
}

function database(way) {
  if (way.database === null || way.database === undefined) {
    return way.executed === "native" ? "The store in memory runs the plan itself; the SQL is what a database would run." : "The database told no plan.";
  }
  return typeof way.database === "string" ? way.database : Array.isArray(way.database) ? way.database.map((d) => (typeof d === "string" ? d : JSON.stringify(d, null, 1))).join("\n") : JSON.stringify(way.database, null, 1);
}
