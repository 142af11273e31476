import { BASE_STYLES } from '../documentation/page-style.ts';

/** The console's style sheet. Tables become cards on narrow screens. */
export const CONSOLE_STYLE_SHEET = `${BASE_STYLES}
:root { --good: #0b6e4f; --good-paper: #e2f4ec; --warn: #8a4b08; --bad-paper: #fdeceb; --signed: #5468d4; --refused: #d0443b; }
@media (prefers-color-scheme: dark) { :root { --good: #6fd6ab; --good-paper: #15342a; --warn: #f0b36a; --bad-paper: #3d1d1b; --signed: #8294f0; --refused: #ff7d72; } }
body { font-size: 15px; line-height: 1.5; font-variant-numeric: tabular-nums; }
body > header, main, footer { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
body > header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1.5rem; padding-top: 1.1rem; padding-bottom: 1.1rem; }
body > header p { margin: 0; display: flex; align-items: center; gap: .9rem; color: var(--soft); font-size: .88rem; }
body > header nav { display: flex; flex-wrap: wrap; gap: .1rem 1rem; font-size: .88rem; margin-right: auto; }
h1 { display: flex; align-items: center; flex-wrap: wrap; gap: .6rem; font-size: 1.15rem; margin: 0; overflow-wrap: anywhere; }
h1 img { width: 1.7rem; height: 1.7rem; }
h1 span { font-weight: 400; color: var(--soft); }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
small { font-size: .85rem; font-weight: 400; color: var(--soft); letter-spacing: 0; overflow-wrap: anywhere; }
h2 small { margin-left: .3rem; }
main > section { margin-bottom: 2.25rem; scroll-margin-top: 1rem; }
.unseen, #news { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.dim, .none { color: var(--soft); }
.stale .when { color: var(--bad); font-weight: 600; }
.stale .when::after { content: " (not current)"; }
button, input, select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 7px; padding: .3rem .7rem; min-height: 2.2rem; }
button { background: var(--panel); cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }

main > .state { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem 1.5rem; border-radius: 12px; padding: .9rem 1.25rem; margin-bottom: 1rem; border: 1px solid; }
.state h2 { font-size: 1.5rem; margin: 0; }
.state ul { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; margin: 0; padding: 0; flex: 1; }
.state .failed { flex-basis: 100%; overflow-wrap: anywhere; }
.state .warn { flex-basis: 100%; color: var(--warn); font-weight: 600; }
.state p { margin: 0; }
.state a { color: inherit; text-decoration: underline; }
.state.good { background: var(--good-paper); color: var(--good); border-color: var(--good-paper); }
.state.bad { background: var(--bad-paper); color: var(--bad); border-color: var(--bad); }

.traffic { border: 1px solid var(--line); border-radius: 12px; padding: .8rem 1rem; background: var(--panel); }
.traffic h2 { font-size: .82rem; font-weight: 600; color: var(--soft); letter-spacing: 0; margin: 0; }
.value { font-size: 1.5rem; font-weight: 650; line-height: 1.3; letter-spacing: -.02em; margin: .1rem 0 .25rem; }
.value small { font-size: .82rem; }
.figures dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1.5rem; margin: 1.25rem 0 0; font-size: .9rem; }
.figures dt { font-weight: 600; color: var(--soft); }
.figures dd { margin: 0; overflow-wrap: anywhere; }
.spark { display: block; width: 100%; height: 4.5rem; }
.spark .base { stroke: var(--line); fill: none; }
.signed { fill: var(--signed); background: var(--signed); }
.refused { fill: var(--refused); background: var(--refused); }
.scale { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem; margin: .3rem 0 0; max-width: none; font-size: .82rem; color: var(--soft); }
.legend { order: 0; flex-basis: 100%; text-align: center; margin-top: -1.3em; }
.key { display: inline-block; width: .65rem; height: .65rem; border-radius: 2px; margin-left: .4rem; }
.grade.good { color: var(--good); } .grade.warn { color: var(--warn); } .grade.bad { color: var(--bad); }
.grade.warn, .grade.bad { font-weight: 600; }

table { width: 100%; border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; font-weight: 600; font-size: .9rem; padding: 0 0 .3rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem 1.25rem .45rem 0; border-bottom: 1px solid var(--line); font-weight: 400; overflow-wrap: anywhere; }
tr > :last-child { padding-right: 0; }
thead th { font-size: .82rem; color: var(--soft); white-space: nowrap; }
thead a { color: inherit; text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .2em; }
thead [aria-sort] a { color: var(--ink); font-weight: 600; }
tbody th { font-weight: 600; }
tbody th small { display: block; }
tbody tr:hover { background: var(--panel); }
.number { text-align: right; white-space: nowrap; }
.some { color: var(--bad); font-weight: 600; }
code { font-size: .88em; }
td code { background: none; padding: 0; }
.cut { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: top; line-height: 1.7; }
.accounts .cut { max-width: 24ch; } .records .cut { max-width: 18ch; }
.columns { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1.25rem 2.5rem; align-items: start; }

form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; margin: 0 0 .75rem; }
form label { display: flex; align-items: center; gap: .5rem; font-size: .88rem; color: var(--soft); }
form input { width: 17rem; max-width: 100%; }
.pager { display: flex; gap: 1.25rem; justify-content: flex-end; padding-top: .75rem; font-size: .9rem; }
.pager span { color: var(--soft); }
section > p { margin: 0 0 .5rem; max-width: none; }
footer { padding-top: 1rem; padding-bottom: 2rem; color: var(--soft); font-size: .84rem; border-top: 1px solid var(--line); }

@media (max-width: 48rem) {
  body > header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  .figures dl { gap: .35rem .8rem; }
  .legend { margin-top: 0; text-align: left; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  .state { flex-direction: column; }
  form label:first-child, form input { flex: 1; width: auto; min-width: 0; }
  form label:first-child { flex-basis: 100%; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide tr { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .25rem .5rem; padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .wide th, .wide td { display: block; padding: 0; border: 0; text-align: left; }
  .wide th, .wide .full, .wide .none { grid-column: 1 / -1; }
  .wide .half { grid-column: span 2; }
  .wide td[data-label]::before { content: attr(data-label); display: block; color: var(--soft); font-size: .8rem; line-height: 1.3; }
  .wide .full[data-label]::before { display: none; }
  .wide .cut { max-width: 100%; }
  .pager { justify-content: space-between; }
}
@media print { form, .pager, button, .skip { display: none; } }
`;
