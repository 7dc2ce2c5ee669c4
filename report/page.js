"use strict";
// The page works from its block of data: the answers of the form, and the parts that it adds once they are shown.
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

	// A click on a structure in a chart or a table pins it in all of them.
	const pinned = new Set();
	const dress = (part) => {
		for (const e of all("[data-structure]", part)) e.classList.toggle("pin", pinned.has(e.dataset.structure));
		document.body.classList.toggle("pinning", pinned.size > 0);
	};
	document.addEventListener("click", (e) => {
		const at = e.target.closest("svg [data-structure], td[data-structure]");
		if (!at || getSelection().toString()) return;
		const name = at.dataset.structure;
		if (!pinned.delete(name)) pinned.add(name);
		dress(document);
	});
	document.addEventListener("keydown", (e) => {
		if (e.key !== "Escape") return;
		hint(null);
		pinned.clear();
		dress(document);
	});

	// value is the number of a cell; NaN: it has none.
	const value = (cell) => "value" in cell.dataset ? Number(cell.dataset.value) : NaN;
	const sortable = (table) => {
		const rows = [...table.tBodies[0].rows];
		table.classList.toggle("many", table.tHead.rows[0].cells.length > 9);
		if (rows.length > 1) for (const head of table.tHead.rows[0].cells) {
			// Not <button>: browsers omit it in the repeated header of a printed table.
			const button = make("span", { role: "button", tabindex: 0, title: head.title || "Sort by this column" }, ...head.childNodes);
			head.append(button);
			button.addEventListener("keydown", (e) => {
				if (e.key !== "Enter" && e.key !== " ") return;
				e.preventDefault();
				button.click();
			});
			button.addEventListener("click", () => sort(table, rows, head));
		}
	};
	const sort = (table, rows, head) => {
		const order = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
		for (const th of all("th[aria-sort]", table)) th.removeAttribute("aria-sort");
		const sorted = [...rows], column = head.cellIndex, sign = order === "ascending" ? 1 : -1;
		const numeric = rows.some((r) => !isNaN(value(r.cells[column])));
		if (order) {
			head.setAttribute("aria-sort", order);
			sorted.sort((a, b) => {
				const [x, y] = [a.cells[column], b.cells[column]];
				if (!numeric) return sign * x.textContent.localeCompare(y.textContent, "en", { numeric: true });
				const [v, w] = [value(x), value(y)];
				return isNaN(v) || isNaN(w) ? isNaN(v) - isNaN(w) : sign * (v - w);
			});
		}
		table.tBodies[0].append(...sorted);
	};

	// A mark of a chart says what it is.
	const hint = (element, x, y) => {
		const title = element && element.querySelector(":scope > title");
		const words = element && (element.hint || (title ? title.textContent : element.dataset.structure));
		for (const e of all(".at")) e.classList.remove("at");
		$("hint").hidden = !words;
		if (!words) return;
		if (title) { element.hint = words; title.remove(); } // or else the browser shows it, too
		const name = element.dataset.structure;
		if (name) for (const e of all("[data-structure]", element.closest("svg"))) e.classList.toggle("at", e.dataset.structure === name);
		$("hint").textContent = words;
		const box = $("hint").getBoundingClientRect();
		$("hint").style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 8)) + "px";
		$("hint").style.top = (y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 16) + "px";
	};
	document.addEventListener("pointermove", (e) => hint(e.target.closest("svg g, svg [data-structure]"), e.clientX, e.clientY));
	document.addEventListener("scroll", () => hint(null), { capture: true, passive: true });

	// A box that scrolls shows an edge while there is more.
	const edge = (box) => box.classList.toggle("over", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
	const watch = new ResizeObserver((entries) => entries.forEach((e) => edge(e.target)));

	// settle registers a part of the page, fill adds the later part of an element, and reveal adds the narrow charts on a narrow screen.
	const settle = (part) => {
		all("table", part).forEach(sortable);
		for (const box of all(".wide", part)) {
			box.addEventListener("scroll", () => edge(box), { passive: true });
			watch.observe(box);
		}
		dress(part);
	};
	const fill = (element) => {
		const html = data.later[element.id];
		if (html === undefined) return;
		delete data.later[element.id];
		element.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
		settle(element);
	};
	const slim = matchMedia("(max-width: 54rem)");
	const reveal = (part) => {
		if (slim.matches) all(".narrow", part).filter((e) => e.closest("details:not([open])") === null).forEach(fill);
	};
	slim.addEventListener("change", () => reveal(document));
	document.addEventListener("toggle", (e) => {
		if (!e.target.open) return;
		fill(e.target);
		reveal(e.target);
	}, true);

	// The form. Its answers are looked up: Form in package answer documents the fields. The fragment of the address holds the choices.
	const form = data.form;
	const asked = Boolean(form.answers && $("ask"));
	const counted = (n) => n.toLocaleString("en");
	const controls = !asked ? [] : [
		["timers", "Timers", form.n.map((n) => n ? counted(n) : "any"), form.n.length - 1],
		["mix", "Cancelled or moved", form.mix.map((m) => m.words), 0],
		["delays", "Delays", form.delays.map((d) => d || "any"), 0],
		["by", "What matters", form.by, 0],
		["fires", "Fires", form.field.map((f) => f.words), 0],
		["program", "Or a program", ["any", ...(form.programs || []).map((p) => `${p.name}, ${counted(p.n)}`)], 0],
	];
	const control = (name) => document.querySelector(`#ask select[name=${name}]`);
	const chosen = (name) => Math.max(0, control(name).selectedIndex);
	for (const [name, label, choices, start] of controls) {
		const select = make("select", { name }, ...choices.map((text) => make("option", {}, text)));
		select.selectedIndex = start;
		select.addEventListener("change", () => {
			if (name !== "program") control("program").selectedIndex = 0;
			answer();
			history.replaceState(null, "", "#" + new URLSearchParams(controls.map(([name]) => [name, control(name).value])));
		});
		$("ask").append(make("label", {}, label, select));
	}
	const times = (v) => v.toFixed(v < 0.0995 ? 3 : v < 1.995 ? 2 : v < 9.95 ? 1 : 0);
	const ratio = (r) => r && r.center ? [r.center, times(r.center) + (times(r.lo) < times(r.hi) ? ` (${times(r.lo)}–${times(r.hi)})` : "")] : [];
	const digits = (v) => v ? [v, Number(v.toPrecision(3)).toLocaleString("en")] : [];
	const answer = () => {
		const program = chosen("program");
		const at = controls.slice(0, -1).reduce((at, [name, , choices]) => at * choices.length + chosen(name), 0);
		const x = program ? form.programs[program - 1].answer : form.answers[at];
		$("lines").replaceChildren(...(x.named ? x.lines : ["These results cannot answer this."]).map((line) => make("p", {}, line)));
		const columns = [
			["ns", (r) => r.groups ? [r.ns, `${digits(r.ns)[1]} (${r.groups})`] : digits(r.ns), "With the loop, in a single cell"],
			["Times " + x.named, (r) => ratio(r.ratio), "With the loop"], ["without the loop", (r) => ratio(r.net)],
			["by " + x.question.by, (r) => ratio(r.figure)], ["p99, ns", (r) => digits(r.p99_ns), "Of single calls of the slowest kind"], ["Bytes", (r) => digits(r.bytes), "Per timer"],
			["Wake-ups", (r) => digits(r.wakeups), "Of a driver that sleeps until the next deadline, for each timer that fires"], ["Longest call, ns", (r) => digits(r.longest_ns)],
		].filter(([, cell]) => (x.rows || []).some((r) => cell(r).length));
		const head = make("tr", {}, make("th", { class: "l" }, "Structure"), ...columns.map(([text, , title = ""]) => make("th", { title }, text)));
		const rows = (x.rows || []).map((r) => make("tr", {},
			make("td", { class: "l", "data-structure": r.structure }, r.structure + (r.group ? ` (${r.group})` : "") + (r.structure === x.named ? ", take it" : r.ties ? ", ties" : "")),
			...columns.map(([, cell]) => cell(r)).map(([value, text]) => make("td", text ? { "data-value": value } : {}, text || "–"))));
		$("ranking").replaceChildren(...(x.named ? [make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))] : []));
		all("table", $("ranking")).forEach(sortable);
		dress($("ranking"));
	};
	// recall sets the choices from the address. It ignores unknown names and values.
	const recall = () => {
		const then = new URLSearchParams(location.hash.slice(1));
		for (const [name, , choices, start] of controls) {
			const at = choices.indexOf(then.get(name));
			control(name).selectedIndex = at < 0 ? start : at;
		}
		answer();
	};

	settle(document);
	if (asked) {
		addEventListener("hashchange", recall);
		recall();
		$("ask").hidden = false;
	}
	reveal(document);
	document.querySelector("main").classList.add("ready");
})();
