/** A fenced block of a document. */
export interface CodeBlock {
  /** As the fence names it; empty where it names none. */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a document, in order. */
export function codeBlocks(document: string): readonly CodeBlock[] {
  const blocks = document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
}

/** Texts of the blocks of a document that are shell commands, in order. */
export function shellBlocks(document: string): readonly string[] {
  return codeBlocks(document).flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
}

/** What stands under a heading, up to the next heading of its level or above. */
export function sectionOf(document: string, heading: string): string {
  const [marks = '#'] = heading.split(' ');
  const [, after = ''] = document.split(`\n${heading}\n`);
  return after.split(new RegExp(`\\n#{1,${marks.length}} `))[0] ?? '';
}

/** Commands of this service in a text of the shell, each as its words: `signing-service …`, the function `signing …` of a guide, `node dist/cli.js …`. */
export function serviceCommands(shell: string): readonly (readonly string[])[] {
  const lines = shell.replaceAll('\\\n', ' ').split(/\n|;|&&|\|/);
  return lines.flatMap((line) => {
    // In `docker run … signing-service signing-service init` the first is an image.
    const [, command] = /^(?:.*(?:signing-service|node dist\/cli\.js)|\s*signing) +([a-z][^#]*)$/.exec(line) ?? [];
    return command === undefined ? [] : [command.trim().split(/\s+/)];
  });
}
