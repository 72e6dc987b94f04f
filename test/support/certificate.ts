import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Creates a certificate for `localhost` that signs itself, and its key, with openssl. Returns their files. */
export function createCertificate(directory: string): { certificate: string; key: string } {
  const [certificate, key] = [join(directory, 'server.crt'), join(directory, 'server.key')];
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { certificate, key };
}
