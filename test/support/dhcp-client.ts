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
/** Datagrams are lost, and a server that starts hears nothing yet. */
const ASK_AGAIN_MS = 500;

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

/** The transaction of the first machine; the next ones follow. */
const FIRST = 1000;
/** The transactions of the requests that are sent again, one a round. */
const AGAIN = 5000;
/** Rounds without a new answer after which a machine counts as one that nobody answers. */
const QUIET_ROUNDS = 2;

/**
 * Sends all requests until the server has answered one, however long it takes to start. From then on a machine that has its
 * answer asks again after the others, round by round: its answer says that the server has seen what came before.
 */
async function askAll(machines: readonly Machine[]): Promise<(Offer | null)[]> {
  const offers: (Offer | null)[] = machines.map(() => null);
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  await new Promise<void>((resolve) => socket.bind(68, '0.0.0.0', resolve));
  socket.setBroadcast(true);
  const send = (request: Buffer) => socket.send(request, 67, '255.255.255.255');
  let round = 0;
  const ask = () => {
    for (const [index, machine] of machines.entries())
      if (offers[index] === null) send(message(machine, FIRST + index));
    const answered = machines.find((_, index) => offers[index] !== null);
    if (answered !== undefined) send(message(answered, AGAIN + round));
  };
  const timer = setInterval(ask, ASK_AGAIN_MS);
  await new Promise<void>((resolve) => {
    let quiet = 0;
    const noteRound = () => {
      round += 1;
      quiet += 1;
      if (quiet > QUIET_ROUNDS || offers.every((offer) => offer !== null)) resolve();
      else ask();
    };
    socket.on('message', (answer) => {
      const transaction = answer.readUInt32BE(4);
      const index = transaction - FIRST;
      const machine = machines[index];
      if (answer[0] !== 2) return;
      if (transaction === AGAIN + round) return noteRound();
      if (machine === undefined || offers[index] !== null) return;
      const offer = offerOf(answer);
      if (machine.takes && offer.options['53'] === OFFER) return send(message(machine, FIRST + index, offer));
      offers[index] = offer;
      quiet = 0;
      if (offers.every((one) => one !== null)) resolve();
    });
    ask();
  });
  clearInterval(timer);
  socket.close();
  return offers;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const machines: Machine[] = JSON.parse(process.argv[2] ?? '[]');
  process.stdout.write(`${JSON.stringify(await askAll(machines))}\n`);
}
