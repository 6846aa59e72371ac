import { STEP_IDS, type StepId } from './contract.ts';

/**
 * Keys of a node that determine its files, its machine and its place in the network. Its size is left out: nothing else
 * follows from it.
 */
const MACHINE_KEYS = [
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
const buildNodePaths = (keys: readonly string[]) => keys.map((key) => `nodes.*.${key}`);

/**
 * Parts of the design that the result of each step depends on, as paths of the document (`*`: any element). A change
 * elsewhere leaves the results of the step valid.
 */
const STEP_INPUTS: Readonly<Record<StepId, readonly string[]>> = {
  generate: [''],
  hosts: [
    ...['openshift.version', 'topology', 'cluster', 'networks', 'endpoints', 'services'],
    ...buildNodePaths([...MACHINE_KEYS, 'firmware', 'secureBoot']),
  ],
  prepare: [
    ...['openshift', 'topology', 'cluster', 'networks', 'credentials', 'fips', 'proxy', 'services.time'],
    ...['additionalTrustBundleFile', 'additionalTrustBundlePolicy', 'imageDigestSources', 'nodes.*.role'],
  ],
  boot: [
    ...['openshift', 'cluster', 'networks.machine', 'services.boot', 'services.dhcp'],
    ...buildNodePaths([...MACHINE_KEYS, 'firmware', 'secureBoot']),
  ],
  bootstrap: ['cluster', 'endpoints'],
  'bootstrap-removal': ['cluster', 'endpoints', 'services.loadBalancer', ...buildNodePaths(['name', 'role', 'ip'])],
  certificates: ['cluster', ...buildNodePaths(['name', 'role', 'ip'])],
  operators: ['cluster'],
  infra: ['cluster', 'infra', 'services.loadBalancer', ...buildNodePaths(['name', 'role', 'ip'])],
  report: [''],
};

/** Lists the steps whose result depends on any of these paths of the document, in their order. */
export function listDependentSteps(paths: readonly string[]): StepId[] {
  return STEP_IDS.filter((id) => paths.some((path) => STEP_INPUTS[id].some((input) => overlaps(path, input))));
}

/** Whether a change at a path affects an input: the same path, one inside it, or one around it. */
function overlaps(path: string, input: string): boolean {
  if (path === '' || input === '') return true;
  const [changedKeys, inputKeys] = [path.split('.'), input.split('.')];
  const length = Math.min(changedKeys.length, inputKeys.length);
  return inputKeys.slice(0, length).every((key, index) => key === '*' || key === changedKeys[index]);
}
