// What the page asks of its server. Nothing else is asked of anybody.

let token = "";

export class Unauthorized extends Error {}

export function useToken(text) { token = text; }

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = "Bearer " + token;
  const response = await fetch(path, { ...options, headers, cache: "no-cache" });
  if (response.status === 401) throw new Unauthorized("a token is needed");
  return response;
}

// list returns the caller's tools.
export async function list() {
  const response = await ask("../tools");
  if (!response.ok) throw new Error("the tools could not be listed: " + response.status);
  return (await response.json()).tools;
}

// call sends the text of the arguments as it is: a number in it may have more
// digits than JavaScript keeps. It returns the document's text, of an answer or of a
// refusal.
export async function call(tool, text) {
  const response = await ask("../tools/" + encodeURIComponent(tool), post(text));
  return { ok: response.ok, text: await response.text() };
}

// explain returns how a call is answered, or null where that cannot be told.
export async function explain(tool, text) {
  const response = await ask("explain/" + encodeURIComponent(tool), post(text));
  return response.ok ? response.json() : null;
}

function post(body) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body };
}
