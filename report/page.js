"use strict";
// What the page does when it is touched. All answers and figures come from its block of data.
(() => {
	const $ = (id) => document.getElementById(id);
	const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
	const make = (name, attributes, ...children) => {
		const e = document.createElement(name);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		e.append(...children);
		return e;
	};
	const data = JSON.parse($("data").textContent);
	const structures = data.structures || [];
	const say = (text) => { $("said").textContent = text; };

	// Where each structure is shown: elements by its name.
	const shown = new Map();
	const show = (name, element) => {
		if (!shown.has(name)) shown.set(name, new Set());
		shown.get(name).add(element);
	};
	const pinned = new Set();
	const filtered = new Set();
	const mark = (name) => {
		for (const e of shown.get(name) || []) {
			e.classList.toggle("pin", pinned.has(name));
			e.classList.toggle("off", filtered.has(name));
		}
	};
	const pin = (name) => {
		if (!pinned.delete(name)) pinned.add(name);
		mark(name);
		document.body.classList.toggle("pinning", pinned.size > 0);
		for (const b of all("#pins button[data-pin]")) b.setAttribute("aria-pressed", pinned.has(b.dataset.pin));
		say(pinned.size ? "Pinned: " + [...pinned].join(", ") + "." : "Nothing is pinned.");
		if (data.ask) rank();
	};

	// The names by which tables call a structure: bold, in italics, or with its role behind it.
	const known = new Set(structures.map((s) => s.name));
	for (const e of all("svg [data-structure]")) known.add(e.dataset.structure);
	for (const name of data.ratios ? data.ratios.names : []) known.add(name);
	const nameIn = (cell) => {
		const text = cell.textContent.trim();
		return known.has(text) ? text : "";
	};
	const cellsOf = (row) => [...row.cells];
	const text = (cell) => cell.textContent.trim();

	// tables finds what they show of each structure, and makes them sortable.
	const adopt = (table) => {
		const head = table.tHead && table.tHead.rows[0];
		if (!head) return;
		const columns = cellsOf(head).map(text);
		const rows = [...table.tBodies[0].rows];
		const names = cellsOf(head).map(nameIn);
		const owner = columns.indexOf("Structure");
		table.parentElement.classList.toggle("many", columns.length > 12);
		names.forEach((name, i) => name && show(name, head.cells[i]));
		for (const row of rows) {
			cellsOf(row).forEach((cell, i) => {
				if (names[i]) show(names[i], cell);
				const name = nameIn(cell);
				if (!name) return;
				cell.classList.add("name");
				cell.dataset.pin = name;
				if (i === owner) show(name, row);
			});
		}
		if (rows.length > 1) cellsOf(head).forEach((cell, i) => sortable(table, rows, cell, i));
	};

	// value reads a number with its unit or scale; NaN: there is none.
	const scales = { k: 1e3, M: 1e6, G: 1e9, ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 };
	const value = (cell) => {
		const m = text(cell).replace(/[\u202f,]/g, "").match(/^[^\d.-]{0,2}(-?\d[\d.]*(?:e-?\d+)?)\s?(k|M|G|ns|µs|ms|s)?(?![a-z])/);
		return m ? m[1] * (scales[m[2]] || 1) : NaN;
	};
	const sortable = (table, rows, head, column) => {
		const button = make("button", { type: "button", title: "Sort by this column" });
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener("click", () => {
			const order = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
			for (const th of all("th[aria-sort]", table)) th.removeAttribute("aria-sort");
			const sorted = [...rows];
			if (order) {
				head.setAttribute("aria-sort", order);
				const sign = order === "ascending" ? 1 : -1;
				const numeric = rows.filter((r) => !isNaN(value(r.cells[column]))).length * 2 > rows.length;
				const compare = (a, b) => {
					const [x, y] = [a.cells[column], b.cells[column]];
					if (!numeric) return sign * text(x).localeCompare(text(y), "en", { numeric: true });
					const [v, w] = [value(x), value(y)];
					return isNaN(v) || isNaN(w) ? isNaN(v) - isNaN(w) : sign * (v - w);
				};
				sorted.sort(compare);
			}
			table.tBodies[0].append(...sorted);
			say(order ? "Sorted by " + text(button) + ", " + order + "." : "In the first order again.");
		});
	};

	// The question: the answer is looked up, and shown with its ranking and the cells that it rests on.
	let rankAll = false;
	let current = [];
	const chosen = (name) => { const c = document.querySelector(`#ask input[name=${name}]:checked`); return c ? +c.value : 0; };
	const controls = ["timers", "cancelled", "delays", "matters", "late"];
	const place = () => {
		const sizes = data.ask.sizes;
		const at = controls.map(chosen);
		const preset = chosen("workload");
		let i = preset ? (sizes[0] * sizes[1] * sizes[2] + preset - 1) : ((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]);
		return (i * sizes[3] + at[3]) * sizes[4] + at[4];
	};
	const groups = (list, n) => Array.from({ length: list.length / n }, (_, i) => list.slice(i * n, i * n + n));
	const answer = () => {
		const a = data.ask.answers[place()];
		current = a ? groups(data.ask.rankings[a[2]], 3) : [];
		const first = current.length && structures[current[0][0]];
		if (a) {
			const at = a[0].indexOf(": " + first.name) + 2;
			$("sentence").replaceChildren(a[0].slice(0, at), make("strong", {}, first.name), a[0].slice(at + first.name.length));
			$("notes").replaceChildren(...data.ask.notes[a[1]].map((n) => make("p", {}, n)));
		} else {
			$("sentence").textContent = "These results cannot answer this.";
			$("notes").replaceChildren();
		}
		$("import").hidden = !(first && first.import);
		$("import").replaceChildren(make("code", {}, `import "${first && first.import}"`));
		rank(a);
		evidence(a ? groups(data.ask.evidence[a[4]], 3) : []);
	};
	const rank = (a = data.ask.answers[place()]) => {
		for (const elements of shown.values()) for (const e of elements) if ($("ranking").contains(e)) elements.delete(e);
		$("ranking").hidden = !a;
		if (!a) return;
		const figures = new Map(groups(data.ask.figures[a[3]], 5).map(([i, ...f]) => [i, f]));
		const table = make("table", {}, make("thead", {}, make("tr", {},
			...["Structure", "Times the first", "ns", "99.9 % of calls, ns", "Bytes a timer", "Wake-ups"].map((t) => make("th", { scope: "col" }, t)),
			make("th", { class: "l", scope: "col" }, "Remark"))), make("tbody", {}));
		const visible = current.filter(([i], at) => rankAll || at < 8 || pinned.has(structures[i].name));
		for (const [i, times, remark] of visible) {
			const s = structures[i];
			const row = make("tr", {}, make("td", {}, s.name), make("td", {}, times),
				...figures.get(i).map((f) => make("td", {}, f || "–")),
				make("td", { class: "l" }, [remark, s.late && "late by " + s.late].filter(Boolean).join(", ")));
			table.tBodies[0].append(row);
		}
		const more = make("button", { type: "button", "aria-expanded": rankAll }, rankAll ? "Fewer" : `All ${current.length}`);
		more.addEventListener("click", () => { rankAll = !rankAll; rank(); $("ranking").querySelector(":scope > button").focus(); });
		$("ranking").replaceChildren(table, ...(current.length > 8 ? [more] : []));
		adopt(table);
		for (const name of shown.keys()) mark(name);
	};
	const evidence = (cells) => {
		$("evidence").hidden = !cells.length;
		$("evidence").textContent = "It rests on " + cells.map(([w, n, share]) => `${w} with ${n} timers (${share})`).join(", ") + ".";
		const evident = new Set(cells.map(([w, n]) => w + " " + n));
		for (const [row, key] of cellRows) row.classList.toggle("evident", evident.has(key));
		for (const e of all("svg [data-cell]")) e.classList.toggle("evident", evident.has(e.dataset.cell));
	};
	// Rows about one cell of the results, with the workload and N of it.
	const cellRows = new Map();
	for (const table of all("table")) {
		if (!table.tHead) continue;
		const columns = cellsOf(table.tHead.rows[0]).map(text);
		const [w, n] = [columns.indexOf("Workload"), columns.indexOf("N")];
		if (w < 0 || n < 0) continue;
		for (const row of table.tBodies[0].rows) cellRows.set(row, text(row.cells[w]).replace(/ \(.*/, "") + " " + text(row.cells[n]));
	}

	// The baseline of ratios.
	const ratioText = (v) => {
		const digits = v < 0.0995 ? 3 : v < 1.995 ? 2 : v < 9.95 ? 1 : 0;
		return v.toFixed(digits);
	};
	const rebase = () => {
		const base = data.ratios.names.indexOf($("baseline").value);
		const count = data.ratios.names.length;
		const at = (i, j) => i * count - i * (i + 1) / 2 + j - i - 1; // of the pair i < j
		const ratio = (cell, i) => {
			if (base < 0 || i === base) return 0;
			const r = i < base ? cell.r[at(i, base)] : cell.r[at(base, i)];
			return i < base || !r ? r : 1 / r;
		};
		for (const [row, cell] of ratioRows) {
			const ratios = data.ratios.names.map((_, i) => ratio(cell, i));
			ratios[base] = ratios.some(Boolean) ? 1 : 0; // it took part if it has a ratio to another
			ratios.forEach((r, i) => {
				const td = row.cells[i + 2];
				if (base < 0) td.replaceChildren(...td.original);
				else td.textContent = r ? ratioText(Math.abs(r)) + (r < 0 ? "?" : "") : "–";
			});
		}
		for (const p of all("[data-basis]")) {
			p.textContent = base < 0 ? "" : `Multiples of ${$("baseline").value}, paired by round. With a question mark: not certain, its 95 % interval holds 1.`;
		}
		say("Ratios are to " + (base < 0 ? "the fastest" : $("baseline").value) + ".");
	};
	const ratioRows = new Map();
	if (data.ratios) {
		const byKey = new Map(data.ratios.cells.map((c) => [c.w + " " + c.n, c]));
		for (const box of all("[data-ratios]")) {
			box.before(make("p", { "data-basis": "" }));
			for (const row of box.querySelector("table").tBodies[0].rows) {
				for (const td of row.cells) td.original = [...td.childNodes];
				ratioRows.set(row, byKey.get(cellRows.get(row)));
			}
		}
		$("baseline").append(make("option", { value: "" }, "the fastest"), ...data.ratios.names.map((n) => make("option", { value: n }, n)));
		$("baseline").addEventListener("change", rebase);
	} else {
		$("baseline").closest("p").hidden = true;
	}

	// The list of structures: what is filtered and what is pinned.
	const families = [...new Set(structures.map((s) => s.family || "others"))];
	const own = [["our own", (s) => !s.shelf], ["off the shelf", (s) => s.shelf]];
	const filter = () => {
		const off = new Set(all("#pins input:not(:checked)").map((c) => c.name));
		filtered.clear();
		for (const s of structures) {
			if (off.has(s.family || "others") || off.has(s.shelf ? "off the shelf" : "our own")) filtered.add(s.name);
			mark(s.name);
		}
		for (const b of all("#pins button[data-pin]")) b.classList.toggle("off", filtered.has(b.dataset.pin));
		say(`${structures.length - filtered.size} of ${structures.length} structures are shown.`);
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
		const members = structures.filter((s) => (s.family || "others") === family);
		$("pins").append(check(family, members.length));
		for (const s of members) $("pins").append(make("button", { type: "button", "data-pin": s.name, "aria-pressed": "false" }, s.name));
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
	for (const figure of all("figure")) {
		let series = null;
		figure.addEventListener("blur", () => hint(null));
		figure.addEventListener("keydown", (e) => {
			const list = all("g[data-structure]", figure).filter((g) => !g.classList.contains("off"));
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
	}
	document.addEventListener("keydown", (e) => {
		if (e.key !== "Escape") return;
		hint(null);
		for (const name of [...pinned]) pin(name);
	});

	// What scrolls shows an edge while there is more.
	const edge = (box) => box.classList.toggle("over", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
	const boxes = all("figure, .wide");
	for (const box of boxes) box.addEventListener("scroll", () => edge(box), { passive: true });
	const watch = new ResizeObserver((entries) => entries.forEach((e) => edge(e.target)));
	boxes.forEach((box) => watch.observe(box));
	let opened = [];
	addEventListener("beforeprint", () => { opened = all("details:not([open])"); opened.forEach((d) => { d.open = true; }); });
	addEventListener("afterprint", () => opened.forEach((d) => { d.open = false; }));

	for (const e of all("svg [data-structure]")) show(e.dataset.structure, e);
	all("table").forEach(adopt);
	$("explore").hidden = false;
	$("explore").open = matchMedia("(min-width: 75rem)").matches;
	if (data.ask) {
		$("ask").hidden = false;
		const standard = $("the-answers-to-the-standard-questions");
		if (standard) standard.closest("details").open = false;
		for (const input of all("#ask input")) {
			input.addEventListener("change", () => {
				const preset = chosen("workload");
				if (input.name === "workload" && preset) {
					data.ask.presets[preset - 1].forEach((at, i) => { all(`#ask input[name=${controls[i]}]`)[at].checked = true; });
				} else if (preset && controls.indexOf(input.name) < 3) {
					all("#ask input[name=workload]")[0].checked = true;
				}
				answer();
			});
		}
		answer();
	}
})();
