// The picture of an answer or of a schema.

import cytoscape from "./vendor/cytoscape.esm.min.mjs";
import { byId, element } from "./dom.js";

// Colours and shapes of labels, in pairs that people who see few colours tell apart.
const colours = ["#1c7ed6", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285", "#846100", "#5f3dc4", "#495057", "#a61e4d"];
const shapes = ["ellipse", "round-rectangle", "diamond", "hexagon", "triangle", "octagon", "pentagon", "star", "vee", "barrel"];

// fewEdges is up to how many relationships their types stand beside the lines.
const fewEdges = 40;

// mostZoom is how large few nodes become by themselves.
const mostZoom = 1.4;

const key = (node) => node.label + " " + node.id;

export class Graph {
  // The hooks are expand(node) for a node of an answer, open(label) for one of a schema,
  // and show(node) for one that is looked at; null where none is.
  constructor(hooks) {
    this.hooks = hooks;
    this.box = byId("canvas");
    this.far = 0; // how far the sizes of names and nodes are made for
    this.cy = cytoscape({ container: this.box, minZoom: 0.05, maxZoom: 4, boxSelectionEnabled: false });
    this.styles = new Map(); // by label
    this.cy.on("tap", "node", (e) => { this.look(e.target); this.expand(e.target); });
    this.cy.on("tap", (e) => { if (e.target === this.cy) this.look(null); });
    let waiting = 0;
    this.cy.on("zoom pan layoutstop resize", () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => this.cull());
    });
    this.box.addEventListener("keydown", (e) => this.press(e));
  }

  // draw shows an answer in the place of what was shown.
  draw(answer) {
    this.cy.elements().remove();
    this.styles.clear();
    this.schema = false;
    this.look(null);
    this.add(answer);
  }

  // add shows more of the graph beside what is shown, and returns how many nodes are new.
  add(answer, around) {
    const nodes = answer.nodes ?? [];
    const fresh = nodes.filter((n) => this.cy.getElementById(key(n)).empty());
    const place = around && this.cy.getElementById(key(around)).position();
    this.cy.add(fresh.map((n) => ({ group: "nodes", data: { id: key(n), node: n, name: nameOf(n), label: n.label },
      position: place ? { x: place.x + Math.random() * 60 - 30, y: place.y + Math.random() * 60 - 30 } : undefined })));
    for (const r of answer.relationships ?? []) {
      const id = JSON.stringify([r.type, r.from, r.to, r.properties]);
      const ends = [key(r.from), key(r.to)];
      if (this.cy.getElementById(id).nonempty() || ends.some((end) => this.cy.getElementById(end).empty())) continue;
      this.cy.add({ group: "edges", data: { id, source: ends[0], target: ends[1], name: r.type, relationship: r } });
    }
    this.arrange(place !== undefined);
    return fresh.length;
  }

  // drawSchema shows labels and the relationship types between them.
  drawSchema(schema) {
    this.cy.elements().remove();
    this.styles.clear();
    this.schema = true;
    this.look(null);
    for (const t of schema.node_types) {
      this.cy.add({ group: "nodes", data: { id: t.name, name: t.name, label: t.name, type: t } });
    }
    for (const r of schema.relationship_types) {
      for (const [starts, ends] of r.pairs ?? [[r.from, r.to]]) {
        for (const from of [starts].flat()) for (const to of [ends].flat()) {
          const id = JSON.stringify([r.name, from, to]);
          if (this.cy.getElementById(id).empty() && this.cy.getElementById(from).nonempty() && this.cy.getElementById(to).nonempty()) {
            this.cy.add({ group: "edges", data: { id, source: from, target: to, name: r.name } });
          }
        }
      }
    }
    this.arrange(false);
  }

  arrange(keep) {
    this.far = 0;
    this.cy.edges().toggleClass("named", this.cy.edges().length <= fewEdges);
    this.legend();
    const many = this.cy.nodes().length > 80;
    this.cy.layout({ name: "cose", animate: false, randomize: !keep, fit: true, padding: 40, nodeDimensionsIncludeLabels: !many,
      idealEdgeLength: () => (many ? 140 : 110), nodeRepulsion: () => (many ? 200000 : 60000), nodeOverlap: 20, gravity: many ? 0.1 : 0.4, numIter: many ? 600 : 1200 }).run();
    this.restyle();
    if (this.cy.zoom() > mostZoom) this.cy.zoom(mostZoom).center();
  }

  style(label) {
    if (!this.styles.has(label)) {
      const n = this.styles.size;
      this.styles.set(label, { colour: colours[n % colours.length], shape: shapes[n % shapes.length] });
    }
    return this.styles.get(label);
  }

  // restyle gives everything its colours, also after the theme has changed.
  restyle() {
    const theme = getComputedStyle(document.documentElement);
    const of = (name) => theme.getPropertyValue(name).trim();
    this.cy.style([
      { selector: "node", style: { "background-color": (n) => this.style(n.data("label")).colour, shape: (n) => this.style(n.data("label")).shape,
        label: "data(name)", color: of("--text"), "font-size": 11, width: 22, height: 22, "text-valign": "bottom", "text-margin-y": 5,
        "text-max-width": 130, "text-wrap": "ellipsis", "text-background-color": of("--panel"), "text-background-opacity": 0.8, "border-width": 1.5, "border-color": of("--panel") } },
      { selector: "node.unnamed, edge.unnamed", style: { "text-opacity": 0, "text-background-opacity": 0 } },
      { selector: "node.looked", style: { "border-color": of("--accent"), "border-width": 4, "text-opacity": 1, "text-background-opacity": 1, "z-index": 10 } },
      { selector: "edge", style: { width: 1.3, "line-color": of("--line"), "target-arrow-color": of("--quiet"), "target-arrow-shape": "triangle", "curve-style": "bezier", "arrow-scale": 0.8 } },
      { selector: "edge.named", style: { label: "data(name)", "font-size": 9, color: of("--quiet"), "text-background-color": of("--panel"), "text-background-opacity": 0.9, "text-rotation": "none" } },
      { selector: "edge.unnamed", style: { "text-opacity": 0, "text-background-opacity": 0 } },
    ]);
    this.cull();
  }

  // cull hides the names that would cover others, or nodes: those of nodes with many
  // relationships stay first, then other nodes', then relationships'. Zooming in
  // brings more of them back.
  cull() {
    this.size();
    const taken = this.cy.nodes().map((n) => n.renderedBoundingBox({ includeNodes: true, includeEdges: false, includeOverlays: false, includeLabels: false }));
    const free = (box) => taken.every((b) => box.x2 < b.x1 || box.x1 > b.x2 || box.y2 < b.y1 || box.y1 > b.y2);
    const parts = [...this.cy.nodes().toArray().sort((a, b) => b.hasClass("looked") - a.hasClass("looked") || b.degree() - a.degree()),
      ...this.cy.edges(".named").toArray()];
    this.cy.batch(() => {
      for (const part of parts) {
        const box = part.renderedBoundingBox({ includeNodes: false, includeEdges: false, includeOverlays: false, includeLabels: true });
        const fits = box.w === 0 || free(box);
        if (fits && box.w > 0) taken.push(box);
        part.toggleClass("unnamed", !fits);
      }
    });
  }

  // size keeps names and nodes as large as they are read, however far the picture is
  // zoomed out.
  size() {
    const far = Math.max(1, 1 / this.cy.zoom());
    if (far === this.far) return;
    this.far = far;
    const small = this.cy.nodes().length > 80 ? 10 : 22;
    this.cy.batch(() => {
      this.cy.nodes().style({ "font-size": 11 * far, "text-margin-y": 5 * far, "text-max-width": 130 * far, width: Math.max(22, small * far), height: Math.max(22, small * far) });
      const thick = this.cy.edges().length > 300; // so many arrows hide what they point at
      this.cy.edges().style({ "font-size": 9 * far, width: (thick ? 0.7 : 1.3) * far, "arrow-scale": 0.8 * far, "target-arrow-shape": thick ? "none" : "triangle" });
    });
  }

  legend() {
    const counts = new Map();
    for (const n of this.cy.nodes()) counts.set(n.data("label"), (counts.get(n.data("label")) ?? 0) + 1);
    byId("legend").replaceChildren(...(this.schema ? [] : [...counts].map(([label, n]) => {
      const { colour, shape } = this.style(label);
      return element("li", {}, swatch(colour, shape), `${label} ${n}`);
    })));
  }

  look(node) {
    this.cy.nodes(".looked").removeClass("looked");
    if (node) node.addClass("looked");
    this.looked = node;
    this.hooks.show(node && { node: node.data("node"), type: node.data("type") });
    this.cull();
  }

  expand(node) {
    if (node.data("node")) this.hooks.expand(node.data("node"));
  }

  press(e) {
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (ways[e.key]) this.step(...ways[e.key]);
    else if (e.key === "Enter" && this.looked && this.schema) this.hooks.open(this.looked.data("label"));
    else if (e.key === "Enter" && this.looked) this.expand(this.looked);
    else if (e.key === "Escape") this.look(null);
    else if (e.key === "+" || e.key === "-") this.cy.zoom({ level: this.cy.zoom() * (e.key === "+" ? 1.25 : 0.8), renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } });
    else if (e.key === "0") this.cy.fit(undefined, 40);
    else return;
    e.preventDefault();
  }

  // step looks at the nearest node in a direction.
  step(dx, dy) {
    const nodes = this.cy.nodes().toArray();
    if (nodes.length === 0) return;
    if (!this.looked) { this.look(nodes[0]); return; }
    const here = this.looked.position();
    let best = null, least = Infinity;
    for (const n of nodes) {
      const x = n.position().x - here.x, y = n.position().y - here.y;
      const along = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 0 && along + 2 * aside < least) { best = n; least = along + 2 * aside; }
    }
    if (best) this.look(best);
  }
}

