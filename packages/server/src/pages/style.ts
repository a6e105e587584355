/** One style for all pages: system fonts, colours of enough contrast in light and dark, tables that scroll by themselves, a print form. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #f2f4f7; --line: #b5bcc6; --good: #0b6b2e; --bad: #a3150f; --link: #0b4f9e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceff3; --paper: #14171b; --soft: #20252c; --line: #56606d; --good: #6fd694; --bad: #ff9a92; --link: #8fc1ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0.75rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; justify-content: space-between; border-bottom: 1px solid var(--line); }
footer { border-top: 1px solid var(--line); margin-top: 2rem; font-size: 0.875rem; }
a { color: var(--link); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0; }
h2 { font-size: 1.2rem; margin: 1.75rem 0 0.5rem; }
h3 { font-size: 1.05rem; margin: 1rem 0 0.25rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.note { background: var(--soft); border-left: 0.25rem solid var(--line); padding: 0.5rem 0.75rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
.box { border: 1px solid var(--line); border-radius: 0.25rem; padding: 0.25rem 1rem 0.75rem; min-width: 0; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.125rem 1rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; }
dd, td, th, li, p { overflow-wrap: anywhere; unicode-bidi: isolate; }
dt, th { overflow-wrap: break-word; }
dd, td, p { white-space: pre-line; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
td { min-width: 4rem; }
thead th { background: var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total { font-size: 1.2rem; font-weight: 700; }
.tree { border-left: 2px solid var(--line); margin: 0.25rem 0 0.25rem 0.25rem; padding-left: 0.75rem; }
.tree dl { grid-template-columns: minmax(4rem, max-content) minmax(4rem, 1fr); }
form p { margin: 0.75rem 0; }
label { display: block; font-weight: 600; }
.hint { display: block; font-weight: 400; font-size: 0.875rem; }
input { font: inherit; width: 100%; max-width: 26rem; padding: 0.4rem 0.5rem; border: 1px solid var(--line); border-radius: 0.25rem; background: var(--paper); color: var(--ink); }
button { font: inherit; padding: 0.5rem 1rem; border: 1px solid var(--link); border-radius: 0.25rem; background: var(--link); color: var(--paper); cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
@media (max-width: 36rem) { dl, .tree dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.5rem; } }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #f2f2f2; --line: #888; }
  form, .screen { display: none; }
  tr, .box { break-inside: avoid; }
}
`;
