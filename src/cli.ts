#!/usr/bin/env -S node --disable-proto=delete --disallow-code-generation-from-strings
import { keepDebuggerClosed } from './composition/handle-signals.ts';
import { guardOutputs } from './composition/outputs.ts';
import { loadOrExplain } from './load-or-explain.ts';

/** What handles no key, and says how the process is. */
const HARMLESS = ['audit', 'completion', 'doctor', 'help', '--help', '-h', '--version', '-V'];

keepDebuggerClosed();
guardOutputs();
const { refuseDebugging } = await loadOrExplain(() => import('./composition/production.ts'));
const command = process.argv.slice(2).find((word) => word !== '--color' && word !== '--no-color') ?? '--help';
if (HARMLESS.includes(command) || !refuseDebugging(process.env, 'The command was refused')) {
  const { runCommandLine } = await loadOrExplain(() => import('./composition/command-line.ts'));
  process.exitCode = await runCommandLine(process.argv, process.env);
}
