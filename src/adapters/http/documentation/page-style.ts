import { createHash } from 'node:crypto';

/** The icon of pages, a key in a ring, as a data URL. */
export const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='%233b50c4'/><path d='M16 6a6 6 0 0 0-2 11.6V26h4v-3h2v-3h-2v-2.4A6 6 0 0 0 16 6m0 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4' fill='%23fff'/></svg>";

/**
 * A Content-Security-Policy (W3C CSP Level 3) that allows only this inline style sheet and the
 * icon. No `upgrade-insecure-requests`: the service may use HTTP.
 * @param allowed sources of further directives, by name
 */
export function contentSecurityPolicy(styleSheet: string, allowed: { readonly [name: string]: string } = {}): string {
  const directives = {
    'default-src': "'none'",
    'style-src': `'sha256-${createHash('sha256').update(styleSheet).digest('base64')}'`,
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...allowed,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

/** Colors, light and dark, and typography of every page. */
export const BASE_STYLES = `:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f6f7f9; --line: #e3e6eb; --ink: #1b2230; --soft: #5a6475; --accent: #3b50c4; --mark: #eceffc;
  --get: #0b6e4f; --get-paper: #e2f4ec; --post: #8a4b08; --post-paper: #fcefdc; --bad: #b3261e;
  --code: #f3f5f8; --code-line: #e3e6eb; --key: #3b50c4; --string: #0b6e4f; --number: #8a4b08;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: ui-monospace, "SFMono-Regular", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12151c; --panel: #181c25; --line: #2a303c; --ink: #e6e9ef; --soft: #9aa4b5; --accent: #9fb0ff; --mark: #232a45;
    --get: #6fd6ab; --get-paper: #15342a; --post: #f0b36a; --post-paper: #3a2a14; --bad: #ff9a90;
    --code: #0c0f15; --code-line: #262c38; --key: #9fb0ff; --string: #7fd8b0; --number: #f0b36a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 var(--sans); -webkit-text-size-adjust: 100%; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem 1rem; z-index: 1; }
code, pre { font-family: var(--mono); font-size: .86em; }
pre code { font-size: inherit; }
p code, td code, summary span code { background: var(--code); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
th code, .call code, h4 code { background: none; padding: 0; }
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -.01em; }
`;
