import { createSocket, type Socket } from 'node:dgram';
import { join } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Addresses } from '../site/addresses.ts';
import { readTftpDirectory, readTftpFile } from './boot-programs.ts';
import { readText } from './host-files.ts';

// RFC 1350: opcodes, the error code, and 512 bytes per block.
const READ = 1;
const DATA = 3;
const ACK = 4;
const ERROR = 5;
const NOT_FOUND = 1;
const BLOCK_SIZE = 512;
/** A transfer without an acknowledgement for this long (real milliseconds) ends. */
const ACK_TIMEOUT = 5000;

interface TftpServer {
  readonly port: number;
  stop(): void;
}

/**
 * Starts a TFTP server (RFC 1350, read requests in octet mode). Each transfer has its own port. A lost block is sent
 * again when the client repeats the previous acknowledgement.
 * @param port 0: any free port
 * @param read returns the bytes of a file; null: no such file
 * @param isOpen false: a packet filter drops all requests
 */
export async function startTftpServer(
  address: string,
  port: number,
  read: (path: string) => Buffer | null,
  isOpen: () => boolean,
): Promise<TftpServer> {
  const transfers = new Set<Socket>();
  const server = createSocket('udp4');
  server.on('message', (message, { port: client, address: from }) => {
    if (!isOpen() || message.length < 4 || message.readUInt16BE(0) !== READ) return;
    const bytes = read(message.subarray(2).toString('latin1').split('\0')[0] ?? '');
    const transfer = createSocket('udp4');
    transfers.add(transfer);
    const end = () => {
      if (transfers.delete(transfer)) transfer.close();
    };
    const timer = setTimeout(end, ACK_TIMEOUT);
    transfer.on('close', () => clearTimeout(timer));
    transfer.on('error', end);
    transfer.bind(0, address, () => {
      if (bytes === null) return transfer.send(createNotFoundPacket(), client, from, end);
      transfer.send(createDataPacket(bytes, 1), client, from);
    });
    transfer.on('message', (reply, { port: sender }) => {
      if (bytes === null || sender !== client || reply.length < 4 || reply.readUInt16BE(0) !== ACK) return;
      timer.refresh();
      const acknowledged = reply.readUInt16BE(2);
      // The last block is shorter than the others, possibly empty.
      if (acknowledged * BLOCK_SIZE > bytes.length) return end();
      transfer.send(createDataPacket(bytes, acknowledged + 1), client, from);
    });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.bind(port, address, done);
  });
  return {
    port: server.address().port,
    stop() {
      server.close();
      for (const transfer of transfers) transfer.close();
      transfers.clear();
    },
  };
}

function createDataPacket(bytes: Buffer, number: number): Buffer {
  return Buffer.concat([createHeader(DATA, number), bytes.subarray((number - 1) * BLOCK_SIZE, number * BLOCK_SIZE)]);
}

function createNotFoundPacket(): Buffer {
  return Buffer.concat([createHeader(ERROR, NOT_FOUND), Buffer.from('File not found\0', 'latin1')]);
}

function createHeader(opcode: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(opcode, 0);
  bytes.writeUInt16BE(value, 2);
  return bytes;
}

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
