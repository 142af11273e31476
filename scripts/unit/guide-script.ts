import { codeBlocks, sectionOf, shellBlocks } from '../../tests/architecture/shell-blocks.ts';

/** Shell functions. */
const SHELL = `set -eu
step() { printf '\\n== %s\\n' "$1"; }
sudo() { "$@"; }
ask() { curl --cacert tls.crt -s -X POST https://localhost:8080/api/v1/sign -H 'Content-Type: application/json' -d '{"platformId":"my-exchange","accountId":"main","data":{"n":"1"}}' | grep -q '"signature"'; }
poll() { for _ in $(seq 50); do "$@" && return; sleep 0.2; done; return 1; }
await() { poll curl --cacert tls.crt -sfo /dev/null https://localhost:8080/readyz; }
logged() { journalctl -u signing-service -o cat --no-pager | grep -q "$1"; }
`;

const DROP_INS = '/etc/systemd/system/signing-service.service.d';

/**
 * All locked memory that the service needs; an unprivileged machine cannot raise the limit further.
 */
const LOW_LIMIT = `mkdir -p ${DROP_INS}
printf '[Service]\\nLimitMEMLOCK=64K\\n' > ${DROP_INS}/limit.conf
`;

/** Checks of the process from outside. */
const LOOK = `pid=$(systemctl show -P MainPID signing-service)
grep -E '^(Uid|CapPrm|CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status"
test "$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")" = "$(id -u signing)"
test "$(awk '/^CapBnd:/ { print $2 }' "/proc/$pid/status")" = 0000000000000000
test "$(awk '/^NoNewPrivs:/ { print $2 }' "/proc/$pid/status")" = 1
test "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")" = 2
test "$(stat -c %U "/proc/$pid/mem")" = root
ls -l /run/credentials/signing-service.service
`;

const RELOAD = `signing account add --platform my-exchange --account second --algorithm eip191
systemctl reload signing-service
poll logged '"Credentials loaded\\..*"accountCount":2'
ask
`;

/** Until its restart, the service refuses credentials whose master key it lacks. */
const REFUSED = `new=$(signing master-key status | awk '/^first/ { print $2 }')
poll logged "is sealed under master key $new, but /run/credentials/"
`;

const LOADED = `new=$(rotated master-key status | awk '/^first/ { print $2 }')
poll logged "Credentials loaded.*$new"
ask
`;

/** With a signature after each command. */
const eachSigned = (commands: string) => commands.replaceAll('\n', '\nawait\nask\n');

/** Starts with an encrypted master key, then with another one. */
const encrypted = (encrypt: string, dropIn: string) => `${encrypt}mv /etc/signing/secret/master.key .
printf '[Service]\\n%s\\n' '${dropIn}' > ${DROP_INS}/00-encrypted.conf
systemctl daemon-reload
systemctl restart signing-service
await
ask
mv master.key /etc/signing/secret
signing master-key rotate
${encrypt}systemctl restart signing-service
await
ask
rm ${DROP_INS}/00-encrypted.conf
systemctl daemon-reload
`;

/**
 * A stand-in for Vault at an address that the unit does not allow, and the drop-in as it is
 * shipped: without its address the service cannot reach Vault, with it the service starts.
 */
const VAULT = `ip addr add 203.0.113.7/32 dev lo
echo '203.0.113.7 vault.example' >> /etc/hosts
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=vault.example -addext subjectAltName=DNS:vault.example -keyout vault.key -out /etc/signing/vault-ca.pem
mkdir /run/vault && printf hvs.stand-in-token > /run/vault/token
chown nobody:signing /run/vault/token && chmod 0640 /run/vault/token
node --import tsx --input-type=module --eval "
import { VaultStandIn } from './tests/doubles/key-services/vault-stand-in.ts';
const certificate = { certFile: '/etc/signing/vault-ca.pem', keyFile: 'vault.key' };
await new VaultStandIn().start({ tls: true, certificate, host: '203.0.113.7', port: 8200 });" &
poll curl --cacert /etc/signing/vault-ca.pem -so /dev/null https://vault.example:8200
export SIGNING_VAULT_ADDRESS=https://vault.example:8200 SIGNING_VAULT_TOKEN_FILE=/run/vault/token SIGNING_MASTER_KEY_CA_FILE=/etc/signing/vault-ca.pem
signing master-key rotate --master-key-source vault-transit --wrapping-key transit/signing-service
signing master-key retire --yes
install -D -m 0644 deploy/systemd/signing-service.service.d/vault.conf ${DROP_INS}/vault.conf
printf '[Service]\\nLimitMEMLOCK=64K\\nEnvironment=SIGNING_MASTER_KEY_TIMEOUT_MS=3000\\n' > ${DROP_INS}/limit.conf
systemctl daemon-reload
systemctl restart signing-service
poll logged 'Key helper vault-transit: it did not finish within 3000 ms'
sed -i 's/^# IPAddressAllow=/IPAddressAllow=/' ${DROP_INS}/vault.conf
systemctl daemon-reload
systemctl restart signing-service
await
ask
`;

const STOP = `systemctl stop signing-service
systemctl show -P Result -P ExecMainStatus signing-service | tr '\\n' ' '
test "$(systemctl show -P ExecMainStatus signing-service)" = 0
signing audit verify | tail -n 1
`;

/**
 * The documented systemd commands in order as one script, with checks.
 * @param guide text of the pages with these sections
 */
export function guideScript(guide: string): string {
  const first = sectionOf(guide, '### With systemd');
  const [, install = '', unit = '', configure = '', https = '', start = '', encrypt = ''] = shellBlocks(first);
  const dropIn = codeBlocks(first).find(({ language }) => language === 'ini')?.text ?? '';
  const rotation = shellBlocks(sectionOf(guide, '## Rotating the master key'));
  const [rotate = '', copy = '', deploy = '', retire = ''] = rotation;
  const [setAside = '', restart = '', back = ''] = shellBlocks(sectionOf(guide, '## Upgrading and rolling back'));
  const steps: readonly (readonly [string, string])[] = [
    ['install', install],
    ['user, folders and unit', unit],
    ['keys and an account', configure],
    ['certificate and drop-ins', `${https}${LOW_LIMIT}`],
    ['start and a first signature', `${start}await\nask\n`],
    ['what the process may do', LOOK],
    ['another account, by a reload', RELOAD],
    ['another master key', eachSigned(rotate.replace('\n', `\n${REFUSED}`))],
    ['one more, on copies', copy],
    ['its ring, then the credentials', `${eachSigned(deploy)}${LOADED}`],
    ['only its ring', eachSigned(retire)],
    ['a master key that is encrypted', encrypted(encrypt, dropIn)],
    ['an upgrade', `${setAside}${install}${restart}await\nask\n`],
    ['back again', `${back}await\nask\n`],
    ['a master key that Vault wraps', VAULT],
    ['stop', STOP],
  ];
  const missing = steps.filter(([, text]) => text.trim() === '').map(([name]) => name);
  if (missing.length > 0) throw new Error(`The guide has no commands for: ${missing.join(', ')}`);
  return `${SHELL}${steps.map(([name, text]) => `step '${name}'\n${text}`).join('')}step 'end'\n`;
}
