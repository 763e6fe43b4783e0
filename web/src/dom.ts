// Small help with elements of the page.

export const get = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export const make = <K extends keyof HTMLElementTagNameMap>(tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

export const ICONS = {
  play: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M6 4v12l10-6z"/></svg>',
  pause: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5.5 4.5h3v11h-3zM11.5 4.5h3v11h-3z"/></svg>',
  settings: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h7M15 6h2M3 14h2M10 14h7"/><circle cx="12.5" cy="6" r="2.2"/><circle cx="7.5" cy="14" r="2.2"/></svg>',
  close: '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5L5 15"/></svg>',
};

/** What was said no longer holds. */
export function untoast(message: string): void {
  for (const old of [...get("toasts").children]) if ((old as HTMLElement).dataset.message === message) old.remove();
}

/** A message that stays for a while; the same again does not pile up. */
export function toast(message: string): void {
  const holder = get("toasts");
  untoast(message);
  while (holder.children.length >= 3) holder.firstElementChild!.remove();
  const close = make("button", { type: "button", textContent: "×" });
  close.setAttribute("aria-label", "Dismiss");
  const element = make("div", { className: "toast" }, make("span", { textContent: message }), close);
  element.dataset.message = message;
  close.addEventListener("click", () => element.remove());
  setTimeout(() => element.remove(), 9000);
  holder.append(element);
}
