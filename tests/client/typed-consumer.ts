import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';

/** A program that uses the main exports, from this module. */
export const typedProgram = (module: string): string => `
import { SigningClient, isServiceError, type Signature, type BatchResult, VerificationError, SigningClientError } from '${module}';
const client = new SigningClient({ url: 'https://signing.internal', tls: { ca: { file: 'ca.pem' } }, pinnedKeys: { 'a/b': 'x' } });
export async function use(signal: AbortSignal): Promise<string> {
  try {
    const signed: Signature = await client.sign({ platformId: 'a', accountId: 'b', data: { n: 1 } }, { signal });
    const batch: BatchResult = await client.signBatch([]);
    for (const item of batch.results) if (item.status === 'failed') return item.error.code;
    for await (const account of client.eachAccount()) if (account.usage.lastSignAt === null) return account.alias;
    return signed.signature;
  } catch (error) {
    if (isServiceError(error, 'ACCOUNT_NOT_FOUND')) return error.details.accountId;
    if (isServiceError(error, 'RATE_LIMITED')) return String(error.details.retryAfterMs);
    if (isServiceError(error)) return error.code;
    if (error instanceof VerificationError) return error.pinnedKey ?? error.reason;
    if (error instanceof SigningClientError) return error.requestId;
    throw error;
  }
}
// @ts-expect-error the account is missing
void client.sign({ platformId: 'a', data: {} });
// @ts-expect-error no such option
new SigningClient({ url: 'x', timeout: 1 });
`;

export const MODULE_RESOLUTIONS = ['nodenext', 'bundler'] as const;

/**
 * What the compiler reports about a program in a folder with its own strict settings; empty if it
 * compiles.
 * @param types packages of types beside the DOM's
 */
export function typeErrors(
  folder: string,
  program: string,
  moduleResolution: (typeof MODULE_RESOLUTIONS)[number],
  types: readonly string[] = [],
): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'program.ts'), program);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ target: 'es2023', lib: ['es2023', 'dom'], types },
    typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
    module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  try {
    const compiler = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
    return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}
