#!/usr/bin/env -S node --disable-proto=throw --disallow-code-generation-from-strings
import { keepDebuggerClosed } from './composition/handle-signals.ts';
import { loadOrExplain } from './load-or-explain.ts';

keepDebuggerClosed();
const { runCommandLine } = await loadOrExplain(() => import('./composition/command-line.ts'));
process.exitCode = await runCommandLine(process.argv, process.env);
