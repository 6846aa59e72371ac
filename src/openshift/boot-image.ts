import { getField, getString, type KubeObject } from './object.ts';

/**
 * The recorded boot image, which the machine-config-operator compares with the oldest image that can join. `Automatic`:
 * the operator updates the record; `Manual`: the administrator does; `None`: nothing is compared.
 */
interface BootImageRecord {
  readonly mode: 'Manual' | 'Automatic' | 'None';
  /** The build of RHCOS or the release that it shipped with; null where the mode has none. */
  readonly version: string | null;
}

/** Values of `spec.bootImageSkewEnforcement.manual` (openshift/api, operator/v1/types_machineconfiguration.go). */
export type ManualBootImage =
  | { readonly mode: 'RHCOSVersion'; readonly rhcosVersion: string }
  | { readonly mode: 'OCPVersion'; readonly ocpVersion: string };

/** Returns the record that the administrator requested in MachineConfiguration `cluster`; null: none. */
export function getRequestedBootImage({ spec }: KubeObject): BootImageRecord | null {
  return parseRecord(getField(spec, 'bootImageSkewEnforcement'));
}

/** Returns the record that the machine-config-operator compares with; null: it reports none (yet). */
export function getObservedBootImage({ status }: KubeObject): BootImageRecord | null {
  return parseRecord(getField(status, 'bootImageSkewEnforcementStatus'));
}

function parseRecord(value: unknown): BootImageRecord | null {
  const mode = getString(value, 'mode');
  if (mode === 'None') return { mode, version: null };
  if (mode !== 'Manual' && mode !== 'Automatic') return null;
  const image = getField(value, mode === 'Manual' ? 'manual' : 'automatic');
  return { mode, version: getString(image, 'rhcosVersion') ?? getString(image, 'ocpVersion') };
}

// The patterns and lengths that the API accepts (openshift/api, operator/v1/types_machineconfiguration.go).
const BUILD_PATTERN = /^(?=.{14,21}$)\d+\.\d+\.(?:\d{8}|\d{12})-\d+$/;
const RELEASE_PATTERN = /^(?=.{5,10}$)\d+\.\d+\.\d+$/;

/**
 * Returns the value that records a boot image: its build, if the API accepts it, else the release that it shipped with.
 * @param build null if it is not known
 * @param release `4.22.3`, `4.22.0-okd-scos.3`: only x.y.z is recorded
 * @returns null if the release is no version
 */
export function toManualBootImage(build: string | null, release: string): ManualBootImage | null {
  if (build !== null && BUILD_PATTERN.test(build)) return { mode: 'RHCOSVersion', rhcosVersion: build };
  const [ocpVersion = ''] = release.split('-');
  return RELEASE_PATTERN.test(ocpVersion) ? { mode: 'OCPVersion', ocpVersion } : null;
}
