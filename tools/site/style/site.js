// The button for light and dark, where Furo's own script did not start: Debian's is a module, which browsers do not load
// from a file.
window.addEventListener("load", () => {
  if (!document.documentElement.classList.replace("no-js", "js")) return;
  const themes = ["auto", "light", "dark"];
  for (const button of document.getElementsByClassName("theme-toggle")) {
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(document.body.dataset.theme) + 1) % themes.length];
      document.body.dataset.theme = next;
      localStorage.setItem("theme", next);
    });
  }
});
