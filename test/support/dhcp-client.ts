import { createSocket } from 'node:dgram';
import { pathToFileURL } from 'node:url';

/**
 * A DHCP client for tests, a program to run inside a network namespace. It sends the request of each machine in its
 * argument and prints the offers as one JSON document. The interface needs an address and a route for broadcasts.
 */
interface Machine {
  readonly mac: string;
  /** Option 93; absent in requests of an operating system. */
  readonly architecture?: number;
  readonly isIpxe?: boolean;
  /** Option 61, in hexadecimal: firmware, iPXE and an operating system each send their own. */
  readonly clientId?: string;
  /** Accepts the offer, and has a lease from then on. */
  readonly acceptsOffer?: boolean;
}

/** A server's offer; null stands for no answer. */
export interface Offer {
  readonly address: string;
  readonly nextServer: string;
  readonly file: string;
  /** DHCP options by number. */
  readonly options: Readonly<Record<string, string>>;
}

const MAGIC = Buffer.from([99, 130, 83, 99]);
/** Requests are repeated: datagrams get lost, and a server that is starting receives nothing yet. */
const RESEND_INTERVAL_MS = 500;

function createMessage(machine: Machine, transaction: number, offer?: Offer): Buffer {
  const { mac, architecture, isIpxe, clientId } = machine;
  const head = Buffer.alloc(236);
  head.set([1, 1, 6, 0]);
  head.writeUInt32BE(transaction, 4);
  // Requests an answer by broadcast, since this machine has no address yet.
  head.writeUInt16BE(0x8000, 10);
  head.set(Buffer.from(mac.replaceAll(':', ''), 'hex'), 28);
  const options: [number, Buffer][] = [
    [53, Buffer.from([offer ? 3 : 1])],
    [55, Buffer.from([1, 3, 6, 12, 15, 42, 60, 66, 67, 119, ...(isIpxe ? [175] : [])])],
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

function parseOffer(message: Buffer): Offer {
  const options: Record<string, string> = {};
  for (let offset = 240; offset < message.length && message[offset] !== 255; ) {
    const code = message[offset] ?? 0;
    const length = message[offset + 1] ?? 0;
    const data = message.subarray(offset + 2, offset + 2 + length);
    if (code !== 0)
      options[code] = /^[\x20-\x7e]+\0?$/.test(data.toString('latin1')) ? readText(data) : data.toString('hex');
    offset += code === 0 ? 1 : 2 + length;
  }
  const address = (offset: number) => [...message.subarray(offset, offset + 4)].join('.');
  return { address: address(16), nextServer: address(20), file: readText(message.subarray(108, 236)), options };
}

function readText(data: Buffer): string {
  return data.toString('latin1').replace(/\0.*$/s, '');
}

/** Transaction id of the first machine; the others follow. */
const FIRST_TRANSACTION = 1000;
/** Transaction id of the first repeated request; one more each round. */
const FIRST_REPEAT = 5000;
/** Rounds without a new answer until the remaining machines count as unanswered. */
const QUIET_ROUNDS = 2;

/**
 * Sends all requests until the server has answered one, however long it takes to start. Then an answered machine
 * repeats its request after the others, round by round. Its answer proves that the server has read the requests before
 * it.
 */
async function requestOffers(machines: readonly Machine[]): Promise<(Offer | null)[]> {
  const offers: (Offer | null)[] = machines.map(() => null);
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(68, '0.0.0.0', resolve));
  socket.setBroadcast(true);
  const send = (request: Buffer) => socket.send(request, 67, '255.255.255.255');
  let round = 0;
  const sendRound = () => {
    for (const [index, machine] of machines.entries())
      if (offers[index] === null) send(createMessage(machine, FIRST_TRANSACTION + index));
    const answered = machines.find((_, index) => offers[index] !== null);
    if (answered !== undefined) send(createMessage(answered, FIRST_REPEAT + round));
  };
  const timer = setInterval(sendRound, RESEND_INTERVAL_MS);
  await new Promise<void>((resolve) => {
    let quiet = 0;
    const finishRound = () => {
      round += 1;
      quiet += 1;
      if (quiet > QUIET_ROUNDS || offers.every((offer) => offer !== null)) resolve();
      else sendRound();
    };
    socket.on('message', (answer) => {
      const transaction = answer.readUInt32BE(4);
      const index = transaction - FIRST_TRANSACTION;
      const machine = machines[index];
      if (answer[0] !== 2) return;
      if (transaction === FIRST_REPEAT + round) return finishRound();
      if (machine === undefined || offers[index] !== null) return;
      const offer = parseOffer(answer);
      if (machine.acceptsOffer && offer.options['53'] === OFFER)
        return send(createMessage(machine, FIRST_TRANSACTION + index, offer));
      offers[index] = offer;
      quiet = 0;
      if (offers.every((one) => one !== null)) resolve();
    });
    sendRound();
  });
  clearInterval(timer);
  socket.close();
  return offers;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const machines: Machine[] = JSON.parse(process.argv[2] ?? '[]');
  process.stdout.write(`${JSON.stringify(await requestOffers(machines))}\n`);
}
