import { existsSync } from 'node:fs';
import type { GeneratedFile } from '../../artifacts/generate.ts';
import { balancerMembers } from '../../artifacts/load-balancer/haproxy.ts';
import { imagePath, nodeScriptPath } from '../../artifacts/shared/layout.ts';
import { tcpProbe } from '../../bastion/probes/probes.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { JoiningEvidence, JoiningNode } from '../../diagnosis/joining/evidence.ts';
import { at, type KubeObject } from '../../objects/object.ts';
import { unwellOf } from '../../objects/unwell.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { openCluster } from '../shared/access.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { readThere } from '../shared/hosts/run-there.ts';
import { nodeDnsChecks } from '../shared/hosts/service-checks.ts';
import { imageFiles, imageNames } from '../shared/installer/images.ts';
import { allowedClients } from '../shared/machines/doors.ts';
import { anewSince } from '../shared/machines/later-nodes.ts';
import { askFile } from '../shared/machines/served-files.ts';
import { lookAtWorkerIgnition, workerIgnitionFile } from '../shared/machines/worker-ignition.ts';

const TIMEOUT = 3 * SECOND;
/** What listens on a node: sshd, and the kubelet. */
const NODE_PORTS = [22, 10250];

/** Checks everything that has to be right before these nodes are powered on. Never throws for what is not right. */
export async function joiningEvidence(
  context: StepContext,
  nodes: readonly DesignNode[],
  snapshot: Snapshot | null,
): Promise<JoiningEvidence> {
  const [ignition, pool, images, files, allowed] = await Promise.all([
    lookAtWorkerIgnition(context),
    workerPool(context),
    imageNames(context),
    hostFiles(context),
    allowedClients(context, 'worker'),
  ]);
  const served = imageFiles(images).map((name) => askFile(context, imagePath(name)));
  return {
    api: { isUp: snapshot?.api.state === 'up', detail: snapshot?.api.line ?? '' },
    configServer: ignition.server,
    pool,
    images: await Promise.all(served),
    hasIgnition: existsSync(workerIgnitionFile(context)),
    nodes: await Promise.all(nodes.map((node) => nodeEvidence(context, node, snapshot, files, allowed))),
  };
}

async function nodeEvidence(
  context: StepContext,
  node: DesignNode,
  snapshot: Snapshot | null,
  files: readonly HostFile[],
  allowed: readonly string[],
): Promise<JoiningNode> {
  const { design, reach } = context;
  const fqdn = nodeFqdn(design, node);
  const there = snapshot?.nodes ?? null;
  const own = there?.find(({ name }) => name === fqdn);
  const owner = there?.find(
    ({ name, addresses }) => name !== fqdn && addresses.some(({ address }) => node.ip.includes(address)),
  );
  const [names, answering, script] = await Promise.all([
    Promise.all(nodeDnsChecks(context, node)),
    answeringAt(context, node),
    design.services.boot.kind === 'ipxe' ? askFile(context, nodeScriptPath(node)) : null,
  ]);
  return {
    name: node.name,
    fqdn,
    object: there === null ? null : own === undefined ? 'absent' : own.isReady ? 'ready' : 'not-ready',
    isInstalledAnew: anewSince(context, node.name) !== null,
    addressOwner: owner?.name ?? null,
    answering,
    names: names.map(({ server, isOk, what, detail }) => ({ server, isOk, detail: `${what} ${detail}` })),
    dhcp: design.services.dhcp.kind === 'none' ? 'none' : seenIn(files, DHCP_KINDS, (text) => text.includes(node.mac)),
    balancer: isRouted(context, node)
      ? seenIn(files, ['haproxy'], (text) => new RegExp(`^\\s*server ${node.name} `, 'm').test(text))
      : 'none',
    script,
    mayFetch: node.ip.every((address) => allowed.includes(reach(address, 0).host)),
  };
}

/** Is it in the pools of the routers, in the stage that the load balancer has now? */
function isRouted(context: StepContext, { name }: DesignNode): boolean {
  if (context.design.services.loadBalancer.kind !== 'haproxy') return false;
  return balancerMembers(context.design, liveStage(context)).ingress.some((member) => member.name === name);
}

async function answeringAt(context: StepContext, { ip }: DesignNode): Promise<string | null> {
  const asked = ip.flatMap((address) =>
    NODE_PORTS.map(async (port) => {
      const { state } = await tcpProbe(context.reach, context.clock, address, port, TIMEOUT);
      return state === 'open' ? catalogue().bastion.probe.place(address, port) : null;
    }),
  );
  return (await Promise.all(asked)).find((found) => found !== null) ?? null;
}

async function workerPool(context: StepContext): Promise<JoiningEvidence['pool']> {
  const cluster = await openCluster(context).catch(() => null);
  const pool = await cluster?.get('MachineConfigPool', 'worker').catch(() => null);
  return pool ? poolView(pool) : null;
}

function poolView(pool: KubeObject): JoiningEvidence['pool'] {
  const unwell = unwellOf(pool);
  return { isDegraded: unwell !== null, isPaused: at(pool.spec, 'paused') === true, message: unwell?.message ?? '' };
}

const DHCP_KINDS = ['isc-dhcpd', 'kea-dhcp4'] as const;

/** A generated file that matters here, and its text on its host; null where we cannot read it from here. */
interface HostFile {
  readonly kind: GeneratedFile['kind'];
  readonly text: string | null;
}

async function hostFiles(context: StepContext): Promise<HostFile[]> {
  const { files } = await outputOf(context, liveStage(context));
  const wanted = files.filter(({ kind }) => [...DHCP_KINDS, 'haproxy'].some((each) => each === kind));
  return await Promise.all(
    wanted.map(async ({ kind, host, path }) => ({
      kind,
      text: host === null ? null : await readThere(context, host, path),
    })),
  );
}

/** In every such file that can be read; null where none can. */
function seenIn(
  files: readonly HostFile[],
  kinds: readonly HostFile['kind'][],
  has: (text: string) => boolean,
): 'there' | 'missing' | null {
  const texts = files.filter(({ kind }) => kinds.includes(kind)).flatMap(({ text }) => text ?? []);
  if (texts.length === 0) return null;
  return texts.every(has) ? 'there' : 'missing';
}
