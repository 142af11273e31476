#!/usr/bin/env node
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';

const { operation, key, keys } = JSON.parse(readFileSync(0, 'utf8'));
const folder = process.env.MASTER_KEY_HELPER_FOLDER;
if (folder === undefined) fail('MASTER_KEY_HELPER_FOLDER is not set; set it to the folder of the wrapping keys');

/** The operator sees the problem. */
function fail(problem) {
  process.stderr.write(problem);
  process.exit(1);
}

/** 32 bytes in a file of the wrapping key's name. */
function read(name) {
  try {
    return readFileSync(`${folder}/${name}`);
  } catch ({ code }) {
    return fail(`the wrapping key ${folder}/${name} cannot be read (${code}); check MASTER_KEY_HELPER_FOLDER`);
  }
}

function wrap({ name, id }) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', read(name), iv).setAAD(Buffer.from(id));
  const sealed = [iv, cipher.update(readFileSync(3)), cipher.final(), cipher.getAuthTag()];
  return { ciphertext: Buffer.concat(sealed).toString('base64url') };
}

function unwrap({ name, id, ciphertext }) {
  const sealed = Buffer.from(ciphertext, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', read(name), sealed.subarray(0, 12));
  decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-16));
  const masterKey = decipher.update(sealed.subarray(12, -16));
  try {
    decipher.final();
  } catch {
    return { problem: `the wrapping key ${name} did not wrap it; restore the master key file` };
  }
  return { length: writeSync(3, masterKey) };
}

process.stdout.write(JSON.stringify(operation === 'wrap' ? wrap(key) : { keys: keys.map(unwrap) }));
