import { existsSync } from 'node:fs';
import type { GeneratedFile } from '../../artifacts/generate.ts';
import { balancerMembers } from '../../artifacts/load-balancer.ts';
import { imagePath, nodeScriptPath } from '../../artifacts/shared/generator.ts';
import type { JoinCandidate, JoinEvidence } from '../../checks/joining.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { getField, type KubeObject } from '../../openshift/object.ts';
import { findUnhealthy } from '../../openshift/operator.ts';
import { SECOND } from '../../platform/clock.ts';

import { probeTcp } from '../../probes/probes.ts';
import type { StepContext } from '../contract.ts';
import { openCluster } from '../shared/cluster-access.ts';
import { generateStage } from '../shared/files/stage-output.ts';
import { readHostFile } from '../shared/hosts/host-command.ts';
import { getLiveStage } from '../shared/hosts/live-stage.ts';
import { probeNodeDns } from '../shared/hosts/service-checks.ts';
import { listImageFiles, resolveImageNames } from '../shared/installer/images.ts';
import { readAllowedClients } from '../shared/machines/ignition-access.ts';
import { getReinstalledAt } from '../shared/machines/node-facts.ts';
import { probeFile } from '../shared/machines/served-files.ts';
import { getWorkerIgnitionFile, inspectWorkerIgnition } from '../shared/machines/worker-ignition.ts';

const TIMEOUT = 3 * SECOND;
/** Ports that listen on a node: sshd and the kubelet. */
const NODE_PORTS = [22, 10250];

/**
 * Gathers evidence for all conditions that must hold before these nodes are powered on. A failed condition never
 * throws.
 */
export async function gatherJoinEvidence(
  context: StepContext,
  nodes: readonly DesignNode[],
  snapshot: Snapshot | null,
): Promise<JoinEvidence> {
  const [ignition, pool, images, files, allowed] = await Promise.all([
    inspectWorkerIgnition(context),
    getWorkerPool(context),
    resolveImageNames(context),
    readHostFiles(context),
    readAllowedClients(context, 'worker'),
  ]);
  const imageChecks = listImageFiles(images).map((name) => probeFile(context, imagePath(name)));
  return {
    api: { isUp: snapshot?.api.state === 'up', detail: snapshot?.api.line ?? '' },
    configServer: ignition.server,
    pool,
    images: await Promise.all(imageChecks),
    hasIgnition: existsSync(getWorkerIgnitionFile(context)),
    nodes: await Promise.all(nodes.map((node) => gatherNodeEvidence(context, node, snapshot, files, allowed))),
  };
}

async function gatherNodeEvidence(
  context: StepContext,
  node: DesignNode,
  snapshot: Snapshot | null,
  files: readonly HostFile[],
  allowed: readonly string[],
): Promise<JoinCandidate> {
  const { design, resolveEndpoint } = context;
  const fqdn = nodeFqdn(design, node);
  const clusterNodes = snapshot?.nodes ?? null;
  const nodeObject = clusterNodes?.find(({ name }) => name === fqdn);
  const owner = clusterNodes?.find(
    ({ name, addresses }) => name !== fqdn && addresses.some(({ address }) => node.ip.includes(address)),
  );
  const [names, unexpectedAnswer, script] = await Promise.all([
    Promise.all(probeNodeDns(context, node)),
    findOpenPort(context, node),
    design.services.boot.kind === 'ipxe' ? probeFile(context, nodeScriptPath(node)) : null,
  ]);
  return {
    name: node.name,
    fqdn,
    object:
      clusterNodes === null ? null : nodeObject === undefined ? 'absent' : nodeObject.isReady ? 'ready' : 'not-ready',
    isReinstalled: getReinstalledAt(context, node.name) !== null,
    addressOwner: owner?.name ?? null,
    unexpectedAnswer,
    names: names.map(({ server, isOk, what, detail }) => ({ server, isOk, detail: `${what} ${detail}` })),
    dhcp:
      design.services.dhcp.kind === 'none' ? 'none' : checkFiles(files, DHCP_KINDS, (text) => text.includes(node.mac)),
    balancer: isIngressMember(context, node)
      ? checkFiles(files, ['haproxy'], (text) => new RegExp(`^\\s*server ${node.name} `, 'm').test(text))
      : 'none',
    script,
    mayFetch: node.ip.every((address) => allowed.includes(resolveEndpoint(address, 0).host)),
  };
}

/** Whether the node belongs to the router pools in the current stage of the load balancer. */
function isIngressMember(context: StepContext, { name }: DesignNode): boolean {
  if (context.design.services.loadBalancer.kind !== 'haproxy') return false;
  return balancerMembers(context.design, getLiveStage(context)).ingress.some((member) => member.name === name);
}

async function findOpenPort(context: StepContext, { ip }: DesignNode): Promise<string | null> {
  const attempts = ip.flatMap((address) =>
    NODE_PORTS.map(async (port) => {
      const { state } = await probeTcp(context.resolveEndpoint, context.clock, address, port, TIMEOUT);
      return state === 'open' ? catalogue().bastion.probe.hostAndPort(address, port) : null;
    }),
  );
  return (await Promise.all(attempts)).find((found) => found !== null) ?? null;
}

async function getWorkerPool(context: StepContext): Promise<JoinEvidence['pool']> {
  const cluster = await openCluster(context).catch(() => null);
  const pool = await cluster?.get('MachineConfigPool', 'worker').catch(() => null);
  return pool ? toPoolEvidence(pool) : null;
}

function toPoolEvidence(pool: KubeObject): JoinEvidence['pool'] {
  const unhealthy = findUnhealthy(pool);
  return {
    isDegraded: unhealthy !== null,
    isPaused: getField(pool.spec, 'paused') === true,
    message: unhealthy?.message ?? '',
  };
}

const DHCP_KINDS = ['isc-dhcpd', 'kea-dhcp4'] as const;

/** A relevant generated file, and its text on its host; null if it cannot be read from here. */
interface HostFile {
  readonly kind: GeneratedFile['kind'];
  readonly text: string | null;
}

async function readHostFiles(context: StepContext): Promise<HostFile[]> {
  const { files } = await generateStage(context, getLiveStage(context));
  const wanted = files.filter(({ kind }) => [...DHCP_KINDS, 'haproxy'].some((each) => each === kind));
  return await Promise.all(
    wanted.map(async ({ kind, host, path }) => ({
      kind,
      text: host === null ? null : await readHostFile(context, host, path),
    })),
  );
}

/** Checks every readable file of these kinds; null if none can be read. */
function checkFiles(
  files: readonly HostFile[],
  kinds: readonly HostFile['kind'][],
  matches: (text: string) => boolean,
): 'there' | 'missing' | null {
  const texts = files.filter(({ kind }) => kinds.includes(kind)).flatMap(({ text }) => text ?? []);
  if (texts.length === 0) return null;
  return texts.every(matches) ? 'there' : 'missing';
}
