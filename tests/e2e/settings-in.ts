import { join } from 'node:path';

/** Settings of a service whose files are all in this folder, on a port of its own, which logs errors alone. */
export function settingsIn(folder: string) {
  return {
    SIGNING_PORT: '0',
    SIGNING_LOG_LEVEL: 'error',
    SIGNING_CREDENTIALS_FILE: join(folder, 'credentials.json'),
    SIGNING_MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
    SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key'),
  };
}
