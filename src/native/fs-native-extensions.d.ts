/** The part of fs-native-extensions 1.5 that this service calls. */
declare module 'fs-native-extensions' {
  const fsNative: {
    /**
     * Takes an advisory exclusive lock on the whole open file (on Linux an open file description lock). False when another descriptor holds it,
     * in this process or another, also through another container. The kernel releases it when the descriptor is closed or the process ends.
     */
    tryLock(fd: number): boolean;
  };
  export default fsNative;
}
