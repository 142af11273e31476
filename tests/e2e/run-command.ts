/** Runs one command line that has to succeed in this process, which saves the start of one; returns what it printed. */
export async function runCommand(
  environment: { readonly [name: string]: string },
  ...args: readonly string[]
): Promise<string> {
  // Loaded by whoever runs a command: scripts start services alone.
  const { runCommandLine } = await import('../../src/composition/command-line.ts');
  let printed = '';
  const exitCode = await runCommandLine(['node', 'signing-service', ...args], environment, (text) => {
    printed += text;
  });
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}.`);
  return printed;
}
