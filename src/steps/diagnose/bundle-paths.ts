import type { Excerpt } from '../../host/tar.ts';

/** Kind of a file in a bundle, which decides how the file is read. */
export type BundleFileKind =
  /** A journal, by unit or by boot: `installer-gather.sh`, `oc adm node-logs`. */
  | 'journal'
  /** Lines that the user saved: a journal, a console, output of commands. */
  | 'pasted'
  /** Output of a container, with or without the time of the runtime. */
  | 'container'
  /** Record of a bootstrap service, from /var/log/openshift of the bootstrap machine. */
  | 'record'
  /** Output of `installer-gather.sh` itself: which machines it could log in to. */
  | 'gather'
  | 'host-name'
  | 'routes'
  | 'addresses'
  | 'resolver'
  /** `.openshift_install.log` */
  | 'installer'
  | 'objects'
  /** Start and end of a must-gather. */
  | 'timestamp';

const MIB = 1024 * 1024;
const LOG: Excerpt = { part: 'end', maxBytes: MIB };
const SMALL_FILE: Excerpt = { part: 'start', maxBytes: MIB };
const OBJECTS: Excerpt = { part: 'start', maxBytes: 64 * MIB };

/** Files of a machine: the bootstrap's at the top of a log bundle, the others' below control-plane. */
const MACHINE = '(?:^|/)(?:bootstrap|control-plane/[^/]+)';
const RESOURCES =
  'nodes|clusteroperators|clusterversion|csr|machineconfigpools|apiservices|namespaces|pods|configmaps|proxies';
/** Files of a must-gather below each API group: one for each object, or one for all. */
const GATHERED_RESOURCES = [
  'config\\.openshift\\.io/(?:clusteroperators|clusterversions|proxies)',
  'core/(?:nodes|namespaces)',
  'machineconfiguration\\.openshift\\.io/machineconfigpools',
  'apiregistration\\.k8s\\.io/apiservices',
  'certificates\\.k8s\\.io/certificatesigningrequests',
  'storage\\.k8s\\.io/(?:storageclasses|csinodes)',
  'operator\\.openshift\\.io/etcds',
].join('|');

/** The first match decides. Keys, ignition files and rendered assets match none. */
const FILE_KINDS: readonly (readonly [BundleFileKind, Excerpt, RegExp])[] = [
  ['record', SMALL_FILE, /(?:^|\/)bootstrap\/services\/(?:release-image(?:-pivot)?|node-image-pull|bootkube)\.json$/],
  ['journal', LOG, new RegExp(`${MACHINE}/journals/[^/]+\\.log$`)],
  ['container', LOG, new RegExp(`${MACHINE}/(?:containers|pods)/(?:bootstrap-control-plane/)?[^/]+\\.log$`)],
  ['host-name', SMALL_FILE, new RegExp(`${MACHINE}/network/hostname\\.txt$`)],
  ['routes', SMALL_FILE, new RegExp(`${MACHINE}/network/ip-route\\.txt$`)],
  ['addresses', SMALL_FILE, new RegExp(`${MACHINE}/network/ip-addr\\.txt$`)],
  ['resolver', SMALL_FILE, new RegExp(`${MACHINE}/network/resolv\\.conf$`)],
  ['gather', LOG, /^(?:\.\/)?(?:[^/]+\/)?gather\.log$/],
  ['journal', LOG, /(?:^|\/)(?:failed-units\.txt|unit-status\/[^/]+|serial\/[^/]+\.log)$/],
  ['installer', LOG, /(?:^|\/)\.openshift_install(?:-\d+)?\.log$/],
  // The console of a machine, as a hypervisor or a BMC saves it; journals that were saved by hand.
  ['journal', LOG, /(?:^|\/)(?:console|serial|virsh|ipmi|sol)[\w.-]*\.(?:log|txt)$/],
  ['pasted', LOG, /(?:^|\/)haproxy[\w.-]*\.(?:cfg|conf)$/],
  ['pasted', LOG, /^(?:\.\/)?(?:[^/]+\/)?(?!must-gather\.log)[^/]+\.(?:log|txt|out)$/],
  ['journal', LOG, /(?:^|\/)host_service_logs\/[^/]+\/[^/]+\.log$/],
  ['container', LOG, /(?:^|\/)namespaces\/[^/]+\/pods\/.*\/logs\/current\.log$/],
  ['timestamp', SMALL_FILE, /^(?:\.\/)?(?:[^/]+\/){0,2}timestamp$/],
  ['objects', OBJECTS, new RegExp(`(?:^|/)resources/(?:${RESOURCES})\\.json$`)],
  ['objects', OBJECTS, new RegExp(`(?:^|/)cluster-scoped-resources/(?:${GATHERED_RESOURCES})(?:/[^/]+)?\\.yaml$`)],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/([^/]+)\/(?:\1|core\/(?:persistentvolumeclaims|events))\.yaml$/],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/openshift-ingress\/(?:core\/pods|pods\/([^/]+)\/\1)\.yaml$/],
  ['objects', OBJECTS, /(?:^|\/)namespaces\/kube-system\/core\/configmaps\.yaml$/],
];

/** Finds the kind of a bundle file by its path; null if it is not read. A gzipped file has the kind of its content. */
export function findFileKind(path: string): BundleFileKind | null {
  return findRow(path)?.[0] ?? null;
}

/** Selects how much of a file is read: the end of a log, objects completely; null: the file is not read. */
export function selectExcerpt(path: string): Excerpt | null {
  const excerpt = findRow(path)?.[1] ?? null;
  // The end of a compressed file cannot be read alone.
  return excerpt !== null && isGzipped(path) ? { part: 'start', maxBytes: 16 * MIB } : excerpt;
}

/** Maximum size of a gzipped file after unpacking (bytes). */
export const MAX_UNPACKED_SIZE = 32 * MIB;

/** Whether a file of a bundle is compressed itself. */
export const isGzipped = (path: string) => path.endsWith('.gz');

function findRow(path: string) {
  const name = path.replace(/\.gz$/, '');
  return FILE_KINDS.find(([, , pattern]) => pattern.test(name));
}
