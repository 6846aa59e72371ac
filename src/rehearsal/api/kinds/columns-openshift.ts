import {
  ageColumn,
  conditionColumn,
  formatAge,
  getCondition,
  nameColumn,
  numberColumn,
  pathColumn,
  textColumn,
} from '../cells.ts';
import { getField, getList, getString, isRecord, type KubeObject } from '../objects.ts';
import type { Column } from './kind.ts';

/** Returns a column that shows the time since the last transition of a condition. */
function sinceColumn(name: string, type: string): Column {
  return {
    name,
    type: 'date',
    value: (object, now) => {
      const time = getString(getCondition(object, type), 'lastTransitionTime');
      return time === '' ? '' : formatAge(time, now);
    },
  };
}

const ageDateColumn: Column = { ...ageColumn, type: 'date' };

/** The printer columns of the custom resource definitions of OpenShift, by resource key. */
export const openshiftColumns: Readonly<Record<string, readonly Column[]>> = {
  'clusteroperators.config.openshift.io': [
    nameColumn,
    textColumn('Version', (operator) => {
      const version = getList(operator, 'status', 'versions').find((item) => getString(item, 'name') === 'operator');
      return getString(version, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    conditionColumn('Degraded', 'Degraded'),
    sinceColumn('Since', 'Available'),
    textColumn('Message', operatorMessage),
  ],
  'clusterversions.config.openshift.io': [
    nameColumn,
    textColumn('Version', (version) => {
      const completed = getList(version, 'status', 'history').find((item) => getString(item, 'state') === 'Completed');
      return getString(completed, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    sinceColumn('Since', 'Progressing'),
    conditionColumn('Status', 'Progressing', 'message'),
  ],
  'machinesets.machine.openshift.io': [
    nameColumn,
    numberColumn('Desired', 'spec', 'replicas'),
    numberColumn('Current', 'status', 'replicas'),
    numberColumn('Ready', 'status', 'readyReplicas'),
    numberColumn('Available', 'status', 'availableReplicas'),
    ageDateColumn,
  ],
  'machines.machine.openshift.io': [
    nameColumn,
    pathColumn('Phase', 'status', 'phase'),
    pathColumn('Type', 'spec', 'providerSpec', 'value', 'instanceType'),
    pathColumn('Region', 'spec', 'providerSpec', 'value', 'placement', 'region'),
    pathColumn('Zone', 'spec', 'providerSpec', 'value', 'placement', 'availabilityZone'),
    ageDateColumn,
  ],
  'machineconfigpools.machineconfiguration.openshift.io': [
    nameColumn,
    pathColumn('Config', 'status', 'configuration', 'name'),
    conditionColumn('Updated', 'Updated'),
    conditionColumn('Updating', 'Updating'),
    conditionColumn('Degraded', 'Degraded'),
    numberColumn('MachineCount', 'status', 'machineCount'),
    numberColumn('ReadyMachineCount', 'status', 'readyMachineCount'),
    numberColumn('UpdatedMachineCount', 'status', 'updatedMachineCount'),
    numberColumn('DegradedMachineCount', 'status', 'degradedMachineCount'),
    ageDateColumn,
  ],
  'machineconfigs.machineconfiguration.openshift.io': [
    nameColumn,
    textColumn(
      'GeneratedByController',
      ({ metadata }) =>
        metadata.annotations?.['machineconfiguration.openshift.io/generated-by-controller-version'] ?? '',
    ),
    pathColumn('IgnitionVersion', 'spec', 'config', 'ignition', 'version'),
    ageDateColumn,
  ],
  'routes.route.openshift.io': [
    nameColumn,
    pathColumn('Host/Port', 'spec', 'host'),
    pathColumn('Path', 'spec', 'path'),
    pathColumn('Services', 'spec', 'to', 'name'),
    textColumn('Port', (route) => String(getField(route, 'spec', 'port', 'targetPort') ?? '<all>')),
    textColumn('Termination', routeTermination),
    textColumn('Wildcard', (route) => getString(route, 'spec', 'wildcardPolicy') || 'None'),
  ],
};

/** Returns the message that explains an operator's state: of Degraded, else of not Available, else of Progressing. */
function operatorMessage(operator: KubeObject): string {
  const priorities: readonly [string, string][] = [
    ['Degraded', 'True'],
    ['Available', 'False'],
    ['Progressing', 'True'],
  ];
  const found = priorities.find(([type, status]) => getCondition(operator, type).status === status);
  return found ? getString(getCondition(operator, found[0]), 'message') : '';
}

function routeTermination(route: KubeObject): string {
  const tls = getField(route, 'spec', 'tls');
  if (!isRecord(tls)) return '';
  const insecure = getString(tls, 'insecureEdgeTerminationPolicy');
  return `${getString(tls, 'termination')}${insecure === '' || insecure === 'None' ? '' : `/${insecure}`}`;
}
