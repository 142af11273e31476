#!/usr/bin/env -S node --disable-proto=delete --disallow-code-generation-from-strings
import { loadOrExplain } from './app/exit-codes.ts';
import { blockDebugger } from './app/signals.ts';
import { guardOutputs } from './app/standard-streams.ts';

/** Commands that handle no key and report the state of the process. */
const HARMLESS = ['audit', 'completion', 'doctor', 'help', '--help', '-h', '--version', '-V'];

blockDebugger();
guardOutputs();
const { rejectDebugging } = await loadOrExplain(() => import('./app/production.ts'));
const command = process.argv.slice(2).find((word) => word !== '--color' && word !== '--no-color') ?? '--help';
if (HARMLESS.includes(command) || !rejectDebugging(process.env, 'The command was rejected')) {
  const { runCommandLine } = await loadOrExplain(() => import('./app/command-line.ts'));
  process.exitCode = await runCommandLine(process.argv, process.env);
}
