"use strict";
// The page works from its block of data: answers, and the parts that it adds once they are shown.
(async () => {
	const $ = (id) => document.getElementById(id);
	const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
	const make = (name, attributes, ...children) => {
		const e = document.createElement(name);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		e.append(...children);
		return e;
	};
	const packed = Uint8Array.from(atob($("data").textContent), (c) => c.charCodeAt(0));
	const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
	const structures = data.structures;
	const byName = new Map(structures.map((s) => [s.name, s]));
	const say = (text) => { $("said").textContent = text; };

	// The elements of each structure, by its name.
	const shown = new Map();
	const pinned = new Set();
	const filtered = new Set();
	const show = (name, element) => {
		if (!shown.has(name)) shown.set(name, new Set());
		shown.get(name).add(element);
		dress(name, element);
	};
	const dress = (name, element) => {
		element.classList.toggle("pin", pinned.has(name));
		element.classList.toggle("off", filtered.has(name));
	};
	const mark = (name) => {
		for (const e of shown.get(name) || []) dress(name, e);
	};
	const pin = (name) => {
		if (!pinned.delete(name)) pinned.add(name);
		mark(name);
		document.body.classList.toggle("pinning", pinned.size > 0);
		for (const b of all("#pins button[data-pin]")) b.setAttribute("aria-pressed", pinned.has(b.dataset.pin));
		remember();
		say(pinned.size ? "Pinned: " + [...pinned].join(", ") + "." : "Nothing is pinned.");
	};

	// adopt registers the structures of a table and makes the table sortable.
	const cellsOf = (row) => [...row.cells];
	const adopt = (table) => {
		const head = table.tHead && table.tHead.rows[0];
		if (!head) return;
		const rows = [...table.tBodies[0].rows];
		table.classList.toggle("many", head.cells.length > 9);
		cellsOf(head).forEach((cell, i) => {
			const name = cell.dataset.structure;
			if (name) for (const e of [cell, ...rows.map((row) => row.cells[i])]) show(name, e);
		});
		for (const row of rows) {
			if (row.dataset.structure) show(row.dataset.structure, row);
			for (const cell of row.querySelectorAll("td[data-structure]")) {
				cell.classList.add("name");
				cell.dataset.pin = cell.dataset.structure;
			}
		}
		if (rows.length > 1) cellsOf(head).forEach((cell, i) => sortable(table, rows, cell, i));
	};

	// value is the number of a cell; NaN: it has none.
	const value = (cell) => "value" in cell.dataset ? Number(cell.dataset.value) : NaN;
	const sortable = (table, rows, head, column) => {
		// Not <button>: browsers omit it in the repeated header of a printed table.
		const button = make("span", { role: "button", tabindex: 0, title: head.title || "Sort by this column" }, ...head.childNodes);
		head.append(button);
		button.addEventListener("keydown", (e) => {
			if (e.key !== "Enter" && e.key !== " ") return;
			e.preventDefault();
			button.click();
		});
		button.addEventListener("click", () => {
			const order = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
			for (const th of all("th[aria-sort]", table)) th.removeAttribute("aria-sort");
			const sorted = [...rows];
			if (order) {
				head.setAttribute("aria-sort", order);
				const sign = order === "ascending" ? 1 : -1;
				const numeric = rows.some((r) => !isNaN(value(r.cells[column])));
				const compare = (a, b) => {
					const [x, y] = [a.cells[column], b.cells[column]];
					if (!numeric) return sign * x.textContent.localeCompare(y.textContent, "en", { numeric: true });
					const [v, w] = [value(x), value(y)];
					return isNaN(v) || isNaN(w) ? isNaN(v) - isNaN(w) : sign * (v - w);
				};
				sorted.sort(compare);
			}
			table.tBodies[0].append(...sorted);
			say(order ? "Sorted by " + button.textContent + ", " + order + "." : "Back in the original order.");
		});
	};

	// The form. Its answers are looked up: package answer documents the fields.
	const form = data.form;
	const asked = Boolean(form.answers && $("ask"));
	const controls = !asked ? [] : [
		["timers", "Timers", form.n.map((n) => n ? n.toLocaleString("en") : "any"), form.n.length - 1],
		["mix", "Mix", form.mix.map((m) => m.words), 0],
		["delays", "Delays", form.delays.map((d) => d || "any"), 0],
		["by", "By", form.by, 0],
		["fires", "Fires", form.field.map((f) => f.words), 0],
	];
	const programs = ["any", ...(form.programs || []).map((p) => `${p.name}, ${p.n.toLocaleString("en")}`)];
	const control = (name) => document.querySelector(`#ask select[name=${name}]`);
	const chosen = (name) => Math.max(0, control(name).selectedIndex);
	const addControl = ([name, label, choices, start]) => {
		const select = make("select", { name }, ...choices.map((text) => make("option", {}, text)));
		select.selectedIndex = start;
		select.addEventListener("change", () => {
			if (name !== "program") control("program").selectedIndex = 0;
			answer();
		});
		$("ask").append(make("label", {}, label, select));
	};
	const ratio = (r) => r ? [r.center, `${times(r.center)}${r.lo < r.hi ? ` (${times(r.lo)}–${times(r.hi)})` : ""}`] : [];
	const times = (v) => v.toFixed(v < 0.0995 ? 3 : v < 1.995 ? 2 : v < 9.95 ? 1 : 0);
	const digits = (v) => v ? [v, Number(v.toPrecision(3)).toLocaleString("en")] : [];
	const answer = () => {
		const program = chosen("program");
		const at = controls.reduce((at, [name, , choices]) => at * choices.length + chosen(name), 0);
		const x = program ? form.programs[program - 1].answer : form.answers[at];
		const lines = x.named ? x.lines : ["These results cannot answer this."];
		$("lines").replaceChildren(...lines.map((line) => make("p", {}, line)));
		const head = ["Structure", "ns", `to ${x.named}`, "without the loop", "by " + x.question.by, "p99 ns", "Bytes", "Wake-ups", "Longest, ns"];
		const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((text) => make("th", {}, text)))), make("tbody", {}));
		for (const r of x.rows || []) {
			const cells = [digits(r.ns), ratio(r.ratio), ratio(r.net), ratio(r.figure), digits(r.p99_ns), digits(r.bytes), digits(r.wakeups), digits(r.longest_ns)];
			const name = r.structure + (r.group ? ` (${r.group})` : "") + (r.structure === x.named ? ", take it" : r.ties ? ", ties" : "");
			table.tBodies[0].append(make("tr", { "data-structure": r.structure }, make("td", { class: "l", "data-structure": r.structure }, name),
				...cells.map(([value, text]) => make("td", text ? { "data-value": value } : {}, text || "–"))));
		}
		for (const elements of shown.values()) for (const e of elements) if ($("ranking").contains(e)) elements.delete(e);
		$("ranking").replaceChildren(...(x.named ? [table] : []));
		if (x.named) adopt(table);
	};

	// The list of structures, to filter and to pin.
	const families = [...new Set(structures.map((s) => s.family))];
	const own = [["our own", (s) => !s.shelf], ["off the shelf", (s) => s.shelf]];
	const filter = () => {
		const off = new Set(all("#pins input:not(:checked)").map((c) => c.name));
		filtered.clear();
		for (const s of structures) {
			if (off.has(s.family) || off.has(s.shelf ? "off the shelf" : "our own")) filtered.add(s.name);
			mark(s.name);
		}
		for (const b of all("#pins button[data-pin]")) b.classList.toggle("off", filtered.has(b.dataset.pin));
		all("figure svg").forEach(close);
		say(`${structures.length - filtered.size} of ${structures.length} structures are shown.`);
	};
	// close closes the gaps of filtered rows in a chart. A row is at its label.
	const close = (svg) => {
		if (!filtered.size && !svg.whole) return; // it has all its rows
		const labels = all(":scope > text[data-structure]", svg);
		if (labels.length < 2 || !svg.getClientRects().length) return; // it has no rows, or is the one for another screen
		const parts = [...svg.children].filter((e) => e.getClientRects().length || e.getBBox);
		const [, , width, height] = (svg.whole ||= svg.getAttribute("viewBox").split(" ").map(Number));
		for (const e of parts) e.style.translate = e.style.scale = "";
		svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
		svg.setAttribute("height", height / 0.75);
		const y = labels.map((e) => Number(e.getAttribute("y"))).sort((a, b) => a - b);
		const pitch = Math.min(...y.slice(1).map((v, i) => v - y[i]).filter((d) => d > 1));
		const gone = labels.filter((e) => e.classList.contains("off")).map((e) => Number(e.getAttribute("y")) - 3);
		const { top, width: wide } = svg.getBoundingClientRect();
		const boxes = parts.map((e) => e.getBoundingClientRect()).map((b) => [(b.top - top) * width / wide, (b.bottom - top) * width / wide]);
		parts.forEach((e, i) => {
			const [from, to] = boxes[i];
			const above = gone.filter((v) => v <= from - pitch / 2).length;
			const inside = gone.filter((v) => v > from - pitch / 2 && v < to + pitch / 2).length;
			e.style.opacity = inside && to - from < pitch ? 0 : ""; // a line of the grid, in a row that is gone
			if (above) e.style.translate = `0 ${-above * pitch}px`;
			if (!inside || to - from < 1.5 * pitch) return;
			e.style.transformBox = "fill-box"; // a line or a field along the rows
			e.style.scale = `1 ${1 - inside * pitch / (to - from)}`;
		});
		svg.setAttribute("viewBox", `0 0 ${width} ${height - gone.length * pitch}`);
		svg.setAttribute("height", (height - gone.length * pitch) / 0.75);
	};

	const check = (name, count) => {
		const box = make("input", { type: "checkbox", name, checked: "" });
		box.addEventListener("change", filter);
		return make("label", { class: "family" }, box, ` ${name} (${count})`);
	};
	for (const [name, is] of own) {
		const count = structures.filter(is).length;
		if (count && count < structures.length) $("pins").append(check(name, count));
	}
	for (const family of families) {
		const members = structures.filter((s) => (s.family) === family);
		$("pins").append(check(family, members.length));
		for (const s of members) {
			const button = make("button", { type: "button", "data-pin": s.name, "aria-pressed": "false" }, s.name);
			button.style.setProperty("--look", s.color);
			$("pins").append(button);
		}
	}

	// Pointers and keys on charts, legends and names.
	const hint = (element, x, y) => {
		const title = element && element.querySelector(":scope > title");
		const words = element && (element.hint || (title ? title.textContent : element.dataset.structure));
		for (const e of all(".at")) e.classList.remove("at");
		$("hint").hidden = !words;
		if (!words) return;
		if (title) { element.hint = words; title.remove(); } // or else the browser shows it, too
		for (const e of all("[data-structure]", element.closest("svg"))) e.classList.toggle("at", e.dataset.structure === element.dataset.structure);
		$("hint").textContent = words;
		const box = $("hint").getBoundingClientRect();
		$("hint").style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 8)) + "px";
		$("hint").style.top = (y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 16) + "px";
	};
	document.addEventListener("pointermove", (e) => hint(e.target.closest("svg [data-structure]"), e.clientX, e.clientY));
	document.addEventListener("scroll", () => hint(null), { capture: true, passive: true });
	document.addEventListener("click", (e) => {
		const at = e.target.closest("svg [data-structure], [data-pin]");
		if (at && !getSelection().toString()) pin(at.dataset.structure || at.dataset.pin);
	});
	const readable = (figure) => {
		let series = null;
		figure.addEventListener("blur", () => hint(null));
		figure.addEventListener("keydown", (e) => {
			const list = all("g[data-structure]", figure).filter((g) => g.getClientRects().length);
			const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
			if (step && list.length) {
				e.preventDefault();
				series = list[(Math.max(list.indexOf(series), step < 0 ? 0 : -1) + step + list.length) % list.length];
				series.scrollIntoView({ block: "nearest", inline: "nearest" });
				const box = series.getBoundingClientRect();
				requestAnimationFrame(() => { hint(series, box.left, box.bottom - 10); say($("hint").textContent); });
			} else if ((e.key === "Enter" || e.key === " ") && series) {
				e.preventDefault();
				pin(series.dataset.structure);
			}
		});
	};
	document.addEventListener("keydown", (e) => {
		if (e.key !== "Escape") return;
		hint(null);
		for (const name of [...pinned]) pin(name);
	});

	// A box that scrolls shows an edge while there is more.
	const edge = (box) => box.classList.toggle("over", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
	const watch = new ResizeObserver((entries) => entries.forEach((e) => edge(e.target)));

	// settle registers a part of the page, so that it follows the choices.
	const settle = (part) => {
		for (const e of all("svg [data-structure]", part)) show(e.dataset.structure, e);
		all("table", part).forEach(adopt);
		all("figure", part).forEach(readable);
		for (const box of all(".wide", part)) {
			box.addEventListener("scroll", () => edge(box), { passive: true });
			watch.observe(box);
		}
	};
	// fill adds the later part of an element, once.
	const fill = (element) => {
		const html = data.later[element.id];
		if (html === undefined) return;
		delete data.later[element.id];
		element.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
		settle(element);
	};
	// reveal adds the narrow charts of a part on a narrow screen, and closes the gaps in all its charts.
	const slim = matchMedia("(max-width: 54rem)");
	const reveal = (part) => {
		if (slim.matches) all(".narrow", part).filter((e) => e.closest("details:not([open])") === null).forEach(fill);
		all("figure svg", part).forEach(close);
	};
	slim.addEventListener("change", () => reveal(document));
	document.addEventListener("toggle", (e) => {
		if (!e.target.open) return;
		fill(e.target);
		reveal(e.target);
	}, true);

	// The fragment of the address holds the choices.
	const remember = () => {
		const now = new URLSearchParams();
		for (const s of all("#ask select")) if (s.selectedIndex >= 0) now.set(s.name, s.value);
		const off = all("#pins input:not(:checked)").map((c) => c.name);
		if (off.length) now.set("without", off.join(","));
		if (pinned.size) now.set("pin", [...pinned].join(","));
		history.replaceState(null, "", "#" + now);
	};
	// recall sets the choices from the address. It ignores unknown names and values.
	const recall = () => {
		const then = new URLSearchParams(location.hash.slice(1));
		const list = (name) => (then.get(name) || "").split(",").filter(Boolean);
		if (asked) {
			for (const [name, , , start] of controls) control(name).selectedIndex = start;
			control("program").selectedIndex = 0;
			for (const o of all("#ask option")) if (then.get(o.parentElement.name) === o.value) o.selected = true;
		}
		for (const c of all("#pins input")) c.checked = !list("without").includes(c.name);
		for (const name of [...pinned]) if (!list("pin").includes(name)) pin(name);
		for (const name of list("pin")) if (!pinned.has(name) && shown.has(name)) pin(name);
		filter();
		if (asked) answer();
	};
	document.addEventListener("change", () => remember());
	addEventListener("hashchange", recall);

	settle(document);
	$("explore").hidden = false;
	if (asked) {
		controls.forEach(addControl);
		addControl(["program", "Program", programs, 0]);
		$("ask").hidden = false;
	}
	recall();
	reveal(document);
	document.querySelector("main").classList.add("ready");
})();
