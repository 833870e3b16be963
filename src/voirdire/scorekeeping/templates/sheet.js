"use strict";
const sheet = JSON.parse(document.getElementById("sheet").textContent);
const key = "voirdire-sheet-" + sheet.key;
const chosen = JSON.parse(localStorage.getItem(key) || "{}");
const times = chosen.times || (chosen.times = {});
const judge = document.getElementById("name");
judge.value = chosen.name || "";
for (const input of document.querySelectorAll("input[type=radio]"))
  if (chosen[input.name] === input.value) input.checked = true;
function tell() {
  const done = sheet.rows.filter((_, n) => chosen["content" + n] && chosen["shared" + n]).length;
  document.getElementById("left").textContent = done + " of " + sheet.rows.length + " answered";
}
document.addEventListener("change", event => {
  if (event.target.type === "radio") {
    chosen[event.target.name] = event.target.value;
    times[event.target.name.replace(/^[a-z]+/, "")] = new Date().toISOString().slice(11, 19);
  } else if (event.target === judge) chosen.name = judge.value;
  localStorage.setItem(key, JSON.stringify(chosen));
  tell();
});
const cell = value => '"' + String(value).replaceAll('"', '""') + '"';
// As in a table that is written for a spreadsheet: what it would take for a formula has an apostrophe before it.
const named = text => /^'*[=+\-@\t]/.test(text) ? "'" + text : text;
document.getElementById("save").addEventListener("click", () => {
  const lines = [sheet.columns, ...sheet.rows.map((row, n) =>
    [named(judge.value), times[n] || "", ...row, chosen["content" + n] || "", chosen["shared" + n] || ""])];
  const text = lines.map(line => line.map(cell).join(",")).join("\r\n") + "\r\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
  link.download = "judged.csv";
  link.click();
});
tell();
