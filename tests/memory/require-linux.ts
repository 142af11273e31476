/* Exits with code 1 except on Linux. Import first: native libraries may be missing elsewhere. */
if (process.platform !== 'linux') {
  process.stdout.write(`FAILED: only Linux shows a process's memory as a file, and this is ${process.platform}.\n`);
  process.exit(1);
}
