// The settings of the selected pane.

import type { App } from "./app";
import { change } from "./commands";
import { get, ICONS, make, toast } from "./dom";
import { mergeSettings, settingOf } from "./model";
import { whyNot } from "./controls";
import type { Refused } from "./protocol";

/** Says at its field why a setting was refused; what was typed stays. */
export function showRefusal(app: App, { pane, settings, message }: Refused): void {
  const panel = get("settings-panel");
  for (const old of panel.querySelectorAll(".refused")) old.remove();
  for (const old of panel.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
  const inputs = [...panel.querySelectorAll<HTMLInputElement | HTMLSelectElement>("form input, form select")];
  const changed = inputs.filter((i) => (i.name === "other" ? i.value.trim() : settings.includes(`${i.name}=${i.value}`) && i.value !== i.dataset.before));
  const last = (i: { name: string; value: string }) => (i.name === "other" ? i.value.split("=")[0].trim() : i.name).split(".").pop()!;
  const at = pane === app.selected && app.tab === "settings" ? changed.find((i) => new RegExp(`\\b${last(i).replace(/\W/g, "")}\\b`).test(message)) ?? changed[0] : undefined;
  // The program names a setting as on its command line: here the field does.
  const plain = message.replace(/^--set [^:]*: /, ""), text = `${plain[0].toUpperCase()}${plain.slice(1)}`;
  if (!at) {
    toast(`The change was refused, and the run goes on as it was. ${text}`);
    return;
  }
  const note = make("p", { className: "refused", id: "refused", textContent: text });
  note.setAttribute("role", "alert");
  at.setAttribute("aria-invalid", "true");
  at.setAttribute("aria-describedby", "refused");
  at.closest(".row")!.after(note);
}

export function showSettings(app: App): void {
  const panel = get("settings-panel");
  const model = app.models.get(app.selected);
  if (!model) {
    panel.replaceChildren(make("p", { className: "sub", textContent: "No scene is open." }));
    return;
  }
  const { info } = model, why = whyNot(info);
  // Settings of another scene mean something else.
  const same = app.ordered().filter((m) => m.info.scene === info.scene);
  const fields: { key: string; input: HTMLInputElement | HTMLSelectElement; before: string }[] = [];
  const row = (label: string, key: string, input: HTMLInputElement | HTMLSelectElement) => {
    input.name = key;
    input.dataset.before = input.value;
    fields.push({ key, input, before: input.value });
    return make("label", { className: "row" }, make("span", { textContent: label }), input);
  };
  const numeric = (value: string, placeholder = "") => make("input", { type: "number", step: "any", value, placeholder });
  const group = (name: string, ...rows: Node[]) => make("fieldset", {}, make("legend", { textContent: name }), ...rows);

  const method = make("select", {}, ...app.views.get(info.pane)!.method.cloneNode(true).childNodes);
  method.value = info.methodName;
  const step = numeric(info.step > 0 ? String(info.step) : "");
  const form = make("form", {}, group("Integrator", row("Method", "integrator.method", method), row("Step size", "integrator.step", step)));
  if (info.material && Object.keys(info.material).length)
    form.append(group("Material", ...Object.entries(info.material).map(([k, v]) => row(k, `body.0.material.${k}`, numeric(String(v))))));
  if (info.kind === "body") {
    const damping = (name: "stiffness" | "mass") => {
      const key = `body.0.damping.${name}`, value = info.damping?.[name] ?? settingOf(info.settings, key);
      return numeric(value === undefined ? "" : String(value), info.damping === null ? "none" : "as in the scene");
    };
    form.append(
      group("Damping", row("Stiffness", "body.0.damping.stiffness", damping("stiffness")), row("Mass", "body.0.damping.mass", damping("mass"))),
    );
  }
  const other = make("input", { type: "text", placeholder: info.kind === "body" ? "world.gravity=[0, -1.6, 0]" : "system.angle=90", name: "other" });
  other.setAttribute("spellcheck", "false");
  form.append(
    group("Any other setting", make("label", { className: "row" }, make("span", { textContent: "key=value" }), other)),
    make("div", { className: "actions" },
      make("button", { type: "submit", className: "primary", textContent: "Apply and restart" }),
      make("button", { type: "button", id: "apply-all", textContent: same.length < app.models.size ? "Apply to all of this scene" : "Apply to all panes", hidden: same.length < 2 })),
  );
  const gather = (): string[] => {
    const settings = fields.filter((f) => f.input.value !== f.before && f.input.value !== "").map((f) => `${f.key}=${f.input.value}`);
    if (other.value.includes("=")) settings.push(other.value.trim());
    return settings;
  };
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const settings = gather();
    if (settings.length) change(app, info.pane, settings);
    else toast("Nothing was changed.");
  });
  form.querySelector("#apply-all")!.addEventListener("click", () => {
    const settings = gather();
    if (settings.length) for (const m of same) change(app, m.index, settings);
    else toast("Nothing was changed.");
  });
  panel.replaceChildren(
    make("h2", { textContent: info.title }),
    make("p", { className: "sub", textContent: [info.method, info.kind === "body" ? `${info.vertices} vertices` : info.coordinates.slice(0, 6).join(", ")].filter(Boolean).join(" · ") }),
    form,
  );
  if (why) {
    panel.insertBefore(make("p", { className: "why", textContent: why }), form);
    for (const control of form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLButtonElement>("input, select, button")) {
      control.disabled = true;
      control.title = why;
    }
  }
  const set = mergeSettings(info.settings);
  if (set.length) panel.append(group("Set for this pane", make("ul", {}, ...set.map((s) => active(app, info.pane, s, why)))));
}

/** A setting of the pane, with a button that takes it away. */
function active(app: App, pane: number, setting: string, why: string): HTMLLIElement {
  const key = setting.split("=")[0].trim();
  const remove = make("button", { type: "button", innerHTML: ICONS.close, title: why || `Take away ${key}`, disabled: !!why });
  remove.setAttribute("aria-label", `Take away ${key}`);
  remove.addEventListener("click", () => change(app, pane, [], [key]));
  return make("li", {}, make("span", { textContent: setting }), remove);
}
