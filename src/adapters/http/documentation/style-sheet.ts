import { BASE_STYLES } from './page-style.ts';

/** The page's style sheet, with light and dark colours. */
export const STYLE_SHEET = `
${BASE_STYLES}h1 { font-size: 2.1rem; margin: 0; letter-spacing: -.02em; }
h2 { font-size: 1.5rem; margin: 0 0 .5rem; }
h3 { font-size: 1.25rem; margin: 0 0 .5rem; }
h4 { font-size: .95rem; margin: 2rem 0 .5rem; }
h2 a, h3 a { color: inherit; }
.note { font-weight: 400; color: var(--soft); font-size: .85rem; margin-left: .4rem; }
.dim { color: var(--soft); font-weight: 400; }
p { margin: .5rem 0; max-width: 46rem; }

.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 100rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 1.75rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); background: var(--panel); font-size: .9rem; }
nav strong { display: flex; align-items: center; gap: .6rem; font-size: 1rem; }
nav .seal { width: 1.6rem; height: 1.6rem; flex: none; }
nav h2 { font-size: .72rem; text-transform: uppercase; letter-spacing: .08em; color: var(--soft); margin: 1.5rem 0 .35rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .22rem .5rem; margin-left: -.5rem; border-radius: 6px; color: var(--ink); }
nav li a:hover { background: var(--mark); text-decoration: none; }
nav .verb { width: 2.9rem; text-align: center; flex: none; }
main { padding: 3rem 3rem 6rem; min-width: 0; }
header { margin-bottom: 2.5rem; }
header .lead { font-size: 1.15rem; color: var(--soft); margin: .5rem 0 1.25rem; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.25rem 0 0; padding: 0; list-style: none; font-size: .85rem; }
.facts li { border: 1px solid var(--line); border-radius: 99rem; padding: .15rem .8rem; background: var(--panel); }

.verb { display: inline-block; font: 600 .68rem/1.5 var(--mono); letter-spacing: .03em; padding: .1rem .45rem; border-radius: 5px; }
.get { color: var(--get); background: var(--get-paper); }
.post { color: var(--post); background: var(--post-paper); }
.call { font-size: 1rem; margin: 0 0 1rem; }
.path { font-size: .95em; font-weight: 600; overflow-wrap: anywhere; }

.overview { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; margin: 1.5rem 0 0; padding: 0; list-style: none; }
.overview li + li { border-top: 1px solid var(--line); }
.overview a { display: grid; grid-template-columns: 4rem minmax(0, 3fr) minmax(0, 2fr); gap: .5rem; align-items: baseline; padding: .55rem 1rem; color: inherit; }
.overview a:hover { background: var(--mark); text-decoration: none; }
.overview .verb { justify-self: start; }
.overview span:last-child { color: var(--soft); font-size: .92rem; }

.group { margin-top: 4rem; }
.group > p { color: var(--soft); margin-top: 0; }
.endpoint { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 3rem; padding: 2.25rem 0; border-top: 1px solid var(--line); }
.shown > :first-child { margin-top: 0; }
@media (min-width: 81rem) { .shown { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; } }

table { width: 100%; border-collapse: collapse; font-size: .9rem; }
thead th { font-size: .72rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); font-weight: 400; overflow-wrap: anywhere; }
tbody th { width: 34%; }
tbody th code { font-weight: 600; }
tr > :last-child { padding-right: 0; }
.type { color: var(--soft); width: 20%; }
.required, .optional { font-size: .75rem; margin-left: .2rem; white-space: nowrap; color: var(--soft); }
.required { color: var(--bad); }
.values { color: var(--soft); }
.errors td:first-child { width: 3.2rem; }
.errors tbody th { width: 15.5rem; }
td code.status, .status { font-weight: 600; color: var(--bad); background: none; padding: 0; }

figure { margin: 1rem 0; border: 1px solid var(--code-line); border-radius: 10px; overflow: hidden; background: var(--code); }
figcaption { font-size: .72rem; text-transform: uppercase; letter-spacing: .08em; color: var(--soft); padding: .5rem 1rem; border-bottom: 1px solid var(--code-line); }
pre { margin: 0; padding: .9rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.55; }
.k { color: var(--key); } .s { color: var(--string); } .n { color: var(--number); }

details { margin: .75rem 0; }
summary { cursor: pointer; padding: .3rem 0; font-size: .92rem; }
summary:hover { color: var(--accent); }
.error { border-bottom: 1px solid var(--line); margin: 0; }
.error summary { padding: .6rem 0; display: grid; grid-template-columns: .8rem 2.6rem 16rem minmax(0, 1fr); gap: .5rem; align-items: baseline; list-style: none; }
.error summary::-webkit-details-marker { display: none; }
.error summary::before { content: "\\203A"; color: var(--soft); font-weight: 700; }
.error[open] summary::before { transform: rotate(90deg); }
.error summary code { font-weight: 600; }
.error summary > span { color: var(--soft); }
.error[open] { padding-bottom: 1rem; }
.error:target { background: var(--mark); box-shadow: 0 0 0 .75rem var(--mark); border-radius: 2px; }
.given { color: var(--soft); font-size: .9rem; }
footer { margin-top: 4rem; color: var(--soft); font-size: .88rem; border-top: 1px solid var(--line); padding-top: 1rem; }

@media (max-width: 81rem) { .endpoint { grid-template-columns: minmax(0, 1fr); gap: 1rem; } }
@media (max-width: 56rem) {
  .frame { display: block; }
  html { scroll-padding-top: 4.5rem; }
  nav { height: auto; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); padding: .7rem 1.25rem; z-index: 1; }
  nav h2, nav ul { display: none; }
  nav ul:last-of-type { display: flex; gap: 1rem; }
  nav li a { padding: .22rem 0; margin: 0; }
  main { padding: 1.75rem 1.25rem 4rem; }
  h1 { font-size: 1.7rem; }
  .overview a { grid-template-columns: 3.6rem minmax(0, 1fr); }
  .overview span:last-child { grid-column: 2; }
  thead { display: none; }
  tr, tbody th, td, .type, .errors tbody th, .errors td:first-child { display: block; width: auto; padding: 0; border: 0; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .errors tr { display: grid; grid-template-columns: 3rem minmax(0, 1fr); }
  .errors td:last-child { grid-column: 2; }
  .error summary { grid-template-columns: .8rem 2.6rem minmax(0, 1fr); }
  .error summary > span { grid-column: 3; }
}
@media print { nav, .skip { display: none; } .frame { display: block; } }
`;
