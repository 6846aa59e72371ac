import { createSocket } from 'node:dgram';
import { pathToFileURL } from 'node:url';

/**
 * A DHCP client for tests, a program to run inside a network namespace: it asks as each machine of its argument would
 * and prints the offers as one JSON document. The interface needs some address of its own and a route for broadcasts.
 */
interface Machine {
  readonly mac: string;
  /** Option 93; none where an operating system asks. */
  readonly architecture?: number;
  readonly isIpxe?: boolean;
  /** Option 61, in hexadecimal: firmware, iPXE and an operating system each send their own. */
  readonly clientId?: string;
  /** It takes the offer, and has a lease from then on. */
  readonly takes?: boolean;
}

/** A server's offer; null where nobody answered. */
export interface Offer {
  readonly address: string;
  readonly nextServer: string;
  readonly file: string;
  /** By number. */
  readonly options: Readonly<Record<string, string>>;
}

const MAGIC = Buffer.from([99, 130, 83, 99]);
const AFTER_LAST_ANSWER = 1500;

function message(machine: Machine, transaction: number, offer?: Offer): Buffer {
  const { mac, architecture, isIpxe, clientId } = machine;
  const head = Buffer.alloc(236);
  head.set([1, 1, 6, 0]);
  head.writeUInt32BE(transaction, 4);
  // Requests an answer by broadcast, since this machine has no address yet.
  head.writeUInt16BE(0x8000, 10);
  head.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  const options: [number, Buffer][] = [
    [53, Buffer.from([offer ? 3 : 1])],
    [55, Buffer.from([1, 3, 6, 12, 15, 42, 60, 66, 67, 119])],
  ];
  if (architecture !== undefined) {
    const isHttp = architecture === 16 || architecture === 19;
    const code = Buffer.alloc(2);
    code.writeUInt16BE(architecture);
    const vendor = `${isHttp ? 'HTTP' : 'PXE'}Client:Arch:${String(architecture).padStart(5, '0')}:UNDI:003016`;
    options.push([93, code], [60, Buffer.from(vendor)]);
  }
  if (clientId !== undefined) options.push([61, Buffer.from(clientId, 'hex')]);
  if (offer) {
    options.push(
      [50, Buffer.from(offer.address.split('.').map(Number))],
      [54, Buffer.from(offer.options['54'] ?? '', 'hex')],
    );
  }
  if (isIpxe) options.push([77, Buffer.from('iPXE')], [175, Buffer.from([177, 5, 1, 128, 134, 16, 14])]);
  const body = options.flatMap(([code, data]) => [Buffer.from([code, data.length]), data]);
  return Buffer.concat([head, MAGIC, ...body, Buffer.from([255])]);
}

/** The type of a message, as hexadecimal. */
const OFFER = '02';

function offerOf(message: Buffer): Offer {
  const options: Record<string, string> = {};
  for (let at = 240; at < message.length && message[at] !== 255; ) {
    const code = message[at] ?? 0;
    const length = message[at + 1] ?? 0;
    const data = message.subarray(at + 2, at + 2 + length);
    if (code !== 0)
      options[code] = /^[\x20-\x7e]+\0?$/.test(data.toString('latin1')) ? text(data) : data.toString('hex');
    at += code === 0 ? 1 : 2 + length;
  }
  const address = (at: number) => [...message.subarray(at, at + 4)].join('.');
  return { address: address(16), nextServer: address(20), file: text(message.subarray(108, 236)), options };
}

function text(data: Buffer): string {
  return data.toString('latin1').replace(/\0.*$/s, '');
}

/** Sends all requests, and waits until all have an answer or none has come for a while. */
async function askAll(machines: readonly Machine[]): Promise<(Offer | null)[]> {
  const offers: (Offer | null)[] = machines.map(() => null);
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(68, '0.0.0.0', resolve));
  socket.setBroadcast(true);
  const ask = () => {
    for (const [index, machine] of machines.entries())
      if (offers[index] === null) socket.send(message(machine, 1000 + index), 67, '255.255.255.255');
  };
  await new Promise<void>((resolve) => {
    let rounds = 0;
    let timer: NodeJS.Timeout;
    const again = () => {
      rounds += 1;
      if (rounds > 3 || offers.every((offer) => offer !== null)) return resolve();
      ask();
      timer = setTimeout(again, AFTER_LAST_ANSWER);
    };
    socket.on('message', (answer) => {
      const index = answer.readUInt32BE(4) - 1000;
      const machine = machines[index];
      if (answer[0] !== 2 || machine === undefined) return;
      const offer = offerOf(answer);
      if (machine.takes && offer.options['53'] === OFFER) {
        socket.send(message(machine, 1000 + index, offer), 67, '255.255.255.255');
        return;
      }
      offers[index] = offer;
      clearTimeout(timer);
      timer = setTimeout(again, offers.every((offer) => offer !== null) ? 0 : AFTER_LAST_ANSWER);
    });
    again();
  });
  socket.close();
  return offers;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const machines: Machine[] = JSON.parse(process.argv[2] ?? '[]');
  process.stdout.write(`${JSON.stringify(await askAll(machines))}\n`);
}
