package generate

import (
	"fmt"
	"strconv"
	"strings"
)

// Ids have leading zeros, so that the order of their numbers is that of texts.
func categoryID(i int) string  { return fmt.Sprintf("group-%05d", i) }
func brandID(i int) string     { return fmt.Sprintf("maker-%05d", i) }
func componentID(i int) string { return fmt.Sprintf("PRT-%07d", i) }
func partNumber(i int) string  { return fmt.Sprintf("N-%07d", i) }
func toolID(i int) string      { return fmt.Sprintf("T-%06d", i) }
func symptomID(i int) string   { return fmt.Sprintf("symptom-%06d", i) }
func repairID(i int) string    { return fmt.Sprintf("repair-%06d", i) }
func bulletinID(i int) string  { return fmt.Sprintf("SB-%04d-%02d", i/100, i%100) }

var (
	parts     = []string{"Chain", "Cassette", "Crankset", "Bottom bracket", "Rear derailleur", "Shifter", "Rotor", "Disc pads", "Rim", "Hub", "Tyre", "Tube", "Stem", "Handlebar", "Saddle", "Seatpost", "Brake cable", "Front light", "Rack", "Pedals"}
	qualities = []string{"steel", "light", "long", "short", "wide", "for winter", "first series", "second series", "reinforced", "for cargo"}
	faults    = []string{"creaks", "slips", "rubs", "is loose", "is worn", "squeals", "sticks", "rattles"}
	acts      = []string{"Adjust", "Replace", "Clean", "Service", "True", "Fasten"}
	standards = []string{"hg", "hg-road", "bsa-68", "six-bolt", "centre-lock", "post-mount", "622-bead", "27.2-post", "31.8-clamp", "presta"}
	tags      = []string{"city", "touring", "road", "gravel", "mtb", "cargo", "winter", "spare", "quiet"}
)

func category(w *writer, _ counts, i int) {
	w.first("id", categoryID(i))
	w.text("name", fmt.Sprintf("%ss, shelf %d", parts[i%len(parts)], i))
	if i > 7 {
		w.text("parent", categoryID(i/8))
	}
	w.text("description", "Everything that is sold by the name of "+strings.ToLower(parts[i%len(parts)])+".")
}

func brand(w *writer, _ counts, i int) {
	w.first("id", brandID(i))
	w.text("name", "Maker no. "+strconv.Itoa(i))
	w.text("country", w.pick("DE", "IT", "JP", "PT", "GB"))
	w.number("founded", 1900+w.random.IntN(120))
	w.text("about", parts[w.random.IntN(len(parts))]+"s and what belongs to them.")
	w.text("service_email", "service@"+brandID(i)+".example")
	w.number("warranty_months", 12*w.random.IntN(6))
}

func component(w *writer, n counts, i int) {
	part := parts[w.random.IntN(len(parts))]
	w.first("sku", componentID(i))
	w.text("name", fmt.Sprintf("%s, %s, %d", part, w.pick(qualities...), i))
	w.text("brand", w.one(n.brands, brandID))
	w.text("category", w.one(n.categories, categoryID))
	w.text("part_number", partNumber(i))
	w.money("price", 150+w.random.IntN(20000))
	w.number("weight_g", 5+w.random.IntN(1500))
	w.text("condition", w.pick("new", "new", "new", "refurbished", "used"))
	w.text("standard", w.pick(standards...))
	if w.random.IntN(2) == 0 {
		w.number("speeds", 1+w.random.IntN(12))
	}
	w.number("in_stock", w.random.IntN(40))
	w.text("introduced", w.date())
	if w.random.IntN(10) == 0 {
		w.flag("discontinued", true)
	}
	w.list("tags", w.some(1, 3, len(tags), func(i int) string { return tags[i] }))
	w.list("compatible_with", w.some(1, 4, n.components, componentID))
	if w.random.IntN(12) == 0 {
		w.text("replaced_by", w.one(n.components, componentID))
	}
	w.number("popularity", w.random.IntN(101))
	if w.random.IntN(8) == 0 {
		w.text("notes", "Fits *well* on shelf "+strconv.Itoa(i%90)+".")
	}
}

func tool(w *writer, n counts, i int) {
	w.first("id", toolID(i))
	w.text("name", fmt.Sprintf("Tool for a %s, %d", strings.ToLower(parts[w.random.IntN(len(parts))]), i))
	w.text("kind", w.pick("hand", "measuring", "press", "stand", "chemical"))
	w.text("location", fmt.Sprintf("wall %d", i%40))
	w.text("brand", w.one(n.brands, brandID))
	w.number("price", 5+w.random.IntN(300))
	w.text("purpose", "What one takes when the other tool is in use.")
	w.list("instead", w.some(1, 1, n.tools, toolID))
}

func symptom(w *writer, n counts, i int) {
	part, fault := parts[w.random.IntN(len(parts))], w.pick(faults...)
	w.first("id", symptomID(i))
	w.text("title", fmt.Sprintf("%s %s, case %d", part, fault, i))
	w.text("area", w.one(n.categories, categoryID))
	w.text("severity", w.pick("cosmetic", "ride-soon", "do-not-ride"))
	w.list("customers_say", []string{"my " + strings.ToLower(part) + " " + fault})
	w.list("check_first", []string{"Look at the " + strings.ToLower(part) + ".", "Listen while it turns."})
	w.list("likely_repairs", w.some(1, 3, n.repairs, repairID))
}

func repair(w *writer, n counts, i int) {
	part := strings.ToLower(parts[w.random.IntN(len(parts))])
	tools := w.some(1, 3, n.tools, toolID)
	w.first("id", repairID(i))
	w.text("title", fmt.Sprintf("%s the %s, job %d", w.pick(acts...), part, i))
	w.text("difficulty", w.pick("easy", "medium", "specialist"))
	w.number("minutes", 5+5*w.random.IntN(24))
	w.money("labour_price", 500+100*w.random.IntN(90))
	w.list("fixes", w.some(1, 3, n.symptoms, symptomID))
	w.list("needs_tools", tools)
	w.list("needs_parts", w.some(0, 3, n.components, componentID))
	w.number("jobs_last_year", w.random.IntN(500))
	w.out.WriteString("  steps:\n    - text: " + quoted("Take the "+part+" off.") + "\n      tool: " + quoted(tools[0]) + "\n")
	w.out.WriteString("    - text: " + quoted("Put it back and tighten it.") + "\n      torque_nm: " + strconv.Itoa(4+w.random.IntN(40)) + "\n")
}

func bulletin(w *writer, n counts, i int) {
	w.first("number", bulletinID(i))
	w.text("title", fmt.Sprintf("Notice %d about a %s", i, strings.ToLower(parts[w.random.IntN(len(parts))])))
	w.text("issued", w.date())
	w.text("kind", w.pick("advice", "check", "recall"))
	w.text("brand", w.one(n.brands, brandID))
	w.list("part_numbers", w.some(1, 3, n.components, partNumber))
	if n.repairs > 0 && w.random.IntN(3) > 0 {
		w.text("repair", w.one(n.repairs, repairID))
	}
	if i > 0 && w.random.IntN(9) == 0 {
		w.text("supersedes", bulletinID(w.random.IntN(i)))
	}
	w.text("text", "Look at every one that comes in, and write the number of the lot on the card.")
}
