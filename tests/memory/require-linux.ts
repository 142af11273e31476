/*
 * Ends the process, with exit code 1, where there is no Linux. Import it before anything else: native libraries may be missing on other systems.
 */
if (process.platform !== 'linux') {
  process.stdout.write(`FAILED: only Linux shows a process's memory as a file, and this is ${process.platform}.\n`);
  process.exit(1);
}
