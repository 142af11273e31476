/** Loads a module of this service; when a native library is missing on this machine, says so and ends with exit code 2. */
export async function loadOrExplain<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    process.stderr.write(
      `The service did not start: a module could not be loaded.\n${error instanceof Error ? error.message : String(error)}\n` +
        'It needs Node 20.19 or newer with glibc (Debian, Ubuntu, Fedora; not Alpine) and its native libraries: ' +
        'run `npm ci` on this machine. Where secp256k1-native has no prebuilt binary (linux-arm64), npm compiles it and needs ' +
        'python3, make and g++: run `CFLAGS=-O1 npm ci` there.\n',
    );
    process.exit(2);
  }
}
