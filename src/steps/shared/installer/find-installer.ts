import { versionProfile } from '../../../design/versions.ts';
import { findProgram } from '../../../installer/find-program.ts';
import type { StepContext } from '../../contract.ts';

/**
 * Finds the installer for this design; null if there is none. From 4.16 on, a separate build creates clusters in FIPS
 * mode, with the libraries of the host (openshift/installer pkg/hostcrypt refuses the other).
 * @param path searched after the program path; by default that of the process
 */
export async function findInstaller(
  { design, programPath }: Pick<StepContext, 'design' | 'programPath'>,
  path?: string,
): Promise<string | null> {
  const isFips = needsFipsInstaller(design);
  const fipsProgram = isFips ? await findProgram('openshift-install-fips', programPath, path) : null;
  return fipsProgram ?? (await findProgram('openshift-install', programPath, path));
}

/** Whether this version needs openshift-install-fips for this design, and a host in FIPS mode to run it on. */
export function needsFipsInstaller({ fips, openshift }: StepContext['design']): boolean {
  return fips && versionProfile(openshift.version).requiresFipsHost;
}
