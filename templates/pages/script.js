"use strict";
(() => {
  const form = document.querySelector("form");
  const input = document.getElementById("search");
  const status = document.querySelector("output");
  const articles = [...document.querySelectorAll("main article")];
  const links = new Map([...document.querySelectorAll("nav li")].map((item) => [item.firstElementChild.hash, item]));
  let texts;

  // Hides the definitions that don't contain every word.
  function filter() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    texts ??= articles.map((article) => article.textContent.toLowerCase());
    let count = 0;
    articles.forEach((article, index) => {
      const isMatch = words.every((word) => texts[index].includes(word));
      article.hidden = !isMatch;
      const link = links.get("#" + article.id);
      if (link) link.hidden = !isMatch;
      count += isMatch;
    });
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !group.querySelector("article:not([hidden]), li:not([hidden])");
    }
    for (const about of document.querySelectorAll("main .about")) about.hidden = words.length > 0;
    status.textContent = words.length ? `${count} of ${articles.length}` : "";
  }

  // Shows the target of a link, even if it is folded or filtered out.
  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || target.id === "content") return;
    if (target.closest("[hidden]")) {
      input.value = "";
      filter();
    }
    for (let parent = target.closest("details"); parent; parent = parent.parentElement.closest("details")) parent.open = true;
    target.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && isTyping) {
      input.value = "";
      filter();
      input.blur();
    }
  });
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  addEventListener("hashchange", reveal);
  if (input.value) filter();
  if (location.hash) reveal();
})();
