import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = new URL('../../package.json', import.meta.url);

/** The service's semantic version, from its package manifest. */
export const SERVICE_VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
