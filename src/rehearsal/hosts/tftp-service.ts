import { join } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Addresses } from '../site/addresses.ts';
import { readTftpDirectory, readTftpFile } from './boot-programs.ts';
import { readText } from './host-files.ts';
import { startTftpServer, type TftpServer } from './tftp-server.ts';

const TFTP_PORT = 69;

/**
 * Creates the TFTP server of a host. It serves the directory that the configuration file names at that moment.
 * @param log writes a line of in.tftpd
 */
export function createTftpService(
  { ip }: ServiceHost,
  root: string,
  addresses: Addresses,
  log: (line: string) => void,
) {
  const servers: TftpServer[] = [];
  const isOpen = () => !isFiltered(root);
  const read = (path: string) => readTftpFile(root, readTftpDirectory(root) ?? '/', path);
  return {
    /** @throws Error with in.tftpd's message */
    async start(): Promise<void> {
      readTftpDirectory(root);
      if (servers.length > 0) return;
      for (const address of ip)
        servers.push(await startTftpServer(addresses.loopback(address), addresses.port(TFTP_PORT), read, isOpen));
    },
    /**
     * Fetches a file for the machine at `client`. Null: no such file; `silent`: no server runs, or the firewall drops
     * the request.
     */
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

/** The firewall opens the ports that firewall.sh names; without that file there is no firewall. */
function isFiltered(root: string): boolean {
  const script = readText(join(root, 'root/upi-wizard/firewall.sh'));
  return script !== null && !/^ *"udp 69 /m.test(script);
}
