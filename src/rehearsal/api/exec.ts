import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { getKind } from './kinds.ts';
import { getList, getString, type KubeObject } from './objects.ts';
import { badRequestError, notFoundError, StatusError } from './status.ts';
import type { Store } from './store.ts';

/** A command that runs in a container. */
export interface ContainerCommand {
  readonly pod: KubeObject;
  readonly container: string;
  readonly argv: readonly string[];
}

/** @throws StatusError if the kubelet of the node does not answer */
export type ContainerRunner = (command: ContainerCommand) => {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
};

/** WebSocket subprotocols of exec, newest first (k8s.io/apimachinery pkg/util/remotecommand). */
const SUBPROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The first byte of a message names its stream. */
const CHANNELS = { stdout: 1, stderr: 2, status: 3 } as const;
const EXEC_PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/;

/** Creates a handler of WebSocket requests that runs commands in containers, as `oc exec` and `oc rsh` request them. */
export function createExecHandler(options: {
  readonly store: Store;
  readonly isAdministrator: (request: IncomingMessage) => boolean;
  readonly run: ContainerRunner;
}): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: (offeredProtocols) => SUBPROTOCOLS.find((protocol) => offeredProtocols.has(protocol)) ?? false,
  });
  return (request, socket, head) => {
    socket.on('error', () => undefined);
    try {
      if (!options.isAdministrator(request)) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
      const { stdout, stderr, exitCode } = options.run(parseExecRequest(options.store, request));
      server.handleUpgrade(request, socket, head, (connection) => {
        const send = (channel: number, text: string) =>
          connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
        if (stdout !== '') send(CHANNELS.stdout, stdout);
        if (stderr !== '') send(CHANNELS.stderr, stderr);
        send(CHANNELS.status, JSON.stringify(buildExitStatus(exitCode)));
        connection.close(1000);
      });
    } catch (error) {
      sendRefusal(socket, error instanceof StatusError ? error : new StatusError(500, 'InternalError', String(error)));
    }
  };
}

/** @throws StatusError 400, 404 */
function parseExecRequest(store: Store, request: IncomingMessage): ContainerCommand {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
  const [, namespace = '', name = ''] = (EXEC_PATH.exec(pathname) ?? []).map(decodeURIComponent);
  const pod = store.get('pods', namespace, name);
  if (pod === undefined) throw notFoundError(getKind('pods'), name);
  const containers = getList(pod, 'spec', 'containers').map((container) => getString(container, 'name'));
  const container = searchParams.get('container') || containers[0] || '';
  if (!containers.includes(container)) throw badRequestError(`container ${container} is not valid for pod ${name}`);
  const argv = searchParams.getAll('command');
  if (argv.length === 0) throw badRequestError('you must specify at least one command for the container');
  return { pod, container, argv };
}

function buildExitStatus(exitCode: number): object {
  const metadata = {};
  if (exitCode === 0) return { metadata, status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(exitCode) }];
  const message = `command terminated with non-zero exit code: exit status ${exitCode}`;
  return { metadata, status: 'Failure', message, reason: 'NonZeroExitCode', details: { causes } };
}

function sendRefusal(socket: Duplex, error: StatusError): void {
  const body = JSON.stringify(error.toStatus());
  const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  socket.end(`HTTP/1.1 ${error.code} ${error.reason}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
