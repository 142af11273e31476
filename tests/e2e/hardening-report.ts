import type { ServiceProcess } from './service-process.ts';

const REPORT = /^\{.*"node-options":.*\}$/m;

/** The facts of the line in which the service says, once it listens, how its process is hardened. */
export async function hardeningReport({ process }: ServiceProcess): Promise<{ readonly [name: string]: unknown }> {
  // It may have come together with the line before it.
  const line = REPORT.exec(process.stdout)?.[0] ?? (await process.waitForLine(REPORT));
  return JSON.parse(line).facts;
}
