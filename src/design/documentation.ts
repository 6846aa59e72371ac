import { isOkd, parseMinorVersion } from './versions.ts';

/** The oldest and newest 4.x whose documentation is at these addresses; other versions get the nearest of them. */
const DOCUMENTED_MINOR_VERSIONS = { OpenShift: { oldest: 12, newest: 22 }, OKD: { oldest: 19, newest: 21 } } as const;

/** The pages whose path at docs.okd.io is not that at docs.redhat.com plus ".html". */
const OKD_PAGES: Readonly<Record<string, string>> = {
  'installing_on_any_platform/installing-platform-agnostic':
    'installing/installing_platform_agnostic/installing-platform-agnostic',
  'authentication_and_authorization/configuring-identity-providers#configuring-htpasswd-identity-provider':
    'authentication/identity_providers/configuring-htpasswd-identity-provider',
  'backup_and_restore/graceful-shutdown-cluster': 'backup_and_restore/graceful-cluster-shutdown',
  'backup_and_restore/control-plane-backup-and-restore#replacing-unhealthy-etcd-member':
    'backup_and_restore/control_plane_backup_and_restore/replacing-unhealthy-etcd-member',
  'nodes/controlling-pod-placement-onto-nodes-scheduling': 'nodes/scheduling/nodes-scheduler-taints-tolerations',
  'operators/cluster-operators-ref': 'operators/operator-reference',
};
/** The page of docs.redhat.com whose sections are separate pages at docs.okd.io. */
const SPLIT_PAGE = 'support/troubleshooting';

/**
 * Formats the address of a page of the OpenShift or OKD documentation, for the version of the cluster.
 * @param version of the design: "4.18", "4.18.9" or "4.20.0-okd-scos.3"
 * @param page the book, the page in it and the section at docs.redhat.com: `nodes/controlling-pod-placement…#…`
 */
export function formatDocumentationLink(version: string, page: string): string {
  const { oldest, newest } = DOCUMENTED_MINOR_VERSIONS[isOkd(version) ? 'OKD' : 'OpenShift'];
  const [, major = '4', minorText = ''] = /^(\d+)\.(\d+)$/.exec(parseMinorVersion(version) ?? '') ?? [];
  const minor = minorText === '' || major !== '4' ? newest : Number(minorText);
  const nearestMinor = Math.min(newest, Math.max(oldest, minor));
  return isOkd(version)
    ? `https://docs.okd.io/4.${nearestMinor}/${toOkdPage(page)}`
    : `https://docs.redhat.com/en/documentation/openshift_container_platform/4.${nearestMinor}/html/${page}`;
}

function toOkdPage(page: string): string {
  const mappedPath = OKD_PAGES[page];
  if (mappedPath !== undefined) return `${mappedPath}.html`;
  const [path = '', section] = page.split('#');
  if (path === SPLIT_PAGE && section !== undefined) return `${path}/${section}.html`;
  return `${OKD_PAGES[path] ?? path}.html${section === undefined ? '' : `#${section}`}`;
}
