import { STEP_IDS, type StepId } from './contract.ts';

/** What of a node its files, its machine and its place in the network follow from; its size follows from nothing but itself. */
const MACHINE = [
  'name',
  'role',
  'ip',
  'mac',
  'interface',
  'interfaces',
  'bond',
  'vlan',
  'installDisk',
  'kernelArguments',
];
const nodes = (keys: readonly string[]) => keys.map((key) => `nodes.*.${key}`);

/**
 * The parts of the design that the result of each step depends on, as paths of the document (`*`: any element). A change
 * elsewhere makes nothing untrue that the step has found.
 */
const READS: Readonly<Record<StepId, readonly string[]>> = {
  generate: [''],
  hosts: [
    ...['openshift.version', 'topology', 'cluster', 'networks', 'endpoints', 'services'],
    ...nodes([...MACHINE, 'firmware', 'secureBoot']),
  ],
  prepare: [
    ...['openshift', 'topology', 'cluster', 'networks', 'credentials', 'fips', 'proxy', 'services.time'],
    ...['additionalTrustBundleFile', 'additionalTrustBundlePolicy', 'imageDigestSources', 'nodes.*.role'],
  ],
  boot: [
    ...['openshift', 'cluster', 'networks.machine', 'services.boot', 'services.dhcp'],
    ...nodes([...MACHINE, 'firmware', 'secureBoot']),
  ],
  bootstrap: ['cluster', 'endpoints'],
  'bootstrap-removal': ['cluster', 'endpoints', 'services.loadBalancer', ...nodes(['name', 'role', 'ip'])],
  certificates: ['cluster', ...nodes(['name', 'role', 'ip'])],
  operators: ['cluster'],
  infra: ['cluster', 'infra', 'services.loadBalancer', ...nodes(['name', 'role', 'ip'])],
  report: [''],
};

/** The steps whose result depends on any of these paths of the document, in their order. */
export function stepsThatRead(paths: readonly string[]): StepId[] {
  return STEP_IDS.filter((id) => paths.some((path) => READS[id].some((read) => touches(path, read))));
}

/** A change at a path touches what is read there, in it, and around it. */
function touches(path: string, read: string): boolean {
  if (path === '' || read === '') return true;
  const [changed, wanted] = [path.split('.'), read.split('.')];
  const both = Math.min(changed.length, wanted.length);
  return wanted.slice(0, both).every((key, index) => key === '*' || key === changed[index]);
}
