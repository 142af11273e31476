/** The used part of fs-native-extensions 1.5. */
declare module 'fs-native-extensions' {
  const fsNative: {
    /**
     * Takes an exclusive advisory lock on the whole file (Linux: open file description lock). False
     * if another descriptor has it, in any process or container. Released when the descriptor
     * closes.
     */
    tryLock(fd: number): boolean;
  };
  export default fsNative;
}
