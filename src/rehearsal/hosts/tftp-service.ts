import { join } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Addresses } from '../site/addresses.ts';
import { tftpDirectory, tftpFile } from './boot-programs.ts';
import { textOf } from './host-files.ts';
import { startTftpServer, type TftpServer } from './tftp-server.ts';

const PORT = 69;

/** The TFTP server of a host: it hands out the directory that its file names at that moment. @param log a line of in.tftpd */
export function createTftpService(
  { ip }: ServiceHost,
  root: string,
  addresses: Addresses,
  log: (line: string) => void,
) {
  const servers: TftpServer[] = [];
  const isOpen = () => !isFiltered(root);
  const read = (path: string) => tftpFile(root, tftpDirectory(root) ?? '/', path);
  return {
    /** @throws Error with the words of in.tftpd */
    async start(): Promise<void> {
      tftpDirectory(root);
      if (servers.length > 0) return;
      for (const address of ip)
        servers.push(await startTftpServer(addresses.loopback(address), addresses.port(PORT), read, isOpen));
    },
    /** What a machine at an address gets; null: no such file; `silent`: no server runs, or the firewall lets nobody ask it. */
    fetch(path: string, client: string): Buffer | 'silent' | null {
      if (servers.length === 0 || !isOpen()) return 'silent';
      log(`RRQ from ${client} filename ${path}`);
      const bytes = read(path);
      if (bytes === null) log(`sending NAK (1, File not found) to ${client}`);
      return bytes;
    },
    stop(): void {
      for (const server of servers.splice(0)) server.stop();
    },
  };
}

/** The firewall of a host opens what its firewall.sh names; without one there is no firewall. */
function isFiltered(root: string): boolean {
  const script = textOf(join(root, 'root/upi-wizard/firewall.sh'));
  return script !== null && !/^ *"udp 69 /m.test(script);
}
