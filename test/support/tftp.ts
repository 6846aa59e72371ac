import { onTestFinished } from 'vitest';
import type { Reach } from '../../src/ports/reach.ts';
import { startTftpServer } from '../../src/rehearsal/hosts/tftp-server.ts';

/** The same reach, with a TFTP server behind port 69 of every host that has every boot program until the test is over. */
export async function withTftp(reach: Reach): Promise<Reach> {
  const program = (name: string) => Buffer.alloc(20_000, name.endsWith('.efi') ? 'MZ' : 'x');
  const server = await startTftpServer('127.0.0.1', 0, program, () => true);
  onTestFinished(() => server.stop());
  return (host, port) => (port === 69 ? { host: '127.0.0.1', port: server.port } : reach(host, port));
}
