/** The server can't be set up as configured. The message names the setting, the file or address, and what to do. */
export class ServerSetupError extends Error {
  override readonly name = 'ServerSetupError';
}
