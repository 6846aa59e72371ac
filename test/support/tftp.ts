import { onTestFinished } from 'vitest';
import type { ResolveEndpoint } from '../../src/platform/manual-actions.ts';
import { startTftpServer } from '../../src/rehearsal/hosts/tftp.ts';

/** Adds a TFTP server to resolved endpoints: port 69 of every host has every boot program until the test ends. */
export async function withTftp(resolveEndpoint: ResolveEndpoint): Promise<ResolveEndpoint> {
  const program = (name: string) => Buffer.alloc(20_000, name.endsWith('.efi') ? 'MZ' : 'x');
  const server = await startTftpServer('127.0.0.1', 0, program, () => true);
  onTestFinished(() => server.stop());
  return (host, port) => (port === 69 ? { host: '127.0.0.1', port: server.port } : resolveEndpoint(host, port));
}
