// apply makes the operations of a fix (RFC 6902: add, remove, replace, move) on a
// JSON value and returns it. What does not fit throws.
export function apply(root, operations) {
  for (const { op, path, from, value } of operations) {
    if (op === "move") {
      const moved = remove(root, tokens(from));
      root = put(root, tokens(path), moved, false);
    } else if (op === "remove") {
      remove(root, tokens(path));
    } else {
      root = put(root, tokens(path), structuredClone(value), op === "replace");
    }
  }
  return root;
}

const tokens = (pointer) => pointer.split("/").slice(1).map((t) => t.replaceAll("~1", "/").replaceAll("~0", "~"));

function parent(root, path) {
  let at = root;
  for (const token of path.slice(0, -1)) at = at[token];
  if (typeof at !== "object" || at === null) throw new Error("the fix does not fit the arguments");
  return at;
}

function put(root, path, value, replace) {
  if (path.length === 0) return value;
  const at = parent(root, path);
  const last = path[path.length - 1];
  if (!Array.isArray(at)) Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  else if (replace) at[last] = value;
  else at.splice(last === "-" ? at.length : Number(last), 0, value);
  return root;
}

function remove(root, path) {
  const at = parent(root, path);
  const last = path[path.length - 1];
  const was = at[last];
  if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return was;
}
