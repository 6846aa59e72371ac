import { ageColumn, conditionColumn, conditionOf, nameColumn, number, path, since, text } from '../cells.ts';
import { at, isRecord, type KubeObject, listAt, textAt } from '../objects.ts';
import type { Column } from './kind.ts';

/** How long a condition has been as it is. */
function sinceColumn(name: string, type: string): Column {
  return {
    name,
    type: 'date',
    value: (object, now) => {
      const time = textAt(conditionOf(object, type), 'lastTransitionTime');
      return time === '' ? '' : since(time, now);
    },
  };
}

const age: Column = { ...ageColumn, type: 'date' };

/** The printer columns of the custom resource definitions of OpenShift, by resource key. */
export const openshiftColumns: Readonly<Record<string, readonly Column[]>> = {
  'clusteroperators.config.openshift.io': [
    nameColumn,
    text('Version', (operator) => {
      const version = listAt(operator, 'status', 'versions').find((item) => textAt(item, 'name') === 'operator');
      return textAt(version, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    conditionColumn('Degraded', 'Degraded'),
    sinceColumn('Since', 'Available'),
    text('Message', operatorMessage),
  ],
  'clusterversions.config.openshift.io': [
    nameColumn,
    text('Version', (version) => {
      const done = listAt(version, 'status', 'history').find((item) => textAt(item, 'state') === 'Completed');
      return textAt(done, 'version');
    }),
    conditionColumn('Available', 'Available'),
    conditionColumn('Progressing', 'Progressing'),
    sinceColumn('Since', 'Progressing'),
    conditionColumn('Status', 'Progressing', 'message'),
  ],
  'machinesets.machine.openshift.io': [
    nameColumn,
    number('Desired', 'spec', 'replicas'),
    number('Current', 'status', 'replicas'),
    number('Ready', 'status', 'readyReplicas'),
    number('Available', 'status', 'availableReplicas'),
    age,
  ],
  'machines.machine.openshift.io': [
    nameColumn,
    path('Phase', 'status', 'phase'),
    path('Type', 'spec', 'providerSpec', 'value', 'instanceType'),
    path('Region', 'spec', 'providerSpec', 'value', 'placement', 'region'),
    path('Zone', 'spec', 'providerSpec', 'value', 'placement', 'availabilityZone'),
    age,
  ],
  'machineconfigpools.machineconfiguration.openshift.io': [
    nameColumn,
    path('Config', 'status', 'configuration', 'name'),
    conditionColumn('Updated', 'Updated'),
    conditionColumn('Updating', 'Updating'),
    conditionColumn('Degraded', 'Degraded'),
    number('MachineCount', 'status', 'machineCount'),
    number('ReadyMachineCount', 'status', 'readyMachineCount'),
    number('UpdatedMachineCount', 'status', 'updatedMachineCount'),
    number('DegradedMachineCount', 'status', 'degradedMachineCount'),
    age,
  ],
  'machineconfigs.machineconfiguration.openshift.io': [
    nameColumn,
    text(
      'GeneratedByController',
      ({ metadata }) =>
        metadata.annotations?.['machineconfiguration.openshift.io/generated-by-controller-version'] ?? '',
    ),
    path('IgnitionVersion', 'spec', 'config', 'ignition', 'version'),
    age,
  ],
  'routes.route.openshift.io': [
    nameColumn,
    path('Host/Port', 'spec', 'host'),
    path('Path', 'spec', 'path'),
    path('Services', 'spec', 'to', 'name'),
    text('Port', (route) => String(at(route, 'spec', 'port', 'targetPort') ?? '<all>')),
    text('Termination', routeTermination),
    text('Wildcard', (route) => textAt(route, 'spec', 'wildcardPolicy') || 'None'),
  ],
};

/** Why an operator is not well: what makes it degraded, else what keeps it from being available, else what it does. */
function operatorMessage(operator: KubeObject): string {
  const bad: readonly [string, string][] = [
    ['Degraded', 'True'],
    ['Available', 'False'],
    ['Progressing', 'True'],
  ];
  const found = bad.find(([type, status]) => conditionOf(operator, type).status === status);
  return found ? textAt(conditionOf(operator, found[0]), 'message') : '';
}

function routeTermination(route: KubeObject): string {
  const tls = at(route, 'spec', 'tls');
  if (!isRecord(tls)) return '';
  const insecure = textAt(tls, 'insecureEdgeTerminationPolicy');
  return `${textAt(tls, 'termination')}${insecure === '' || insecure === 'None' ? '' : `/${insecure}`}`;
}
