import { type Outcome, warning } from './outcome.ts';

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
export function checkHardeningFlags(flags: HardeningFlags = readHardeningFlags(), subject = 'this process'): Outcome {
  const { '--disable-sigusr1': _optional, ...wanted } = flags;
  const missing = Object.entries(wanted).filter(([, isOn]) => !isOn);
  if (missing.length === 0) return listNames(Object.entries(flags).filter(([, isOn]) => isOn));
  return warning(
    `${subject} runs without ${listNames(missing)}`,
    `Start it with \`node ${Object.keys(wanted).join(' ')}\`. The service logs its own options at each start; \`npm start\` and the image set them.`,
  );
}

function listNames(flags: readonly (readonly [name: string, isOn: boolean])[]): string {
  return flags.map(([name]) => name).join(', ');
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
