import bs58 from 'bs58';
import { DEMO_ACCOUNT_ID, type DemoAccount } from './demo-platforms.ts';

/**
 * What the demonstration prints: where it runs, a call for each platform, how to verify what comes back, and how to look at the audit record.
 * @param cli path of the command line's program
 */
export function demoText(url: string, folder: string, accounts: readonly DemoAccount[], cli: string): string {
  const now = new Date();
  const calls = accounts.map(
    ({ demo, account }) =>
      `# ${demo.explanation}\n${signCall(`${url}/api/v1/sign`, account.platformId, demo.data(now))}`,
  );
  return [
    `The signing service is running at ${url} on fresh keys in ${folder}.`,
    'Paste these calls into another terminal:',
    ...calls,
    ...accounts
      .filter(({ demo }) => demo.platform.encoding === 'base64')
      .map((account) => verification(url, account, now)),
    `# the accounts, and what each was used for\ncurl -sw '\\n' ${url}/api/v1/accounts`,
    `# the audit record of what was signed, and the proof that nothing in it was altered or is missing\nnode ${cli} audit tail --no-follow ${folder}/audit.jsonl\nnode ${cli} audit verify --public-key ${folder}/audit.key.pub ${folder}/audit.jsonl`,
    'Ctrl-C stops the service and removes the folder.',
    '',
  ].join('\n\n');
}

function signCall(endpoint: string, platformId: string, data: object): string {
  const body = JSON.stringify({ platformId, accountId: DEMO_ACCOUNT_ID, data });
  return `curl -sw '\\n' -X POST '${endpoint}' -H 'Content-Type: application/json' -d '${body}'`;
}

/** Signs and verifies in one line that needs nothing of this project: node's own crypto and the public key. */
function verification(url: string, { demo, account }: DemoAccount, now: Date): string {
  const x = Buffer.from(bs58.decode(account.publicKey)).toString('base64url');
  const script = [
    'const{data}=JSON.parse(require("fs").readFileSync(0));',
    'const{createPublicKey,verify}=require("crypto");',
    `const key=createPublicKey({key:{kty:"OKP",crv:"Ed25519",x:"${x}"},format:"jwk"});`,
    'const ok=verify(null,Buffer.from(data.payload),key,Buffer.from(data.signature,"base64"));',
    'console.log(data.payload+"\\n"+(ok?"The signature verifies.":"THE SIGNATURE DOES NOT VERIFY."))',
  ].join('');
  const call = signCall(`${url}/api/v1/sign?include=payload`, account.platformId, demo.data(now));
  return `# sign, ask for the exact text that was signed, and verify it with node alone\n${call} | node -e '${script}'`;
}
