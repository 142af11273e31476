/** A fenced block. */
export interface CodeBlock {
  /** Its language; may be empty. */
  readonly language: string;
  readonly text: string;
  /** False for a block marked `no-run`, such as ```` ```sh no-run ````. */
  readonly runs: boolean;
}

/**
 * Pages, or one section of a page, whose blocks are pasted in this order into one clone
 * (tests/commands/readme.slow.ts).
 */
export const PASTED_PAGES: readonly (readonly [page: string, section?: string])[] = [
  ['README.md'],
  ['docs/callers/clients.md'],
  ['docs/operators/accounts.md'],
  ['docs/auditors/verify.md'],
  ['docs/reviewers/custody.md'],
  ['docs/operators/deploy.md', '## HTTPS'],
  ['docs/operators/access.md'],
];

/** Fenced blocks in order. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  const blocks = document.matchAll(/^```(\w*)( no-run)?\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', mark, text = '']) => ({ language, text, runs: mark === undefined }));
}

/** Shell blocks in order. */
export function shellBlocks(document: string): readonly string[] {
  return codeBlocks(document).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
}

/** The section under a heading. */
export function sectionOf(document: string, heading: string): string {
  const [marks = '#'] = heading.split(' ');
  const [, after = ''] = document.split(`\n${heading}\n`);
  return after.split(new RegExp(`\\n#{1,${marks.length}} `))[0] ?? '';
}

/**
 * Commands of this service in a shell text, as words: `signing-service …`, a guide's function
 * `signing …`, `node dist/cli.js …`.
 */
export function serviceCommands(shell: string): readonly (readonly string[])[] {
  const lines = shell.replaceAll('\\\n', ' ').split(/\n|;|&&|\|/);
  return lines.flatMap((line) => {
    // In `docker run … signing-service signing-service init` the first is an image.
    const [, command] =
      /^(?:(?:.*[^'"])?(?:signing-service|node dist\/cli\.js)|\s*signing) +([a-z][^#]*)$/.exec(line) ?? [];
    return command === undefined ? [] : [command.trim().split(/\s+/)];
  });
}
