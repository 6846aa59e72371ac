import { isVersionAtLeast } from '../../../design/versions.ts';
import { getField, getList, getString, isRecord, type KubeObject } from '../../api/objects.ts';
import { mergeStatus, type OperatorContext } from '../world.ts';

const MACHINE_CONFIGURATION_RESOURCE = 'machineconfigurations.operator.openshift.io';
/** The first minor version that compares boot images (openshift/api#2758). */
const FIRST_COMPARING_VERSION = '4.22';
/** The oldest accepted boot images (machine-config-operator, pkg/controller/common/constants.go). */
const OLDEST_RELEASE = '4.13.0';
const OLDEST_RHEL = '9.2';

/** Creates the MachineConfiguration, unless the release is too old to compare boot images. */
export function createMachineConfiguration({ store, release }: Pick<OperatorContext, 'store' | 'release'>): void {
  if (!isVersionAtLeast(release.version, FIRST_COMPARING_VERSION)) return;
  store.ensure(MACHINE_CONFIGURATION_RESOURCE, {
    metadata: { name: 'cluster' },
    spec: { logLevel: 'Normal', operatorLogLevel: 'Normal', managementState: 'Managed' },
  });
}

/**
 * Writes the recorded boot image into the status. If the specification names none, a single node has none, and other
 * clusters have the boot image of the release that installed them (machine-config-operator, pkg/operator/sync.go;
 * openshift-docs#108103).
 */
export function updateBootImageStatus(world: OperatorContext): void {
  const object = world.store.get(MACHINE_CONFIGURATION_RESOURCE, null, 'cluster');
  if (object === undefined) return;
  const requestedEnforcement = getField(object, 'spec', 'bootImageSkewEnforcement');
  const enforcement = isRecord(requestedEnforcement) ? requestedEnforcement : deriveDefaultEnforcement(world);
  mergeStatus(world, MACHINE_CONFIGURATION_RESOURCE, object, {
    observedGeneration: object.metadata.generation ?? 1,
    ...(enforcement === null ? {} : { bootImageSkewEnforcementStatus: enforcement }),
  });
}

function deriveDefaultEnforcement({ store, saved }: OperatorContext): object | null {
  if (saved.cluster?.controlPlaneReplicas === 1) return { mode: 'None' };
  const history = getList(store.get('clusterversions.config.openshift.io', null, 'version'), 'status', 'history');
  const version = getString(
    history.findLast((entry) => getString(entry, 'state') === 'Completed'),
    'version',
  );
  const [ocpVersion = ''] = version.split('-');
  return version === '' ? null : { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion } };
}

/**
 * Returns the reason why the recorded boot image blocks updates, in the words of the machine-config-operator
 * (pkg/operator/status.go); null: the boot image does not block updates.
 */
export function describeBootImageSkew({ store }: Pick<OperatorContext, 'store'>): string | null {
  const manualEnforcement = getField(
    getEnforcement(store.get(MACHINE_CONFIGURATION_RESOURCE, null, 'cluster')),
    'manual',
  );
  const release = getString(manualEnforcement, 'ocpVersion');
  const build = getString(manualEnforcement, 'rhcosVersion');
  const rhel = parseRhelVersion(build);
  const problem =
    release !== '' && !isVersionAtLeast(release, OLDEST_RELEASE)
      ? `the cluster is using OCP boot image version ${release}, which is below the minimum required version ${OLDEST_RELEASE}`
      : rhel !== '' && !isVersionAtLeast(rhel, OLDEST_RHEL)
        ? `the cluster is using RHCOS boot image version ${build}(RHEL version: ${rhel}), which is below the minimum required RHEL version ${OLDEST_RHEL}`
        : null;
  return problem === null
    ? null
    : `Upgrades have been disabled because ${problem}. To enable upgrades, please update your boot images following the documentation, or disable boot image skew enforcement`;
}

const getEnforcement = (object: KubeObject | undefined) => getField(object, 'status', 'bootImageSkewEnforcementStatus');

/** Parses the RHEL version: 9.6 in `9.6.20251023-0`, 9.4 in `418.94.202410090804-0`; empty: no build. */
function parseRhelVersion(build: string): string {
  const [major = '', minor = '', time = ''] = build.split('.');
  return /^\d{12}-/.test(time) ? `${minor.slice(0, 1)}.${minor.slice(1)}` : build === '' ? '' : `${major}.${minor}`;
}
