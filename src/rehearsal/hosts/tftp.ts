import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { ServiceHost } from '../../design/model.ts';
import type { Addresses } from '../site/addresses.ts';
import { getImageBytes, readText } from '../site/files.ts';
import { listFiles } from './host-files.ts';

// RFC 1350: opcodes, the error code, and 512 bytes per block.
const READ = 1;
const DATA = 3;
const ACK = 4;
const ERROR = 5;
const NOT_FOUND = 1;
const BLOCK_SIZE = 512;
/** A transfer without an acknowledgement for this long (real milliseconds) ends. */
const ACK_TIMEOUT_MS = 5000;

/**
 * Starts a TFTP server (RFC 1350, read requests in octet mode). Each transfer has its own port. A lost block is sent
 * again when the client repeats the previous acknowledgement.
 * @param port 0: any free port
 * @param readBytes returns the bytes of a file; null: no such file
 * @param isPortOpen false: a packet filter drops all requests
 */
export async function startTftpServer(
  address: string,
  port: number,
  readBytes: (path: string) => Buffer | null,
  isPortOpen: () => boolean,
) {
  const transfers = new Set<Socket>();
  const server = createSocket('udp4');
  server.on('message', (message, { port: clientPort, address: clientAddress }) => {
    if (!isPortOpen() || message.length < 4 || message.readUInt16BE(0) !== READ) return;
    const bytes = readBytes(message.subarray(2).toString('latin1').split('\0')[0] ?? '');
    const transfer = createSocket('udp4');
    transfers.add(transfer);
    const closeTransfer = () => {
      if (transfers.delete(transfer)) transfer.close();
    };
    const timer = setTimeout(closeTransfer, ACK_TIMEOUT_MS);
    transfer.on('close', () => clearTimeout(timer));
    transfer.on('error', closeTransfer);
    transfer.bind(0, address, () => {
      if (bytes === null) return transfer.send(createNotFoundPacket(), clientPort, clientAddress, closeTransfer);
      transfer.send(createDataPacket(bytes, 1), clientPort, clientAddress);
    });
    transfer.on('message', (reply, { port: senderPort }) => {
      if (bytes === null || senderPort !== clientPort || reply.length < 4 || reply.readUInt16BE(0) !== ACK) return;
      timer.refresh();
      const acknowledgedBlock = reply.readUInt16BE(2);
      // The last block is shorter than the others, possibly empty.
      if (acknowledgedBlock * BLOCK_SIZE > bytes.length) return closeTransfer();
      transfer.send(createDataPacket(bytes, acknowledgedBlock + 1), clientPort, clientAddress);
    });
  });
  await once(server.bind(port, address), 'listening');
  return {
    port: server.address().port,
    stop(): void {
      server.close();
      for (const transfer of transfers) transfer.close();
      transfers.clear();
    },
  };
}

const createDataPacket = (bytes: Buffer, number: number) =>
  Buffer.concat([createHeader(DATA, number), bytes.subarray((number - 1) * BLOCK_SIZE, number * BLOCK_SIZE)]);

const createNotFoundPacket = () =>
  Buffer.concat([createHeader(ERROR, NOT_FOUND), Buffer.from('File not found\0', 'latin1')]);

function createHeader(opcode: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(opcode, 0);
  bytes.writeUInt16BE(value, 2);
  return bytes;
}

const TFTP_PORT = 69;

/**
 * Creates the TFTP server of a host. Each request reads the directory from the configuration file again.
 * @param log writes a line of in.tftpd
 */
