import { type Finding, ok, warning } from './finding.ts';

/** Hardening options of Node, and whether they are in force. */
export interface HardeningFlags {
  /** `__proto__` is gone or throws, so that data can't reach prototypes through it. */
  readonly '--disable-proto=delete': boolean;
  /** `eval` and `Function` throw, so that no text becomes code. */
  readonly '--disallow-code-generation-from-strings': boolean;
  /** SIGUSR1 opens no debugger even before the first line of JavaScript. Node has it from 22.14 on. */
  readonly '--disable-sigusr1': boolean;
}

/** What is in force in this process, seen from its effect where it has one. */
export function readHardeningFlags(): HardeningFlags {
  return {
    '--disable-proto=delete': isProtoDisabled(),
    '--disallow-code-generation-from-strings': isCodeGenerationDisallowed(),
    '--disable-sigusr1': process.execArgv.some((option) => option.replaceAll('_', '-') === '--disable-sigusr1'),
  };
}

/**
 * Whether the hardening options are on. Nothing is missing without the last one: the programs of this service listen for SIGUSR1 themselves, and in
 * production end at once when the debugger was opened before that.
 * @param subject what this process is to the reader
 */
export function checkHardeningFlags(flags: HardeningFlags = readHardeningFlags(), subject = 'this process'): Finding {
  const { '--disable-sigusr1': _optional, ...wanted } = flags;
  const missing = namesOf(wanted, false);
  if (missing.length === 0) return ok('node-options', namesOf(flags, true).join(', '));
  return warning(
    'node-options',
    `${subject} runs without ${missing.join(', ')}`,
    `Start it with \`node ${Object.keys(wanted).join(' ')}\`. Of the service, its own log says at each start which of them it has; \`npm start\` and the image set them.`,
  );
}

function namesOf(flags: object, value: boolean): readonly string[] {
  return Object.entries(flags).flatMap(([name, isOn]) => (isOn === value ? [name] : []));
}

function isProtoDisabled(): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(Object.prototype, '__proto__');
  try {
    return descriptor?.get?.call({}) === undefined;
  } catch {
    return true;
  }
}

function isCodeGenerationDisallowed(): boolean {
  try {
    Reflect.construct(Function, ['']);
    return false;
  } catch {
    return true;
  }
}
