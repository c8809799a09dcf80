import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An authority that stamps times by `openssl ts`, with its certificate in `tsa.pem` of a folder. Answers a request, both as files of it. */
export function timeStamping(cwd: string): (query: string, answer: string) => void {
  const config = `[tsa]
serial = ${join(cwd, 'serial')}
signer_cert = ${join(cwd, 'tsa.pem')}
signer_key = ${join(cwd, 'tsa.key')}
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
[req]
distinguished_name = name
x509_extensions = stamping
prompt = no
[name]
CN = Oven Clock
[stamping]
basicConstraints = CA:FALSE
keyUsage = digitalSignature
extendedKeyUsage = critical,timeStamping
`;
  writeFileSync(join(cwd, 'tsa.cnf'), config);
  writeFileSync(join(cwd, 'serial'), '01\n');
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'tsa.key', '-out', 'tsa.pem', '-days', '30'];
  execFileSync('openssl', ['req', '-x509', ...made, '-config', 'tsa.cnf'], { cwd, stdio: 'ignore' });
  const by = ['-config', 'tsa.cnf', '-section', 'tsa'];
  return (query, answer) =>
    execFileSync('openssl', ['ts', '-reply', ...by, '-queryfile', query, '-out', answer], {
      cwd,
      stdio: 'ignore',
    });
}
