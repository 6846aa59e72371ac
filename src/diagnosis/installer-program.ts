/** What is wrong with an openshift-install for a design. */
export type InstallerFault = 'missing' | 'version' | 'architecture' | 'architecture-unknown';

/** What an installer says that was built without a release in it (OKD, one's own). */
const UNKNOWN = 'unknown';

/**
 * Judges openshift-install for a design; null: it fits, or does not say.
 * @param found null: there is none, or it does not run
 * @param wanted `version` "4.18" or "4.18.11"; `goArchitecture` as releases call it
 */
export function installerFault(
  found: { readonly version: string | null; readonly architecture: string | null } | null,
  wanted: { readonly version: string; readonly goArchitecture: string },
): InstallerFault | null {
  if (found === null) return 'missing';
  const { version, architecture } = found;
  // 4.18 and 4.18.11 match; 4.18.3 and 4.18.11 do not.
  const isSame = version === null || version === wanted.version || version.startsWith(`${wanted.version}.`);
  if (!isSame) return 'version';
  if (architecture === UNKNOWN) return 'architecture-unknown';
  const isOther = architecture !== null && ![wanted.goArchitecture, 'multi'].includes(architecture);
  return isOther ? 'architecture' : null;
}
