/** A command and what it showed on a terminal, escape sequences and all. */
export interface TerminalSession {
  readonly command: string;
  readonly output: string;
}

/** Styles that the command line uses, by the numbers of ECMA-48 SGR. */
const STYLES: { readonly [number: string]: string } = {
  1: 'font-weight:bold;color:#ffffff',
  2: 'opacity:.65',
  31: 'color:#ff7b72',
  32: 'color:#7ee787',
  33: 'color:#e3b341',
  36: 'color:#79c0ff',
};

/** A page that shows sessions as a terminal does, and how many lines there are. */
export function terminalPage(
  sessions: readonly TerminalSession[],
  lineHeight: number,
): { readonly html: string; readonly lines: number } {
  const text = sessions.map(({ command, output }) => `$ ${command}\n${finalText(output)}`).join('\n');
  const html = `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #0d1117; }
pre { margin: 24px; white-space: pre; color: #c9d1d9; font: 13px/${lineHeight}px "DejaVu Sans Mono", "Liberation Mono", monospace; }
</style><pre>${coloured(text)}</pre>`;
  return { html, lines: text.split('\n').length };
}

/** What is left on each line once a progress bar was drawn and taken away; ends with a newline. */
function finalText(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return `${lines.map((line) => line.split('\r').at(-1)?.replaceAll('\u001b[K', '') ?? '').join('\n')}\n`;
}

function coloured(text: string): string {
  const [first = '', ...rest] = text.split('\u001b[');
  const parts = rest.map((part) => {
    const [number = '', ...shown] = part.split('m');
    const style = STYLES[number];
    return `${style === undefined ? '</span>' : `<span style="${style}">`}${escaped(shown.join('m'))}`;
  });
  return escaped(first).replace(/^\$ .*$/gm, prompt) + parts.join('').replace(/^\$ .*$/gm, prompt);
}

function prompt(line: string): string {
  return `<b style="color:#ffffff">${line}</b>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
