import { parseMinorVersion } from './versions.ts';

/** The oldest and the newest version whose documentation is at this address; others get the nearest. */
const OLDEST_MINOR = 12;
const NEWEST_MINOR = 20;

/**
 * Formats the address of a page of the OpenShift documentation, for the version of the cluster.
 * @param version of the design: "4.18" or "4.18.9"
 * @param page the book, the page in it and the section: `nodes/controlling-pod-placement…#…`
 */
export function formatDocumentationLink(version: string, page: string): string {
  const [, major = '4', text = ''] = /^(\d+)\.(\d+)$/.exec(parseMinorVersion(version) ?? '') ?? [];
  const minor = text === '' || major !== '4' ? NEWEST_MINOR : Number(text);
  const nearest = Math.min(NEWEST_MINOR, Math.max(OLDEST_MINOR, minor));
  return `https://docs.redhat.com/en/documentation/openshift_container_platform/4.${nearest}/html/${page}`;
}
