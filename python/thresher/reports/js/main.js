"use strict";
// Draws every part of every model; a part that fails says so in its place.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.models.forEach((model, index) => {
    for (const place of document.querySelectorAll(`#m${index} [data-part]`)) {
      const name = place.dataset.part;
      try {
        Report.parts[name](model, place, index);
      } catch (error) {
        place.replaceChildren(Report.el("p", { class: "error" }, `This part could not be drawn: ${error.message}`));
        throw error;
      }
    }
  });
  const place = document.getElementById("comparison-charts");
  if (place && data.models.every((model) => model.curves)) Report.overlay(data.models, place);
  // On paper the parameters and the columns are open; the numbers of charts are left out by the style sheet.
  window.addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details")) if (!each.closest("figure")) each.open = true; });
  document.documentElement.dataset.ready = "yes";
})();
