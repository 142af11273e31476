import { createReadStream } from 'node:fs';
import type { Process } from '../../tests/e2e/service-process.ts';

/** Characters that end a line for some reader, or steer a terminal: none stands in a line as it is. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const KNOWN_LEVELS: ReadonlySet<unknown> = new Set(['info', 'warn', 'error']);

/** What is wrong with one line of the service log, or of the audit record; null when nothing is. */
export function lineFault(line: string): string | null {
  if (TREACHEROUS.test(line)) return 'has a control character';
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'is no JSON object';
  } catch {
    return 'is no JSON';
  }
}

/** Reads the service log as it comes. */
export class WatchedLog {
  readonly #faults: string[] = [];
  lines = 0;

  constructor(process: Process) {
    process.onLine((line) => this.#read(line));
  }

  /** The first faults, each with its line. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  #read(line: string): void {
    this.lines += 1;
    const fault = lineFault(line) ?? eventFault(JSON.parse(line));
    if (fault !== null && this.#faults.length < 5) this.#faults.push(`a line ${fault}: ${line.slice(0, 1000)}`);
  }
}

function eventFault({ level, message, facts }: { level?: unknown; message?: unknown; facts?: unknown }): string | null {
  if (!KNOWN_LEVELS.has(level) || typeof message !== 'string') return 'is no event of the service';
  if (level === 'error') return 'tells of an error';
  return JSON.stringify(facts ?? {}).includes('"stack"') ? 'has a stack' : null;
}

/** What is wrong with the first line of a file that is not as it should be, as {@link lineFault} says it; null when all are. */
export async function fileFault(path: string): Promise<string | null> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    // By line feeds alone: whatever else ends a line for some reader is a fault.
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    const wrong = lines.find((line) => lineFault(line) !== null);
    if (wrong !== undefined) return `a line of ${path} ${lineFault(wrong)}: ${wrong.slice(0, 500)}`;
  }
  return rest === '' ? null : `${path} ends within a line`;
}
