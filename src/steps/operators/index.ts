import { evaluateRules } from '../../checks/check.ts';
import { explainWaitEnd } from '../../checks/installer.ts';
import {
  deriveOperatorStates,
  explainOperators,
  needsAttention,
  type OperatorState,
  versionDiffers,
} from '../../checks/operators.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { ClusterVersionView } from '../../kube/snapshot.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

import type { Probe, Step, StepContext } from '../contract.ts';
import { checkApiConnection, readSnapshot } from '../shared/cluster-access.ts';
import { type LogLine, tailInstallerLog } from '../shared/installer/log.ts';
import { createWaitActions, readWaitState, type WaitState } from '../shared/installer/wait-for.ts';
import { buildOperatorPage } from './pages.ts';
import { listUnhealthyOperatorPods } from './unhealthy-pods.ts';

const words = () => catalogue().steps.operators;

/**
 * Data for the operators screen. `wait` and `log` belong to the installer's own wait-for; `apiDetail` describes a
 * problem of the API in one line, null: none.
 */
export interface OperatorsView {
  readonly clusterVersion: ClusterVersionView | null;
  /** The most urgent first. */
  readonly operators: readonly OperatorState[];
  readonly consoleUrl: string | null;
  readonly wait: WaitState['state'];
  readonly log: readonly LogLine[];
  readonly apiDetail: string | null;
}

/** Waits until the cluster is complete: all operators are in their target state, and the installer has confirmed it. */
export const operatorsStep: Step<OperatorsView> = {
  id: 'operators',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 60 * MINUTE,
  probe,
  ...createWaitActions(
    'install-complete',
    () => words().start,
    () => words().needed,
  ),
  verify: probe,
  show: buildOperatorPage,
};

async function probe(context: StepContext): Promise<Probe<OperatorsView>> {
  const [snapshot, wait, log] = await Promise.all([
    readSnapshot(context, ['nodes', 'clusterVersion', 'operators', 'consoleHost']),
    readWaitState(context, 'install-complete'),
    tailInstallerLog(context, 100),
  ]);
  const observed = snapshot?.operators ?? [];
  const pods = await listUnhealthyOperatorPods(context, observed);
  const operators = deriveOperatorStates(context.design, observed, snapshot?.nodes ?? [], pods, context.clock.now());
  const version = snapshot?.clusterVersion ?? null;
  const versions = evaluateRules([versionDiffers], {
    designed: context.design.openshift.version,
    runs: version?.version ?? null,
  });
  const consoleUrl = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;
  const apiDetail = snapshot?.api.line ?? null;
  const view: OperatorsView = { clusterVersion: version, operators, consoleUrl, wait: wait.state, log, apiDetail };
  const healthy = operators.filter(({ available, degraded }) => available && !degraded);
  const isInstalled = version?.available && !version.progressing && !version.failing;
  // The installer decides, and it ignores whether an operator is degraded: it waits for the ClusterVersion, and from
  // 4.15 on until nothing progresses (waitfor.go). Degraded operators are reported then, and nothing waits for them.
  if (version?.available && wait.state === 'complete') {
    const open = operators.filter(({ available, degraded }) => !available || degraded);
    const summary = words().done(consoleUrl ?? words().consoleUnknown, open.length);
    return { state: 'done', summary, view, findings: [...versions, ...explainOperators(open, true)] };
  }
  const findings = [
    ...versions,
    ...explainOperators(operators.filter(needsAttention), false),
    ...checkApiConnection(snapshot),
  ];
  const stable = operators.filter(({ stability }) => stability === 'stable').length;
  const summary =
    isInstalled && healthy.length === operators.length
      ? words().stabilizing(stable, operators.length)
      : words().waiting(version?.percent ?? null, healthy.length, operators.length);
  if (wait.state === 'none') {
    const isAllHealthy = isInstalled && healthy.length === operators.length;
    return {
      state: 'needed',
      summary: isAllHealthy ? words().toConfirm(operators.length) : words().needed,
      view,
      findings,
    };
  }
  if (wait.state === 'gave-up') {
    const gaveUp = explainWaitEnd(wait, log);
    return { state: 'needed', summary: words().gaveUp(summary), view, findings: [...findings, ...gaveUp] };
  }
  return { state: 'waiting', summary, view, findings };
}
