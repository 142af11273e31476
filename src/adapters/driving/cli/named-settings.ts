/** The setting that names the credentials file. */
export const CREDENTIALS_SETTINGS = ['SIGNING_CREDENTIALS_FILE'] as const;

/** Settings that name what commands need which seal keys or open them. */
export const SEALING_SETTINGS = [
  'SIGNING_CREDENTIALS_FILE',
  'SIGNING_MASTER_KEY_FILE',
  'SIGNING_PREVIOUS_MASTER_KEY_FILE',
  'SIGNING_MEMORY_LOCK',
] as const;

/** Settings that name the files of access tokens. */
export const TOKEN_SETTINGS = [
  'SIGNING_AUTH_AUTHORITIES_FILE',
  'SIGNING_AUTH_KEY_FILE',
  'SIGNING_AUTH_TOKEN_FILE',
] as const;
