#!/usr/bin/env -S node --disable-proto=delete --disallow-code-generation-from-strings
import { keepDebuggerClosed } from './composition/handle-signals.ts';
import { loadOrExplain } from './load-or-explain.ts';

/** What handles no key, and says how the process is. */
const HARMLESS = ['audit', 'doctor', 'help', '--help', '-h', '--version', '-V'];

keepDebuggerClosed();
const { refuseDebugging } = await loadOrExplain(() => import('./composition/refuse-debugging.ts'));
if (HARMLESS.includes(process.argv[2] ?? '--help') || !refuseDebugging(process.env, 'The command was refused')) {
  const { runCommandLine } = await loadOrExplain(() => import('./composition/command-line.ts'));
  process.exitCode = await runCommandLine(process.argv, process.env);
}
