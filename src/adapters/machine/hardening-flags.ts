import { type Finding, ok, warning } from './finding.ts';

/** Hardening options of Node, and whether they are in effect. */
export interface HardeningFlags {
  /** `__proto__` is removed or throws. */
  readonly '--disable-proto=delete': boolean;
  /** `eval` and `Function` throw. */
  readonly '--disallow-code-generation-from-strings': boolean;
  /** SIGUSR1 opens no debugger, even before any JavaScript. Node 22.14 and later. */
  readonly '--disable-sigusr1': boolean;
}

/** The options in effect in this process, observed where possible. */
export function readHardeningFlags(): HardeningFlags {
  return {
    '--disable-proto=delete': isProtoDisabled(),
    '--disallow-code-generation-from-strings': isCodeGenerationDisallowed(),
    '--disable-sigusr1': process.execArgv.some((option) => option.replaceAll('_', '-') === '--disable-sigusr1'),
  };
}

/**
 * Whether the hardening options are on. The last one is optional: the programs handle SIGUSR1
 * themselves and, in production, end when a debugger was opened earlier.
 * @param subject name of this process in the message
 */
export function checkHardeningFlags(flags: HardeningFlags = readHardeningFlags(), subject = 'this process'): Finding {
  const { '--disable-sigusr1': _optional, ...wanted } = flags;
  const missing = listFlags(wanted, false);
  if (missing.length === 0) return ok('node-options', listFlags(flags, true).join(', '));
  return warning(
    'node-options',
    `${subject} runs without ${missing.join(', ')}`,
    `Start it with \`node ${Object.keys(wanted).join(' ')}\`. The service logs its own options at each start; \`npm start\` and the image set them.`,
  );
}

function listFlags(flags: object, value: boolean): readonly string[] {
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
