// Before anything is shown: that scripts run, and the theme that the reader chose last time.
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("voirdire-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* no storage: the system's theme */ }
