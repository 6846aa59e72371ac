import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import type { KubeObject } from '../../openshift/object.ts';
import { MINUTE } from '../../platform/clock.ts';

/**
 * Assumed age of a printed condition (ms): longer than the 40 minutes after which the installer prints the conditions.
 */
const ASSUMED_CONDITION_AGE = 60 * MINUTE;
type ConditionStatus = 'True' | 'False' | 'Unknown';
const STATUS_WORDS: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);

interface PrintedCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** Message about an operator (openshift/installer cmd/openshift-install, logClusterOperatorConditions). */
const INSTALLER_CONDITION =
  /^Cluster operator (\S+) (Available|Progressing|Degraded) is (True|False|Unknown) with (\S*?):? (.*)$/;
/** Columns of `oc get clusteroperators`. */
const OPERATOR_ROW =
  /^([a-z][a-z-]+) +(?:\d[\w.+-]* +)?(True|False|Unknown) +(True|False|Unknown) +(True|False|Unknown) +\d+[\dhmsd]*(?: +(.*))?$/;
/** Columns of `oc get nodes`. */
const NODE_ROW = /^(\S+) +((?:Not)?Ready(?:,SchedulingDisabled)?) +([a-z0-9,<>-]+) +\d+[\dhmsd]* +v1\.\d+\S*/;
/** Columns of `oc get pods -o wide`, with the namespace or without. */
const ROUTER_ROW =
  /^(?:openshift-ingress +)?(router-[a-z0-9-]+) +\d+\/\d+ +(\w+) +\d+(?: \([^)]*\))? +\d+[\dhmsd]* +([0-9a-f.:]+) +([a-z0-9][a-z0-9.-]+) /;

/**
 * Derives objects from what programs print about them: the operators in the log of openshift-install, and the tables of
 * `oc get` for operators, nodes and router pods. If bootstrapping failed, the operators in the log do not show the
 * cause, and are ignored.
 * @param now ms: the time of the lines
 */
export function derivePrintedObjects(lines: readonly EvidenceLine[], now: number): KubeObject[] {
  const isBootstrapFailure = lines.some(({ text }) =>
    /Bootstrap failed to complete|failed to wait for bootstrapping|Failed waiting for Kubernetes API/i.test(text),
  );
  const transitionTime = new Date(now - ASSUMED_CONDITION_AGE).toISOString();
  const operators = new Map<string, Map<string, PrintedCondition>>();
  const addCondition = (name: string, condition: PrintedCondition) => {
    const conditions = operators.get(name) ?? new Map<string, PrintedCondition>();
    operators.set(name, conditions.set(condition.type, condition));
  };
  const otherObjects = lines.flatMap(({ source, text }): KubeObject[] => {
    if (source === 'openshift-install') {
      const [, name, type = '', status, reason = '', message = ''] = INSTALLER_CONDITION.exec(text) ?? [];
      if (name !== undefined && !isBootstrapFailure)
        addCondition(name, { type, status: toStatus(status), reason, message });
      return [];
    }
    for (const condition of parseOperatorRow(text)) addCondition(condition.name, condition);
    return [...parseNodeRow(text, transitionTime), ...parseRouterRow(text)];
  });
  // Healthy operators are not printed. These two are added, because other operators wait for them.
  if (operators.size > 0)
    for (const name of ['ingress', 'authentication']) if (!operators.has(name)) operators.set(name, new Map());
  const operatorObjects = [...operators].map(([name, conditions]) =>
    createOperator(name, [...conditions.values()], transitionTime),
  );
  return [...operatorObjects, ...otherObjects];
}

const toStatus = (word: string | undefined): ConditionStatus =>
  word !== undefined && STATUS_WORDS.has(word) ? (word as ConditionStatus) : 'Unknown';

function parseOperatorRow(text: string): (PrintedCondition & { readonly name: string })[] {
  const [, name, available, progressing, degraded, message = ''] = OPERATOR_ROW.exec(text) ?? [];
  if (name === undefined) return [];
  const statuses = { Available: available, Progressing: progressing, Degraded: degraded };
  return Object.entries(statuses).map(([type, word]) => {
    const status = toStatus(word);
    const isHealthy = status === (type === 'Available' ? 'True' : 'False');
    return { name, type, status, reason: '', message: isHealthy ? '' : message };
  });
}

function createOperator(name: string, conditions: readonly PrintedCondition[], transitionTime: string): KubeObject {
  const hasAvailable = conditions.some(({ type }) => type === 'Available');
  const allConditions = [
    ...conditions,
    ...(hasAvailable ? [] : [{ type: 'Available', status: 'True' as const, reason: '', message: '' }]),
  ];
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name },
    status: { conditions: allConditions.map((condition) => ({ ...condition, lastTransitionTime: transitionTime })) },
  };
}

function parseNodeRow(text: string, transitionTime: string): KubeObject[] {
  const [, name, state = '', roles = ''] = NODE_ROW.exec(text) ?? [];
  if (name === undefined) return [];
  const labels = roles.split(',').map((role) => [`node-role.kubernetes.io/${role}`, ''] as const);
  const status = state.startsWith('Ready') ? 'True' : 'False';
  return [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: Object.fromEntries(labels) },
      spec: state.includes('SchedulingDisabled') ? { unschedulable: true } : {},
      status: { conditions: [{ type: 'Ready', status, lastTransitionTime: transitionTime }] },
    },
  ];
}

function parseRouterRow(text: string): KubeObject[] {
  const [, name, phase = '', , node = ''] = ROUTER_ROW.exec(`${text} `) ?? [];
  if (name === undefined) return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'openshift-ingress' },
      spec: { nodeName: node },
      status: { phase },
    },
  ];
}
