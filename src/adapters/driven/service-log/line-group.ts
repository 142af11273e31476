import { EOL } from 'node:os';

/** Characters after which the lines of a turn are written before it is over: what one write to a pipe takes on Linux. */
const MOST_CHARACTERS = 65_536;

/** Groups that hold lines now. */
const HOLDING = new Set<LineGroup>();

let isExitWatched = false;
let isExiting = false;

/** However the process ends by itself, what is held is written; no turn comes after that. */
function writeAllAtExit(): void {
  isExiting = true;
  for (const group of HOLDING) group.write();
}

/**
 * Writes the lines of one turn of the event loop together: a write is a system call with a library before it, and under load a turn answers dozens of requests. Nothing is held longer than that turn, and none of it
 * is lost where the process exits in it, an uncaught error included; only what kills the process from outside at that very moment loses the lines of the turn.
 */
export class LineGroup {
  readonly #write: (lines: string) => void;
  #lines = '';

  /** @param write gets lines with line ends between them, none behind the last */
  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  /** Holds a line until the end of this turn. */
  add(line: string): void {
    if (this.#lines !== '') this.#lines += EOL + line;
    else this.#begin(line);
    if (isExiting || this.#lines.length > MOST_CHARACTERS) this.write();
  }

  /** Writes what is held, now. */
  write(): void {
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    HOLDING.delete(this);
    this.#write(lines);
  }

  #begin(line: string): void {
    this.#lines = line;
    HOLDING.add(this);
    if (!isExitWatched) process.on('exit', writeAllAtExit);
    isExitWatched = true;
    setImmediate(() => this.write());
  }
}
