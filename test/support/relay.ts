import { connect, type Socket } from 'node:net';

/** Passes a connection on to a port of this machine; when one end closes, so does the other. */
export function relay(socket: Socket, port: number): void {
  const other = connect(port, '127.0.0.1');
  for (const [end, far] of [
    [socket, other],
    [other, socket],
  ] as const)
    end.on('error', () => undefined).on('close', () => far.destroy());
  socket.pipe(other).pipe(socket);
}
