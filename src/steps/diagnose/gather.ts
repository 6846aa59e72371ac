import { imageSources } from '../../artifacts/boot/images.ts';
import { type Snapshot, STATUS_PARTS } from '../../cluster/snapshot.ts';
import { nodeFqdn } from '../../design/names.ts';
import { BOOT_STAGES } from '../../diagnosis/boot/evidence.ts';
import { isRefusal } from '../../diagnosis/causes/boot/service-file-broken.ts';
import type { ClusterSeen, Evidence, Line, MachineSeen, PortSeen } from '../../diagnosis/causes/evidence.ts';
import { imageStates } from '../../installer/image-sums.ts';
import { streamImages } from '../../installer/openshift-install.ts';
import type { Place } from '../check/index.ts';
import type { StepContext } from '../contract.ts';
import { look } from '../shared/access.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { findInstaller } from '../shared/installer/find-installer.ts';
import { imageFiles, imageNames } from '../shared/installer/images.ts';
import { poweredOn } from '../shared/machines/later-nodes.ts';
import { clusterSeen } from './cluster.ts';
import { dhcpLog, filesSeen } from './host-files.ts';
import { ignitionSeen, registriesSeen } from './ignition.ts';
import { nodeLines } from './journals.ts';
import { dhcpLines, installationLines, type OnUnread } from './log-lines.ts';
import { machinesSeen } from './machines.ts';
import { serviceLines, withoutOutlived } from './service-lines.ts';
import { checkAnswers, clocksSeen, poolsSeen, portsSeen, readySeen } from './site.ts';

/** Where it is looked from; `isOnline`: time servers on the internet are asked as well. */
export type Outlook = StepContext & Pick<Place, 'isOnline'>;

/**
 * Everything that can be known of an installation from here, looked at once. Changes nothing. Never throws for what is wrong there.
 * @param onUnread gets each machine that was powered on and whose journal cannot be read, with why
 */
export async function gatherEvidence(context: Outlook, onUnread: OnUnread = () => undefined): Promise<Evidence> {
  const { design, clock } = context;
  // Looking takes seconds, which on the clock of a rehearsal are minutes: what was asked first is judged by the time it was asked at.
  const now = clock.now();
  const snapshot = await look(context, STATUS_PARTS).catch(() => null);
  const joined = new Set(snapshot?.nodes?.map(({ name }) => name));
  const [cluster, boot, ports] = await Promise.all([
    clusterSeen(context, snapshot),
    machinesSeen(context, joined),
    portsSeen(context),
  ]);
  const isSetUp =
    Object.keys(context.memory.get('put-files') ?? {}).length > 0 || hasBegun(context) || cluster !== null;
  const isBooting = boot.machines.some(needsFiles);
  const [checks, pools, ready, files, log, ignition, registries, clocks, images, lines, services] = await Promise.all([
    checkAnswers(context, { isSetUp, isBooting }),
    poolsSeen(context),
    readySeen(context, ports),
    filesSeen(context),
    dhcpLog(context),
    ignitionSeen(context),
    registriesSeen(context),
    clocksSeen(context),
    isBooting ? imagesSeen(context) : { names: [], wrong: [] },
    linesSeen(context, ports, boot.machines, cluster, onUnread),
    serviceLines(context),
  ]);
  return {
    now,
    design,
    stage: liveStage(context),
    checks,
    pools,
    ports: isSetUp ? ports : [],
    ready,
    files,
    ...boot,
    ignition,
    images,
    registries,
    api: apiSeen(snapshot),
    cluster,
    clocks,
    lines: [
      ...lines,
      // What a DHCP server says of its file is among the lines of the services.
      ...dhcpLines(log, now, context.hands.isPerson ? '' : 'UTC').filter(({ text }) => !isRefusal(text)),
      ...withoutOutlived(services),
    ],
  };
}

function hasBegun(context: StepContext): boolean {
  return Object.keys(poweredOn(context)).length > 0;
}

/** It was powered on, and has not fetched all that it boots with. */
function needsFiles({ poweredOnAt, stage, hasJoined }: MachineSeen): boolean {
  return poweredOnAt !== null && !hasJoined && BOOT_STAGES.indexOf(stage) < BOOT_STAGES.indexOf('ignition');
}

function apiSeen(snapshot: Snapshot | null): Evidence['api'] {
  if (snapshot === null) return null;
  const { state, trouble, clockSkew, line } = snapshot.api;
  return { isUp: state === 'up', code: trouble?.code ?? null, line: trouble?.cause ?? line ?? '', skew: clockSkew };
}

async function imagesSeen(context: StepContext): Promise<Evidence['images']> {
  try {
    const program = await findInstaller(context);
    const stream = program === null ? null : await streamImages(program);
    const sources = stream === null ? [] : imageSources(stream, context.design.openshift.architecture);
    const names = imageFiles(await imageNames(context));
    const states = await imageStates(context.imagesDir, names, sources);
    return { names, wrong: states.filter(({ state }) => state === 'wrong').map(({ name }) => name) };
  } catch {
    // Prepare says what is wrong with the installer.
    return { names: [], wrong: [] };
  }
}

/** The installation's own lines, and the journals of control plane nodes that let us in and are not Ready. */
async function linesSeen(
  context: StepContext,
  ports: readonly PortSeen[],
  machines: readonly MachineSeen[],
  cluster: ClusterSeen | null,
  onUnread: OnUnread,
): Promise<Line[]> {
  const ready = new Set(cluster?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  const open = new Set(ports.filter(({ port, state }) => port === 22 && state === 'open').map(({ host }) => host));
  const unwell = machines.filter(({ name, role, poweredOnAt }) => {
    const isMissing = !ready.has(nodeFqdn(context.design, { name }));
    return role !== 'bootstrap' && poweredOnAt !== null && isMissing && open.has(name);
  });
  // Simulated machines have no SSH behind their port.
  const ofNodes: OnUnread = context.hands.isPerson ? onUnread : () => undefined;
  // Before it is powered on, and when its work is done, nobody expects the bootstrap to answer.
  const isWanted = machines.some(({ role, poweredOnAt }) => role === 'bootstrap' && poweredOnAt !== null);
  const ofBootstrap: OnUnread = isWanted && cluster?.bootstrapStatus !== 'complete' ? ofNodes : () => undefined;
  const [own, theirs] = await Promise.all([
    installationLines(context, ofBootstrap),
    nodeLines(context, unwell, ofNodes),
  ]);
  return [...own, ...theirs];
}
