// A form for a value, made of its JSON Schema: of the parts of JSON Schema that the
// tools' schemas use.

import { element } from "./dom.js";

// form returns an element that edits the value of a schema. It calls changed with
// the whole value after every change.
export function form(schema, value, changed) {
  const root = { schema, changed: () => changed(state.value), id: 0 };
  const state = { value };
  const box = element("div");
  box.append(editor(root, schema, () => state.value, (v) => { state.value = v; root.changed(); }, "argument"));
  return box;
}

// initial is the least value of a schema: what it requires.
export function initial(root, schema) {
  schema = resolve(root, schema);
  if (schema.default !== undefined) return structuredClone(schema.default);
  if (schema.enum) return schema.enum[0];
  switch (type(schema)) {
    case "object": {
      const value = {};
      for (const name of schema.required ?? []) value[name] = initial(root, schema.properties[name]);
      if ((schema.minProperties ?? 0) > Object.keys(value).length) {
        const first = Object.keys(schema.properties ?? {}).find((name) => !(name in value));
        if (first) value[first] = initial(root, schema.properties[first]);
      }
      return value;
    }
    case "array":
      return (schema.minItems ?? 0) > 0 ? [initial(root, schema.items)] : [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "any":
      return initial(root, variants(root, schema)[0]);
  }
  return "";
}

function resolve(root, schema) {
  while (schema.$ref) schema = root.schema.definitions[schema.$ref.split("/").pop()];
  return schema;
}

// variants lists the alternatives of a schema, flat.
function variants(root, schema) {
  schema = resolve(root, schema);
  const list = schema.anyOf ?? schema.oneOf;
  return list ? list.flatMap((s) => variants(root, s)) : [schema];
}

function type(schema) {
  if (schema.anyOf || schema.oneOf) return "any";
  if (Array.isArray(schema.type)) return "string"; // an id: digits or text
  return schema.type ?? (schema.properties || schema.additionalProperties ? "object" : "string");
}

function fits(root, schema, value) {
  if (schema.enum) return typeof value === typeof schema.enum[0];
  switch (type(schema)) {
    case "object": return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array": return Array.isArray(value);
    case "boolean": return typeof value === "boolean";
    case "integer":
    case "number": return typeof value === "number";
  }
  return typeof value === "string" || typeof value === "number";
}

const words = { object: "conditions", array: "list", boolean: "yes or no", integer: "number", number: "number", string: "value" };

function editor(root, schema, get, set, label) {
  schema = resolve(root, schema);
  if (type(schema) === "any") return choice(root, schema, get, set, label);
  if (schema.enum) {
    const wrong = schema.enum.includes(get()) ? [] : [element("option", { value: String(get()), selected: true, disabled: true }, `${get()} (not one of its values)`)];
    return element("select", { "aria-label": label, onchange: (e) => set(e.target.value) },
      ...wrong, ...schema.enum.map((v) => element("option", { value: v, selected: v === get() }, v)));
  }
  switch (type(schema)) {
    case "object": return object(root, schema, get, set, label);
    case "array": return array(root, schema, get, set, label);
    case "boolean":
      return element("input", { type: "checkbox", "aria-label": label, checked: get() === true, onchange: (e) => set(e.target.checked) });
    case "integer":
    case "number":
      return element("input", { type: "number", "aria-label": label, value: String(get() ?? ""), min: text(schema.minimum), max: text(schema.maximum), step: schema.type === "integer" ? "1" : "any",
        oninput: (e) => { if (e.target.value !== "") set(Number(e.target.value)); } });
  }
  return element("input", { type: "text", "aria-label": label, value: String(get() ?? ""), oninput: (e) => set(e.target.value) });
}

const text = (n) => (n === undefined ? undefined : String(n));

// choice lets one of several forms be chosen, such as a value or operators.
function choice(root, schema, get, set, label) {
  const box = element("div");
  const list = variants(root, schema).filter((s, i, all) => s.enum || all.findIndex((t) => !t.enum && type(t) === type(s)) === i);
  const draw = () => {
    const at = Math.max(0, list.findIndex((s) => fits(root, s, get())));
    const picker = element("select", { class: "variant", "aria-label": label + ": form", onchange: (e) => { set(initial(root, list[Number(e.target.value)])); draw(); } },
      ...list.map((s, i) => element("option", { value: String(i), selected: i === at }, s.enum ? "one of its values" : words[type(s)])));
    box.replaceChildren(...(list.length > 1 ? [picker] : []), editor(root, list[at], get, set, label));
  };
  draw();
  return box;
}

function object(root, schema, get, set, label) {
  const box = element("fieldset", { "aria-label": label });
  const known = schema.properties ?? {};
  const draw = () => {
    const value = get() ?? {};
    const fields = Object.keys(value).map((name) => {
      const part = known[name] ?? schema.additionalProperties;
      const required = (schema.required ?? []).includes(name);
      const change = (v) => { set({ ...get(), [name]: v }); };
      return element("div", { class: "field" },
        element("div", { class: "head" },
          element("label", { title: describe(root, part) }, name),
          required ? null : element("button", { type: "button", class: "remove", "aria-label": "remove " + name, onclick: () => {
            const { [name]: _, ...rest } = get();
            set(rest);
            draw();
          } }, "×")),
        part && typeof part === "object" ? editor(root, part, () => get()[name], change, name) : element("span", { class: "hint" }, "is not an argument"));
    });
    const left = Object.keys(known).filter((name) => !(name in value));
    const add = element("select", { class: "add", "aria-label": "add to " + label, onchange: (e) => {
      const name = e.target.value;
      set({ ...get(), [name]: initial(root, known[name]) });
      draw();
    } }, element("option", { value: "" }, "+ add…"), ...left.map((name) => element("option", { value: name, title: describe(root, known[name]) }, name)));
    box.replaceChildren(...fields, ...(left.length > 0 ? [add] : []));
  };
  draw();
  return box;
}

function describe(root, schema) {
  return schema && typeof schema === "object" ? resolve(root, schema).description : undefined;
}

function array(root, schema, get, set, label) {
  const box = element("fieldset", { "aria-label": label });
  const draw = () => {
    const value = get() ?? [];
    const items = value.map((_, i) => element("div", { class: "field" },
      element("div", { class: "head" }, element("span", { class: "hint" }, String(i + 1)),
        element("button", { type: "button", class: "remove", "aria-label": `remove item ${i + 1} of ${label}`, onclick: () => { set(get().toSpliced(i, 1)); draw(); } }, "×")),
      editor(root, schema.items, () => get()[i], (v) => set(get().with(i, v)), `${label} ${i + 1}`)));
    const full = value.length >= (schema.maxItems ?? Infinity);
    box.replaceChildren(...items, ...(full ? [] : [element("button", { type: "button", class: "add", onclick: () => { set([...get(), initial(root, schema.items)]); draw(); } }, "+ item")]));
  };
  draw();
  return box;
}