export function createTftpService(
  { ip }: ServiceHost,
  root: string,
  addresses: Addresses,
  log: (line: string) => void,
) {
  const servers: Awaited<ReturnType<typeof startTftpServer>>[] = [];
  const isPortOpen = () => !isTftpBlocked(root);
  const readBytes = (path: string) => readTftpFile(root, readTftpDirectory(root) ?? '/', path);
  return {
    /** @throws Error with in.tftpd's message */
    async start(): Promise<void> {
      readTftpDirectory(root);
      if (servers.length > 0) return;
      for (const address of ip)
        servers.push(
          await startTftpServer(
            addresses.getLoopbackAddress(address),
            addresses.getLocalPort(TFTP_PORT),
            readBytes,
            isPortOpen,
          ),
        );
    },
    /** Fetches a file for a machine. Null: no such file; `silent`: no server, or the firewall drops requests. */
    fetch(path: string, client: string): Buffer | 'silent' | null {
      if (servers.length === 0 || !isPortOpen()) return 'silent';
      log(`RRQ from ${client} filename ${path}`);
      const bytes = readBytes(path);
      if (bytes === null) log(`sending NAK (1, File not found) to ${client}`);
      return bytes;
    },
    stop(): void {
      for (const server of servers.splice(0)) server.stop();
    },
  };
}

/** Whether the firewall blocks TFTP: firewall.sh does not open its port. No file: no firewall. */
function isTftpBlocked(root: string): boolean {
  const script = readText(join(root, 'root/upi-wizard/firewall.sh'));
  return script !== null && !/^ *"udp 69 /m.test(script);
}

/** Fallback: programs that the user supplies if no package of the system has them. */
const FALLBACK_PROGRAMS = ['undionly.kpxe', 'ipxe.efi', 'ipxe-arm64.efi'];
/** Minimum size of a complete program. */
const MIN_PROGRAM_BYTES = 16 * 1024;

/**
 * Reads the directory that a TFTP server serves from its configuration file; null: no file.
 * @throws Error in the wording of in.tftpd
 */
function readTftpDirectory(root: string): string | null {
  const debianConfig = readText(join(root, 'etc/default/tftpd-hpa'));
  const redHatConfig = readText(join(root, 'etc/systemd/system/tftp.service.d/upi-wizard.conf'));
  if (debianConfig === null && redHatConfig === null) return null;
  const match =
    debianConfig !== null
      ? /^TFTP_DIRECTORY="?([^"\n]*)/m.exec(debianConfig)
      : /^ExecStart=.*\s(\S+)$/m.exec(redHatConfig ?? '');
  const directory = match?.[1] ?? '';
  if (!directory.startsWith('/')) throw new Error(`cannot chdir to '${directory}': No such file or directory`);
  return directory;
}

/**
 * Installs the boot programs of the packages where the `install.sh` of a host copies them.
 * @param applyFault returns the content that a fault writes instead of the text; empty: no file
 */
export function installBootPrograms(
  filesDir: string,
  root: string,
  applyFault: (file: string, text: string) => string,
): void {
  const script = listFiles(filesDir).find((file) => basename(file) === 'install.sh');
  const targets = [...(readText(script ?? '') ?? '').matchAll(/^ {4}place \d+ \/\S+ (\/\S+)$/gm)].map(
    ([, target = '']) => target,
  );
  const directory = findTftpDirectory(root);
  if (directory === null) return;
  for (const target of targets.length > 0 ? targets : FALLBACK_PROGRAMS.map((name) => join(directory, name))) {
    const file = join(root, target);
    if (applyFault(relative(root, file), basename(file)) === '') rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, createProgramBytes(basename(file)));
    }
  }
}

function findTftpDirectory(root: string): string | null {
  try {
    return readTftpDirectory(root);
  } catch {
    return null;
  }
}

/** Creates bytes that firmware accepts as a program; those for UEFI begin like every PE image. */
function createProgramBytes(name: string): Buffer {
  const bytes = getImageBytes(name);
  if (name.endsWith('.efi')) bytes.write('MZ');
  return bytes;
}

/** Whether firmware starts the program. */
export function isBootProgram(name: string, bytes: Buffer): boolean {
  return bytes.length >= MIN_PROGRAM_BYTES && (!name.endsWith('.efi') || bytes.toString('latin1', 0, 2) === 'MZ');
}

/** Reads a file below the TFTP directory, and never outside it; null: no such file. */
function readTftpFile(root: string, directory: string, path: string): Buffer | null {
  const file = join(root, directory, join('/', path));
  return existsSync(file) && listFiles(dirname(file)).includes(file) ? readFileSync(file) : null;
}
