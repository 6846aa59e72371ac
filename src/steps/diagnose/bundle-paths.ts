import type { Share } from '../../bastion/untar.ts';

/** What a file of a bundle is read as. */
export type BundleFile =
  /** A journal, by unit or by boot: `installer-gather.sh`, `oc adm node-logs`. */
  | 'journal'
  /** What a container printed, with the time of the runtime before it or without. */
  | 'container'
  /** /var/log/openshift of the bootstrap machine. */
  | 'record'
  /** What `installer-gather.sh` itself said: whom it could log in to. */
  | 'gather'
  | 'host-name'
  | 'routes'
  | 'addresses'
  /** `.openshift_install.log` */
  | 'installer'
  | 'objects'
  /** When a must-gather began and ended. */
  | 'timestamp';

const MIB = 1024 * 1024;
const LOG: Share = { part: 'end', most: MIB };
const SMALL: Share = { part: 'start', most: MIB };
const OBJECTS: Share = { part: 'start', most: 64 * MIB };

/** What lies on a machine: the bootstrap at the top of a log bundle, the others below control-plane. */
const MACHINE = '(?:^|/)(?:bootstrap|control-plane/[^/]+)';
const RESOURCES =
  'nodes|clusteroperators|clusterversion|csr|machineconfigpools|apiservices|namespaces|pods|configmaps|proxies';
/** What a must-gather has below each API group: one file for each object, or one for all. */
const GATHERED = [
  'config\\.openshift\\.io/(?:clusteroperators|clusterversions|proxies)',
  'core/(?:nodes|namespaces)',
  'machineconfiguration\\.openshift\\.io/machineconfigpools',
  'apiregistration\\.k8s\\.io/apiservices',
  'certificates\\.k8s\\.io/certificatesigningrequests',
  'storage\\.k8s\\.io/(?:storageclasses|csinodes)',
  'operator\\.openshift\\.io/etcds',
].join('|');

/** The first that fits decides. Keys, ignition files and rendered assets are in none. */
const KINDS: readonly (readonly [BundleFile, Share, RegExp])[] = [
  ['record', SMALL, /(?:^|\/)bootstrap\/services\/(?:release-image|bootkube)\.json$/],
  ['journal', LOG, new RegExp(`${MACHINE}/journals/[^/]+\\.log$`)],
  ['container', LOG, new RegExp(`${MACHINE}/(?:containers|pods)/(?:bootstrap-control-plane/)?[^/]+\\.log$`)],
  ['host-name', SMALL, new RegExp(`${MACHINE}/network/hostname\\.txt$`)],
  ['routes', SMALL, new RegExp(`${MACHINE}/network/ip-route\\.txt$`)],
  ['addresses', SMALL, new RegExp(`${MACHINE}/network/ip-addr\\.txt$`)],
  ['gather', LOG, /^(?:\.\/)?(?:[^/]+\/)?gather\.log$/],
  ['journal', LOG, /(?:^|\/)(?:failed-units\.txt|unit-status\/[^/]+|serial\/[^/]+\.log)$/],
  ['installer', LOG, /(?:^|\/)\.openshift_install\.log$/],
  ['journal', LOG, /(?:^|\/)host_service_logs\/[^/]+\/[^/]+\.log$/],
  ['container', LOG, /(?:^|\/)namespaces\/[^/]+\/pods\/.*\/logs\/current\.log$/],
  ['timestamp', SMALL, /^(?:\.\/)?(?:[^/]+\/){0,2}timestamp$/],
  ['objects', OBJECTS, new RegExp(`(?:^|/)resources/(?:${RESOURCES})\\.json$`)],
  ['objects', OBJECTS, new RegExp(`(?:^|/)cluster-scoped-resources/(?:${GATHERED})(?:/[^/]+)?\\.yaml$`)],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/([^/]+)\/(?:\1|core\/(?:persistentvolumeclaims|events))\.yaml$/],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/openshift-ingress\/(?:core\/pods|pods\/([^/]+)\/\1)\.yaml$/],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/kube-system\/core\/configmaps\.yaml$/],
];

/** What a file of a bundle is, by its path; null: nothing that is read. A file that is packed by itself is what it holds. */
export function kindOf(path: string): BundleFile | null {
  return rowOf(path)?.[0] ?? null;
}

/** How much of a file is read: what logs end with, and objects whole. */
export function shareOf(path: string): Share | null {
  const share = rowOf(path)?.[1] ?? null;
  // Of what is packed the end is not to be had alone.
  return share !== null && isPacked(path) ? { part: 'start', most: 16 * MIB } : share;
}

/** How much of what is packed by itself is kept, unpacked. */
export const UNPACKED_MOST = 32 * MIB;

export const isPacked = (path: string) => path.endsWith('.gz');

function rowOf(path: string) {
  const name = path.replace(/\.gz$/, '');
  return KINDS.find(([, , pattern]) => pattern.test(name));
}