// nameOf is what people read for a node: its first property that is a short text, or
// its id.
function nameOf(node) {
  const text = Object.values(node.properties ?? {}).find((v) => typeof v === "string" && v !== "" && v.length <= 80);
  return text ?? node.id;
}

function swatch(colour, shape) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 12 12");
  svg.setAttribute("aria-hidden", "true");
  const corners = { "ellipse": 0, "round-rectangle": 4, "diamond": 4, "hexagon": 6, "triangle": 3, "octagon": 8, "pentagon": 5, "star": 10, "vee": 3, "barrel": 4 }[shape];
  let mark;
  if (corners === 0) {
    mark = document.createElementNS(svg.namespaceURI, "circle");
    for (const [k, v] of [["cx", 6], ["cy", 6], ["r", 5]]) mark.setAttribute(k, v);
  } else {
    const turn = shape === "diamond" || shape === "triangle" || shape === "pentagon" || shape === "star" ? -Math.PI / 2 : -Math.PI / 2 + Math.PI / corners;
    mark = document.createElementNS(svg.namespaceURI, "polygon");
    mark.setAttribute("points", Array.from({ length: corners }, (_, i) => {
      const r = shape === "star" && i % 2 ? 2.4 : 5.6, a = turn + (2 * Math.PI * i) / corners;
      return `${6 + r * Math.cos(a)},${6 + r * Math.sin(a)}`;
    }).join(" "));
  }
  mark.setAttribute("fill", colour);
  svg.append(mark);
  return svg;
}
