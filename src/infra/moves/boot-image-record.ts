import { isSingleNode } from '../../design/choices.ts';
import type { Design } from '../../design/model.ts';
import { getVersionProfile, isExactVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getInitialInstallation } from '../../kube/cluster-version.ts';
import {
  getObservedBootImage,
  getRequestedBootImage,
  type ManualBootImage,
  toManualBootImage,
} from '../../openshift/boot-image.ts';
import { getString, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, NotApplicable } from '../infra-move.ts';

const words = () => catalogue().moves.byName['boot-image-record'];

const MACHINE_CONFIGURATION = { kind: 'MachineConfiguration', name: 'cluster', namespace: null } as const;
/**
 * Platforms on which no operator knows the boot image, only the administrator (openshift-docs#108103, boot image skew
 * enforcement). Platform baremetal takes it from the release.
 */
const MANUAL_PLATFORMS: ReadonlySet<string> = new Set(['None', 'External']);

/** Creates the edit that records a boot image. It leaves an existing record of the administrator as it is. */
const createRecordEdit = (image: ManualBootImage): Edit => ({
  ...MACHINE_CONFIGURATION,
  patch: (current): JsonObject =>
    getRequestedBootImage(current) === null
      ? { spec: { bootImageSkewEnforcement: { mode: 'Manual', manual: { ...image } } } }
      : {},
});

/** Records which boot image the nodes were installed with: the cluster refuses updates without this record. */
export const bootImageRecordMove: ClusterMove<'boot-image-record'> = {
  name: 'boot-image-record',
  where: 'cluster',
  rolloutTarget: { operator: 'machine-config' },
  needs: [],
  mustPrecedeTaint: false,
  async plan(cluster, design, { readBootImages }) {
    const clusterVersion = await cluster.get('ClusterVersion', 'version');
    const runningVersion = getString(clusterVersion?.status, 'desired', 'version') ?? '';
    const exemption = await findExemption(cluster, design, runningVersion);
    if (exemption !== null) return exemption;
    const current = await cluster.get(MACHINE_CONFIGURATION.kind, MACHINE_CONFIGURATION.name);
    if (current === null)
      return {
        state: 'blocked',
        why: catalogue().moves.reasons.operatorMissing('MachineConfiguration cluster (operator.openshift.io)'),
      };
    if (getRequestedBootImage(current) !== null) return { state: 'edits', edits: [] };
    const release = (clusterVersion && getInitialInstallation(clusterVersion)?.version) ?? runningVersion;
    const images = await readBootImages();
    // The installer may have been replaced since the installation, for later nodes or for another cluster.
    const build = images?.release === release ? images.build : null;
    const image = toManualBootImage(build, release);
    if (image === null) return { state: 'blocked', why: words().unknownRelease(release) };
    return {
      state: 'edits',
      edits: [createRecordEdit(image)],
      notes: image.mode === 'RHCOSVersion' ? [] : [words().buildUnknown(image.ocpVersion)],
    };
  },
  async probeRollout(cluster) {
    const object = await cluster.get(MACHINE_CONFIGURATION.kind, MACHINE_CONFIGURATION.name);
    const requestedImage = object && getRequestedBootImage(object);
    if (requestedImage?.mode === 'None') return { state: 'done', why: words().turnedOff };
    const observedImage = object && getObservedBootImage(object);
    return requestedImage !== null && observedImage?.version === requestedImage.version
      ? { state: 'done', why: words().done(requestedImage.version ?? '') }
      : { state: 'moving', why: words().notObserved };
  },
  findUndoBlocker: null,
  planUndoEdits: async () => [
    { ...MACHINE_CONFIGURATION, patch: () => ({ spec: { bootImageSkewEnforcement: null } }) },
  ],
  untilPodsGone: null,
  buildManifest(design) {
    const { version } = design.openshift;
    const image = isExactVersion(version) ? toManualBootImage(null, version) : null;
    if (image === null || !needsBootImageRecord(design)) return [];
    return [
      { comment: ' Records the boot image of the nodes: that of the release.', edits: [createRecordEdit(image)] },
    ];
  },
};

/** Whether a cluster of this design needs the record: from 4.22 on, unless it has a single node. */
export const needsBootImageRecord = ({ openshift, topology }: Pick<Design, 'openshift' | 'topology'>) =>
  !isSingleNode(topology) && getVersionProfile(openshift.version).enforcesBootImageSkew;

/** Returns why this cluster needs no record; null if it needs one. */
async function findExemption(
  cluster: ClusterReader,
  design: Design,
  runningVersion: string,
): Promise<NotApplicable | null> {
  if (!getVersionProfile(runningVersion).enforcesBootImageSkew)
    return { state: 'absent', why: words().tooOld(runningVersion) };
  const infrastructure = await cluster.get('Infrastructure', 'cluster');
  if (isSingleNode(design.topology) || isSingleReplica(infrastructure))
    return { state: 'absent', why: words().singleNode };
  const platform =
    getString(infrastructure?.status, 'platformStatus', 'type') ?? getString(infrastructure?.status, 'platform');
  if (platform !== null && !MANUAL_PLATFORMS.has(platform))
    return { state: 'absent', why: words().otherPlatform(platform) };
  return null;
}

const isSingleReplica = (infrastructure: KubeObject | null) =>
  getString(infrastructure?.status, 'controlPlaneTopology') === 'SingleReplica';
