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
		if (asked) rank();
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

	// The question. Its answer is looked up; Answers in package analysis documents the fields.
	const answers = data.answers;
	const asked = Boolean(answers.answers && $("ask"));
	const digits = (v) => v >= 1000 ? Math.round(v).toLocaleString("en") : String(v);
	const times = (v) => v.toFixed(v < 0.0995 ? 3 : v < 1.995 ? 2 : v < 9.95 ? 1 : 0);
	const controls = !asked ? [] : [
		["timers", "Timers", answers.n.map((n) => n >= 1e6 ? n / 1e6 + " million" : n.toLocaleString("en")), answers.n.length - 1],
		["cancelled", "Cancelled", answers.cancel.map((c) => c < 0 ? "not known" : Math.round(100 * c) + " %"), 0],
		["moved", "Moved", answers.moved.map((c) => c < 0 ? "not known" : Math.round(100 * c) + " %"), 0],
		["delays", "Delays", answers.delays.map((d) => d || "any way"), 0],
		["matters", "What matters", answers.matters, 0],
		["late", "May fire late", answers.late.map((late) => late ? "yes" : "no"), 0],
	];
	const recorded = answers.recorded || [];
	const programs = ["any", ...recorded.map((r) => r.name)];
	const control = (name) => document.querySelector(`#ask select[name=${name}]`);
	const chosen = (name) => Math.max(0, control(name).selectedIndex);
	const choose = (name, at) => { control(name).selectedIndex = at; };
	const addControl = ([name, question, choices, start]) => {
		const select = make("select", { name }, ...choices.map((text) => make("option", {}, text)));
		select.selectedIndex = start;
		select.addEventListener("change", () => change(name, select.selectedIndex));
		$("ask").lastElementChild.before(make("label", {}, question, select));
	};
	const change = (name, at) => {
		if (name === "program" && at) replay(at);
		else if (name === "program") neutral();
		else if (recorded.length && chosen("program")) {
			choose("program", 0);
		}
		answer();
	};
	// replay sets the controls to a recorded program: each shows its value that is nearest to the program.
	const replay = (at) => {
		neutral();
		choose("program", at);
		recorded[at - 1].at.forEach((place, i) => choose(controls[i][0], place));
	};
	// neutral sets all controls to the first question of the page.
	const neutral = () => {
		for (const [name, , , start] of controls) choose(name, start);
		if (recorded.length) choose("program", 0);
	};

	// lookUp returns the answer to the question of the controls.
	const lookUp = () => {
		if (recorded.length && chosen("program")) return recorded[chosen("program") - 1].answer;
		return answers.answers[controls.reduce((at, [name, , choices]) => at * choices.length + chosen(name), 0)];
	};

	// The answer, its ranking and its evidence. An answer without a structure has neither.
	let ranking = [];
	let current = null;
	const answer = () => {
		current = lookUp();
		ranking = Object.entries(current.ratio || {}).map(([name, of]) => ({ name, ...of }));
		const first = current.name;
		const path = first && byName.get(first).import;
		$("import").hidden = !path;
		$("import").replaceChildren(make("code", {}, `import "${path}"`));
		if (first) {
			$("sentence").replaceChildren(current.before, make("strong", {}, first), current.after);
			$("more").textContent = current.rest;
		} else {
			$("sentence").textContent = "These results cannot answer this.";
			$("more").textContent = "";
		}
		const notes = [current.far, ...(current.missing || [])].filter(Boolean);
		$("notes").replaceChildren(...notes.map((note) => make("p", {}, note)));
		worth();
		rank();
		evidence(current.evidence || []);
	};
	// worth compares the cost of the named structure with another one at the given rate, like Answer.Worth in package analysis.
	const worth = () => {
		const rate = Number($("rate").value);
		const [first, next] = [current.name, current.against].map((name) => ranking.find((s) => s.name === name));
		const what = next && { lifecycle: "timers", reschedule: "moves" }[current.evidence[0].unit];
		$("worth").hidden = !(rate > 0 && what && first.ns) || Boolean(chosen("matters"));
		if ($("worth").hidden) return;
		const two = (v) => Number(v.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 20 });
		const share = (cores) => cores < 0.995 ? two(100 * cores) + " % of a core" : two(cores) === "1" ? "1 core" : two(cores) + " cores";
		const size = (bytes) => {
			const [unit, name] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "bytes"]].find(([least]) => bytes >= 0.9995 * least) || [1, "bytes"];
			return Number((bytes / unit).toPrecision(3)) + " " + name;
		};
		const cores = (s) => rate * first.ns / 1e9 * s.center;
		const program = recorded.length && chosen("program"); // its number of timers is its own
		const takes = (s) => share(cores(s)) + (s.bytes && !program ? " and " + size(s.bytes * answers.n[chosen("timers")]) : "");
		const difference = Math.abs(cores(next) - cores(first));
		$("worth").textContent = `At ${rate.toLocaleString("en")} ${what} a second, ${first.name} takes ${takes(first)}, and ` +
			`${next.name} ${takes(next)}: ` + (difference < 0.1 ? "the difference is too small to matter." : `a difference of ${share(difference)}.`);
	};
	const rank = () => {
		for (const elements of shown.values()) for (const e of elements) if ($("ranking").contains(e)) elements.delete(e);
		$("others").hidden = !ranking.length;
		if (!ranking.length) return;
		const head = [["Structure"], ["Times " + current.name], [`ns per ${current.evidence[0].unit}`, "In the nearest cell"], ["p99 ns", "99th percentile of single calls of the slowest kind, in the nearest cell"],
			["Bytes per timer", current.bytes_among && `Measured among ${short(current.bytes_among)}`],
			["Idle, ticking", "Idle wake-ups per fired timer among that many, with delays of 30 s and a driver that wakes at every tick of 1 ms"],
			["Idle, tickless", "Idle wake-ups per fired timer, with a driver that sleeps until the next deadline" + (current.idle_among ? `, among ${short(current.idle_among)}` : "")]];
		const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map(([text, title = ""], i) => make("th", { title, class: i ? "" : "l" }, text)),
			make("th", { class: "l" }, "Remark"))), make("tbody", {}));
		const left = ranking.filter((s) => !filtered.has(s.name));
		for (const s of left) {
			const [lo, hi] = [times(s.lo ?? s.center), times(s.hi ?? s.center)];
			const { late } = byName.get(s.name);
			const remark = [s.name === current.name ? "take it" : current.candidates.includes(s.name) && "may be the best", late && "late by " + late].filter(Boolean).join(", ");
			const cells = [[s.center, lo === hi ? times(s.center) : lo + " to " + hi],
				...[s.ns, s.p99_ns, s.bytes, s.idle_ticking, s.idle_tickless].map((v) => [v, v !== undefined && digits(v)])];
			table.tBodies[0].append(make("tr", { "data-structure": s.name }, make("td", { class: "l", "data-structure": s.name }, s.name),
				...cells.map(([value, text]) => make("td", text ? { "data-value": value } : {}, text || "–")),
				make("td", { class: "l" }, remark)));
		}
		$("ranking").replaceChildren(table);
		adopt(table);
	};
	const evidence = (list) => {
		const cells = list.map((e) => [e.workload, short(e.n), Math.round(100 * e.weight)]);
		const words = cells.slice(0, 3).map(([workload, n, share]) => `${workload} with ${n} timers (${share} %)`);
		if (cells.length > 3) words.push(`${cells.length - 3} more`);
		$("evidence").hidden = !cells.length;
		$("evidence").textContent = `The answer rests on ${words.join(", ")}, marked in the tables below.`;
		evident = new Set(cells.map(([workload, n]) => workload + " " + n));
		underline(document);
	};
	let evident = new Set(); // cells of the results
	const underline = (within) => {
		for (const e of all("[data-cell]", within)) e.classList.toggle("evident", evident.has(e.dataset.cell));
	};
	// short writes a number of timers like the tables.
	const short = (n) => {
		const [size, unit] = n >= 999500 ? [1e6, "M"] : n >= 999.5 ? [1e3, "k"] : [1, ""];
		return Number((n / size).toPrecision(3)) + unit;
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
		if (asked) rank();
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
		underline(part);
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
		if (asked && $("rate").value) now.set("rate", $("rate").value);
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
			const rate = Number(then.get("rate"));
			$("rate").value = rate > 0 ? rate : "";
			first();
			const program = programs.indexOf(then.get("program"));
			if (program > 0) replay(program);
			else if (program === 0) neutral();
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
	// first sets the controls to the first question: the first program if the run has only recorded programs.
	const first = () => answers.program ? replay(1) : neutral();

	settle(document);
	$("explore").hidden = false;
	if (asked) {
		controls.forEach(addControl);
		if (recorded.length) addControl(["program", "Program", programs, 0]);
		$("rate").addEventListener("input", () => worth());
		$("ask").hidden = false;
	}
	recall();
	reveal(document);
	document.querySelector("main").classList.add("ready");
})();
