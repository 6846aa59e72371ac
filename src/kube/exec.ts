import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import { catalogue } from '../i18n/catalogue.ts';
import { getList, getString } from '../openshift/object.ts';
import { parseSafely } from '../openshift/safe-json.ts';
import type { ExecRequest, ExecResult } from './api.ts';
import type { StartDeadline } from './deadlines.ts';
import { ClusterError, toNetworkError, toStatusError } from './errors.ts';

/**
 * WebSocket subprotocols, the newest first; OpenShift 4.5 supports the second (k8s.io/apimachinery
 * pkg/util/remotecommand).
 */
const SUBPROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The first byte of a message names its stream. */
const CHANNELS = { stdout: 1, stderr: 2, status: 3 } as const;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Builds path and query of a command in a container, without a terminal and without input. */
export function buildExecPath({ namespace, pod, container, argv }: ExecRequest): string {
  const query = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const word of argv) query.append('command', word);
  const path = ['namespaces', namespace, 'pods', pod, 'exec'].map(encodeURIComponent).join('/');
  return `/api/v1/${path}?${query}`;
}

/**
 * Runs a command in a container, over a WebSocket as `oc exec` does.
 * @param url of the API server with the path of the command; `agent` decides where the connection goes
 * @throws ClusterError if the API refuses it, or the connection ends before the command does
 */
export async function execInContainer(
  url: string,
  options: { readonly agent: Agent; readonly headers: Readonly<Record<string, string>> },
  startDeadline: StartDeadline,
): Promise<ExecResult> {
  // Loaded on demand: hardly any command runs in a container.
  const { WebSocket } = await import('ws');
  return await new Promise((resolve, reject) => {
    const socket = new WebSocket(url, SUBPROTOCOLS, {
      ...options,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MAX_OUTPUT_BYTES,
    });
    const output = { stdout: '', stderr: '', status: '' };
    const fail = (error: unknown) => {
      cancelDeadline();
      reject(toNetworkError(error));
      socket.terminate();
    };
    const cancelDeadline = startDeadline(fail);
    socket.on('error', fail);
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      readText(response).then(
        (text) => fail(toStatusError({ status: response.statusCode ?? 0, text, retryAfter: null })),
        fail,
      );
    });
    let size = 0;
    socket.on('message', (data: Buffer) => {
      size += data.length;
      if (size > MAX_OUTPUT_BYTES)
        return fail(new ClusterError('truncated', catalogue().cluster.unexpected.tooLong('1 MiB')));
      const stream = Object.entries(CHANNELS).find(([, channel]) => channel === data[0])?.[0] as keyof typeof output;
      if (stream === undefined) return;
      output[stream] += data.subarray(1).toString('utf8');
    });
    socket.on('close', () => {
      cancelDeadline();
      const status = parseStatus(output.status);
      const exitCode = getExitCode(status);
      if (exitCode !== null) resolve({ stdout: output.stdout, stderr: output.stderr, exitCode });
      else reject(new ClusterError('truncated', getString(status, 'message') ?? output.stderr));
    });
  });
}

/** Parses the Status that ends a command; null: it is missing or no JSON. */
function parseStatus(text: string): unknown {
  try {
    return text === '' ? null : parseSafely(text);
  } catch {
    return null;
  }
}

/** Gets the exit code from the Status of a command; null: the command did not end. */
function getExitCode(status: unknown): number | null {
  if (getString(status, 'status') === 'Success') return 0;
  const causes = getList(status, 'details', 'causes');
  const cause = causes.find((candidate) => getString(candidate, 'reason') === 'ExitCode');
  const code = Number(getString(cause, 'message') ?? Number.NaN);
  return Number.isInteger(code) ? code : null;
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_OUTPUT_BYTES) break;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
