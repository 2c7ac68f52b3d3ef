// element makes an element with attributes, and children that are elements or
// texts. Texts never become markup.
export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key in e && typeof value !== "string") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

export const byId = (id) => document.getElementById(id);

// visible shows what would hide in a text, or turn those beside it around: control
// characters and the marks of writing directions, by their numbers.
export function visible(text) {
  return text.replaceAll("\r\n", "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}
