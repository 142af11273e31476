#!/usr/bin/env node
import { loadOrExplain } from './load-or-explain.ts';

const { runCommandLine } = await loadOrExplain(() => import('./composition/command-line.ts'));
process.exitCode = await runCommandLine(process.argv, process.env);
