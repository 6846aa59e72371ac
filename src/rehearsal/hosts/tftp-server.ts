import { createSocket, type Socket } from 'node:dgram';

// RFC 1350: opcodes, the code of the error, and 512 bytes a block.
const READ = 1;
const DATA = 3;
const ACK = 4;
const ERROR = 5;
const NOT_FOUND = 1;
const BLOCK = 512;
/** Who acknowledges nothing for so long (real milliseconds) is gone. */
const PATIENCE = 5000;

export interface TftpServer {
  readonly port: number;
  stop(): void;
}

/**
 * A TFTP server (RFC 1350, read requests in octet mode): each file from a port of its own. A lost block is sent again when the client
 * acknowledges the one before it again.
 * @param port 0: any that is free
 * @param read the bytes of a file; null: there is none
 * @param isOpen false: a packet filter drops what comes
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
    const patience = setTimeout(end, PATIENCE);
    transfer.on('close', () => clearTimeout(patience));
    transfer.on('error', end);
    transfer.bind(0, address, () => {
      if (bytes === null) return transfer.send(notFound(), client, from, end);
      transfer.send(block(bytes, 1), client, from);
    });
    transfer.on('message', (reply, { port: sender }) => {
      if (bytes === null || sender !== client || reply.length < 4 || reply.readUInt16BE(0) !== ACK) return;
      patience.refresh();
      const acknowledged = reply.readUInt16BE(2);
      // The last block is shorter than the others, be it by all of its bytes.
      if (acknowledged * BLOCK > bytes.length) return end();
      transfer.send(block(bytes, acknowledged + 1), client, from);
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

function block(bytes: Buffer, number: number): Buffer {
  return Buffer.concat([head(DATA, number), bytes.subarray((number - 1) * BLOCK, number * BLOCK)]);
}

function notFound(): Buffer {
  return Buffer.concat([head(ERROR, NOT_FOUND), Buffer.from('File not found\0', 'latin1')]);
}

function head(opcode: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(opcode, 0);
  bytes.writeUInt16BE(value, 2);
  return bytes;
}
