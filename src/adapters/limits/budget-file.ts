import { resolve } from 'node:path';
import { z } from 'zod';
import { withRegularFile } from '../files/open-regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';

const units = z.int().min(0);
const exponent = z.int();

/**
 * key, windowSeconds, exponent, units of 10^exponent that may have been charged since, at an
 * unknown time, and parts as endsAt, exponent, units
 */
const budgetSchema = z.tuple([z.string(), z.int().min(1), exponent, units, z.array(z.tuple([units, exponent, units]))]);

const fileSchema = z.strictObject({ version: z.literal(1), budgets: z.array(budgetSchema) });

/** One budget of one account on file. */
export type StoredBudget = z.infer<typeof budgetSchema>;

/** Some hundred thousand budgets of accounts. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Budgets per write: about a millisecond. */
const SLICE = 200;

/** Path of the file beside an audit file: `.budgets` appended. */
export function budgetPath(auditFile: string): string {
  return `${resolve(auditFile)}.budgets`;
}

/**
 * Reads what {@link writeBudgets} wrote; empty without a file.
 * @throws Error if it is damaged or cannot be read
 */
export async function readBudgets(file: string): Promise<readonly StoredBudget[]> {
  try {
    const options = { maxBytes: MAX_FILE_BYTES, noFollow: true };
    const text = await withRegularFile(file, options, ({ handle }) => handle.readFile('utf8'));
    return fileSchema.parse(JSON.parse(text)).budgets;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Replaces the file atomically and durably; only the service's user can read it. Calls must not
 * overlap.
 * @throws OperatorError when it cannot be written, or would be too large to read
 */
export async function writeBudgets(file: string, budgets: readonly StoredBudget[]): Promise<void> {
  await replaceFile(file, {
    write: async (handle) => {
      await handle.writeFile('{"version":1,"budgets":[');
      let bytes = 0;
      for (let start = 0; start < budgets.length; start += SLICE) {
        const lines = budgets.slice(start, start + SLICE).map((budget) => JSON.stringify(budget));
        const text = `${start === 0 ? '' : ','}\n${lines.join(',\n')}`;
        bytes += text.length;
        if (bytes > MAX_FILE_BYTES - SLICE)
          throw new Error('too many budgets for one file; share budgets through Redis');
        await handle.writeFile(text);
      }
      await handle.writeFile('\n]}\n');
    },
  });
}
