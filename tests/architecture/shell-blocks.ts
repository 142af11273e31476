/** A fenced block. */
export interface CodeBlock {
  /** Its language; may be empty. */
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks in order. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  const blocks = document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
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
    const [, command] = /^(?:.*(?:signing-service|node dist\/cli\.js)|\s*signing) +([a-z][^#]*)$/.exec(line) ?? [];
    return command === undefined ? [] : [command.trim().split(/\s+/)];
  });
}
