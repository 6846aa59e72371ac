import { createSocket } from 'node:dgram';

/** Starts a service that replies to each datagram with the datagrams that `answer` returns. */
export async function startUdpService(
  address: string,
  port: number,
  answer: (message: Buffer) => readonly Buffer[],
): Promise<{ stop(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    for (const reply of answer(message)) socket.send(reply, from.port, from.address, () => undefined);
  });
  await new Promise<void>((done, fail) => {
    socket.once('error', fail);
    socket.bind(port, address, done);
  });
  socket.on('error', () => undefined);
  return { stop: () => void socket.close() };
}
