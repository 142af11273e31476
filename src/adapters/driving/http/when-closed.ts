const WAITING = Symbol('to be called when it closes');

/** What closes once: a response, as a rule. */
export interface Closing {
  on(event: 'close', listener: () => void): unknown;
  [WAITING]?: (() => void)[];
}

/** Calls back when a response has closed, as `once('close')` does, in the order in which it was asked. One listener serves all who ask, which Node keeps and takes away once. */
export function whenClosed(closing: Closing, then: () => void): void {
  const waiting = closing[WAITING];
  if (waiting !== undefined) return void waiting.push(then);
  closing[WAITING] = [then];
  closing.on('close', callAll);
}

function callAll(this: Closing): void {
  const waiting = this[WAITING] ?? [];
  this[WAITING] = [];
  for (const then of waiting) then();
}
