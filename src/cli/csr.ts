import { parseArgs } from 'node:util';
import type { Cluster } from '../cluster/client.ts';
import { judgeAll } from '../cluster/csr/judge-all.ts';
import type { Judgement } from '../cluster/csr/judgement.ts';
import { readRequest } from '../cluster/csr/request.ts';
import { skewTrouble } from '../cluster/outage.ts';
import { type NodeView, nodeView } from '../objects/node.ts';
import { MINUTE } from '../ports/clock.ts';
import { bootedSince as sessionBootedSince } from '../steps/shared/machines/later-nodes.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Live, TARGET_OPTIONS, withLive } from './live.ts';
import { cutLine, type LiveIo, tableText } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().live.csr;

/** `upi-wizard csr list | approve`. Returns the exit code of the outer interface. */
export async function csrCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case 'list':
      return await list(rest, io, programs);
    case 'approve':
      return (await import('./csr-approve.ts')).approveCommand(rest, io, programs);
    case undefined:
      throw new UsageError(words().noAction);
    default:
      throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  }
}

async function list(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: TARGET_OPTIONS, allowPositionals: true });
  if (positionals[0] !== undefined)
    throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(positionals[0], 80)));
  return await withLive(values, io, programs, async (live) => {
    const cluster = await live.connect();
    const { requests } = await lookAtRequests(live, cluster);
    const skew = skewTrouble(cluster.clockSkew());
    // Requests are judged by their age: clocks that differ are told, and refuse nothing by themselves.
    if (skew) io.stderr(`${skew.title}: ${skew.cause} ${skew.whatToDo}\n`);
    if (values.json) io.stdout(`${JSON.stringify({ requests: requests.map(requestJson) }, null, 2)}\n`);
    else io.stdout(listText(requests, live.clock.now(), io.columns));
    return 0;
  });
}

/** All requests, judged together, and the nodes that they were judged against. @throws ClusterError */
export async function lookAtRequests(
  live: Live,
  cluster: Cluster,
): Promise<{ readonly requests: readonly Judgement[]; readonly nodes: readonly NodeView[] }> {
  const [nodes, requests] = await Promise.all([
    cluster.list('Node').then((objects) => objects.map(nodeView)),
    cluster.list('CertificateSigningRequest').then((objects) => objects.map(readRequest)),
  ]);
  const { design, clock } = live;
  const judged = judgeAll(requests, { design, nodes, now: clock.now(), bootedSince: bootedSince(live) });
  return { requests: judged.toSorted(byInterest), nodes };
}

/** When the first machine was powered on, as far as the session knows. */
export function bootedSince({ session }: Live): number | null {
  return session === null ? null : sessionBootedSince(session.context);
}

const RANK = { expected: 0, refused: 1, superseded: 2, 'not-ours': 3, decided: 4 } as const;

/** What waits for somebody first, then the newest. */
function byInterest(a: Judgement, b: Judgement): number {
  return RANK[a.verdict] - RANK[b.verdict] || (b.requestedAt ?? 0) - (a.requestedAt ?? 0) || (a.name < b.name ? -1 : 1);
}

/** A request as the outer interface shows it. */
export function requestJson(judgement: Judgement) {
  const { name, uid, node, kind, verdict, reasons, requestedAt, requester } = judgement;
  const at = requestedAt === null ? null : new Date(requestedAt).toISOString();
  return { name, uid, node, kind, verdict, reasons, requestedAt: at, requester };
}

function listText(requests: readonly Judgement[], now: number, columns: number): string {
  if (requests.length === 0) return `${words().none}\n`;
  const { name, node, kind, verdict, age, reasons } = words().columns;
  const rows = requests.map((request) => [
    cutLine(sanitizeLine(request.name), 40),
    request.node ?? '-',
    request.kind,
    reasonWords().verdicts[request.verdict],
    request.requestedAt === null ? '-' : ageText(now - request.requestedAt),
    request.reasons.join(','),
  ]);
  const codes = [...new Set(requests.flatMap((request) => (request.verdict === 'refused' ? request.reasons : [])))];
  const legend = codes.map((code) => `${words().reasonLine(code, reasonWords().reasons[code])}\n`);
  return [tableText([[name, node, kind, verdict, age, reasons], ...rows], columns), ...legend].join('');
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
